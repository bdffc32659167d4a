"""A corpus as Wellread keeps it: pages in SQL, passages in LanceDB, put there and asked by the code that serves.

Every document of the corpus is a page. `workers.indexing.embed` chunks, embeds and writes, `pipeline.ask`
retrieves, `workers.questions.lookup` checks, as they do when serving. Only the settings are fixed, whatever the
environment says, and the vectors of a corpus may come from an earlier run.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource
from sqlalchemy import select

from domain import Hit, PageText, Passage, Validators
from domain.errors import WellreadError
from evals.knowledge.ablations import Ablation
from evals.knowledge.vector_cache import KeptVectors
from pipeline import ask
from pipeline.answering.citations import is_verbatim
from pipeline.ask import LookupResult, Tools
from pipeline.retrieval.retrieve import Observe, Search
from store.embedders import Embedder
from store.pages import page as pages
from store.passages.table import Passages
from store.sql.database import migrate
from store.sql.tables import PageRow
from workers.indexing import embed
from workers.questions import lookup
from workers.services import Services
from workers.settings import Settings


class KnowledgeError(WellreadError):
    """The corpus could not be put into the knowledge base."""


class Defaults(Settings):
    """The settings Wellread comes with, and those that are given: nothing from the environment."""

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take only what is given."""
        return (init_settings,)


class Measured(Services):
    """The services of one process that measures."""

    def __init__(self, folder: Path, embedder: Embedder, cache: Path | None, ablations: Sequence[Ablation]) -> None:
        super().__init__(Defaults.model_validate({"data_dir": folder}))
        self._asked_with = embedder
        self._cache = cache
        self._ablations = ablations

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder of pages; that of questions forgets, so that what it takes is measured."""
        return KeptVectors(self._asked_with, self._cache) if self._cache else self._asked_with

    @cached_property
    def passages(self) -> Passages:
        """The writer's handle: one does for both."""
        return self.passages_writer

    @cached_property
    def tools(self) -> Tools:
        """What the pipeline looks with, without the parts that are switched off."""
        tools = replace(super().tools, embedder=self._asked_with)
        for ablation in self._ablations:
            tools = ablation.tools(tools)
        return tools


@dataclass(frozen=True, kw_only=True)
class Served:
    """What a question gets without reading more."""

    first: LookupResult
    second: LookupResult | None  #: where the first did not suffice
    attempt: LookupResult  #: the one that is served, its citations checked
    citations: int  #: that the composer gave
    standing: int  #: of these, the ones whose quote stands at its offsets in the page's stored text


class Knowledge:
    """A corpus in the stores; its documents are named by their place in it, from 0."""

    def __init__(self, services: Measured, documents: Sequence[Passage], ablations: Sequence[Ablation]) -> None:
        self._services = services
        looks = [ablation.second_look for ablation in ablations if ablation.second_look]
        self._second_look = looks[-1] if looks else ask.second_look
        self._texts = [_page_text(document, ablations) for document in documents]
        self._urls = [document.url for document in documents]
        self.titles = tuple(document.title for document in documents)
        self._page_ids = self._keep(range(len(documents)))
        self._services.passages_writer.maintain()
        # two documents that say the same on one site are one page: they count as the first of them
        self._places = {page: at for at, page in reversed(list(enumerate(self._page_ids)))}

    @property
    def search(self) -> Search:
        """What is searched."""
        return self._services.tools.search

    def gold(self, documents: Collection[int]) -> frozenset[int]:
        """Return the documents as rankings name them."""
        return frozenset(self._places[self._page_ids[at]] for at in documents)

    def ranking(self, hits: Sequence[Hit]) -> list[int]:
        """Return the hits' documents, each at the place of its best passage."""
        return [self._places[page] for page in dict.fromkeys(hit.passage.page_id for hit in hits)]

    def first_look(self, text: str, *, search: Search | None = None, observe: Observe | None = None) -> LookupResult:
        """Look as phase 1 does."""
        tools = self._services.tools
        return ask.first_look(ask.Query(text=text), replace(tools, search=search or tools.search, observe=observe))

    def second_look(self, text: str) -> LookupResult:
        """Look as phase 2 does."""
        return self._second_look(ask.Query(text=text), self._services.tools)

    def serve(self, text: str) -> Served:
        """Look once, and where that does not suffice once more."""
        first = looked = self.first_look(text)
        attempt, second = lookup.checked(self._services, first), None
        if not attempt.verdict.sufficient:
            second = looked = self.second_look(text)
            attempt = lookup.checked(self._services, second)
        citations = looked.answer.citations if looked.answer else ()
        with self._services.database.read() as session:
            texts = pages.texts(session, [citation.page_id for citation in citations])
        return Served(
            first=first,
            second=second,
            attempt=attempt,
            citations=len(citations),
            standing=sum(is_verbatim(citation, texts.get(citation.page_id)) for citation in citations),
        )

    @contextmanager
    def without(self, titles: Collection[str]) -> Iterator[None]:
        """Take every page under these titles out, as if it had vanished from the web, for as long as the block runs."""
        places = [at for at, title in enumerate(self.titles) if title in titles]
        gone = {self._page_ids[at] for at in places}
        now = self._services.now()
        with self._services.database.write() as session:
            for page_id in gone:
                pages.gone(session, page_id, now)
        self._index(gone)
        if left := self._services.passages_writer.passages_of(gone):
            raise KnowledgeError(f"{len(left)} passages of pages that are gone are still there.")
        try:
            yield
        finally:
            self._keep(places)

    def _keep(self, places: Collection[int]) -> list[int]:
        """Save the pages of these documents and have them indexed; give their ids."""
        now = self._services.now()
        with self._services.database.write() as session:
            kept = [
                pages.save(
                    session,
                    url=self._urls[at],
                    host=urlsplit(self._urls[at]).netloc,
                    page=self._texts[at],
                    content_hash=_hash(self._texts[at]),
                    validators=Validators(),
                    depth=0,
                    now=now,
                )[0]
                for at in places
            ]
        self._index(set(kept))
        return kept

    def _index(self, page_ids: Collection[int]) -> None:
        """Have the writer do its work until these pages are as SQL says."""
        for page_id in sorted(page_ids):
            if page_id in self._waiting():
                embed.embed(self._services, page_id)
        if waiting := self._waiting() & set(page_ids):
            with self._services.database.read() as session:
                error = session.get_one(PageRow, min(waiting)).error
            raise KnowledgeError(f"{len(waiting)} documents could not be indexed: {error}.")

    def _waiting(self) -> set[int]:
        with self._services.database.read() as session:
            return set(session.scalars(select(PageRow.id).where(PageRow.state != "INDEXED")))


@contextmanager
def kept(
    documents: Sequence[Passage], embedder: Embedder, *, cache: Path | None, ablations: Sequence[Ablation] = ()
) -> Iterator[Knowledge]:
    """Keep the documents in stores of their own, which are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="wellread-evals-") as folder:
        services = Measured(Path(folder), embedder, cache, ablations)
        migrate(services.settings.database)
        try:
            yield Knowledge(services, documents, ablations)
        finally:
            services.tools.pool.shutdown()
            services.close()


def _page_text(document: Passage, ablations: Sequence[Ablation]) -> PageText:
    page = PageText(title=document.title, text=document.text, lang=document.lang)
    for ablation in ablations:
        page = ablation.page(page)
    return page


def _hash(page: PageText) -> str:
    return hashlib.sha256(f"{page.title}\0{page.text}".encode()).hexdigest()
