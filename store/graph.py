"""Read the graph for the pipeline: names and facts from SQL, passages from the passages table."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from domain import Hit, KnownName, Scope, StatedFact
from store import entities, facts
from store.passages.table import Passages
from store.sql.database import Database


class GraphReader:
    """Reads the graph of one knowledge base: what is public, and what stands on the given private pages."""

    def __init__(self, database: Database, passages: Passages, private_pages: Collection[int] = ()) -> None:
        self._database = database
        self._passages = passages
        self._private_pages = private_pages

    def pages_named(self, names: Collection[str]) -> Sequence[KnownName]:
        """Return those of the names that are names of pages."""
        if not names:
            return []
        with self._database.read() as session:
            return entities.pages_named(session, names, self._private_pages)

    def mentioned_in(self, passage_ids: Collection[str]) -> Mapping[str, Sequence[KnownName]]:
        """Return the names of other pages that each passage mentions."""
        places = {_place(id): id for id in passage_ids}
        with self._database.read() as session:
            found = entities.mentioned_in(session, places, self._private_pages)
        return {places[place]: named for place, named in found.items()}

    def mentioning(self, page_ids: Collection[int], *, most: int) -> Mapping[int, Sequence[KnownName]]:
        """Return the names of each page that at most ``most`` passages mention, with those passages."""
        with self._database.read() as session:
            return entities.mentioning(session, page_ids, most=most, private_pages=self._private_pages)

    def links_between(self, urls: Collection[str]) -> Sequence[tuple[str, str]]:
        """Return the links among these pages: (from, to)."""
        with self._database.read() as session:
            return entities.links_between(session, urls)

    def facts_about(self, names: Collection[str]) -> Sequence[StatedFact]:
        """Return the facts whose subject has one of these names."""
        if not names:
            return []
        with self._database.read() as session:
            return facts.about(session, names, self._private_pages)

    def nearest(
        self, vectors: NDArray[np.float32], *, page_ids: Collection[int], ids: Collection[str], k: int, scope: Scope
    ) -> list[Hit]:
        """Return of the passages on these pages, or with these ids, the k most similar to the first row."""
        return self._passages.nearest(vectors, page_ids=page_ids, ids=ids, k=k, scope=scope)


def _place(passage_id: str) -> tuple[int, int]:
    page_id, _, ord = passage_id.rpartition("-")
    return int(page_id), int(ord)
