"""The passages of the knowledge base, in one LanceDB table: full-text and vector search, and what it holds.

One process writes (:mod:`store.passages.writer`), any number read. LanceDB is imported and opened by `Passages.open`,
never at import (:mod:`store.passages.connect` says why).
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, ClassVar, Concatenate, Final, ParamSpec, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from domain import Hit, Passage, Scope
from store.passages import schema
from store.passages.connect import connect, empty_table, open_table, refuse_after_fork, versions_of
from store.passages.errors import PassagesLost, explained, suppress_dropped
from store.passages.in_memory import Copy, Memory
from store.passages.schema import best_cosine, groups, one_of
from store.passages.search import search_among, search_terms, search_vectors

_PUBLIC: Final = Scope()
#: how often one read begins at most: again when the writer dropped the files of its version meanwhile
_READS: Final = 4

_Asked = ParamSpec("_Asked")
_Read = TypeVar("_Read")
_Method: TypeAlias = Callable[Concatenate["Passages", _Asked], _Read]


def _reading(doing: str) -> Callable[[_Method[_Asked, _Read]], _Method[_Asked, _Read]]:
    """Explain what fails in a method that reads, and read the newest version where its own was dropped meanwhile."""

    def decorated(method: _Method[_Asked, _Read]) -> _Method[_Asked, _Read]:
        @wraps(method)
        def read(self: "Passages", /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Read:
            with explained(self.uri, doing):
                for _ in range(_READS - 1):
                    with suppress_dropped():
                        return method(self, *args, **kwargs)
                return method(self, *args, **kwargs)

        return read

    return decorated


class Passages:
    """A handle on the passages table, to read; safe to use from several threads of the process that opened it."""

    #: whether a missing table is made
    _makes_table: ClassVar = False

    def __init__(self, table: Any, *, uri: str, embedder_id: str, dimension: int, memory_bytes: int = 0) -> None:
        self.uri = uri
        self.embedder_id = embedder_id
        self.dimension = dimension
        self._opened_table = table
        self._memory = Memory(table, memory_bytes, versions_of(uri))
        self._memory_bytes = memory_bytes
        self._awaited: Any = None  #: the database in which the table is still missing
        self._opening = threading.Lock()

    @classmethod
    def open(
        cls,
        uri: str,
        *,
        embedder_id: str,
        dimension: int,
        storage_options: Mapping[str, str] | None = None,
        memory_bytes: int = 0,
        is_expected: bool = False,
    ) -> Self:
        """Open the table at ``uri`` (a folder, or s3://… with ``storage_options``).

        A missing one is made empty by the writer alone; a reader finds nothing until it is there. Where pages were
        indexed (``is_expected``) nobody makes it anew. A table of up to ``memory_bytes`` is searched in a copy in
        memory, as long as the copy is up to date.

        Raises EmbedderMismatch when its vectors are another embedder's, OpenedBeforeFork in a process forked from one
        that had LanceDB open, PassagesLost when it is missing and expected, PassagesError when it cannot be opened.
        """
        with explained(uri, "open"):
            database, wanted = connect(uri, storage_options), schema.schema(embedder_id, dimension)
            is_missing = schema.TABLE not in database
            if is_missing and is_expected:
                raise PassagesLost(uri)
            is_awaited = is_missing and not cls._makes_table
            table = empty_table(wanted) if is_awaited else open_table(database, wanted)
            schema.check(table.schema, uri=uri, embedder_id=embedder_id, dimension=dimension)
            passages = cls(
                table,
                uri=uri,
                embedder_id=embedder_id,
                dimension=dimension,
                memory_bytes=memory_bytes,
            )
            if is_awaited:
                passages._awaited = database
            return passages

    # --- search

    @_reading("search")
    def search_text(self, text: str, *, lang: str, k: int, scope: Scope = _PUBLIC) -> list[Hit]:
        """Return the ``k`` best passages in full text; scores are bm25, ``lang`` is the query's language."""
        return search_terms(self._table(), text, lang=lang, k=k, scope=scope, copy=self._copy(scope))

    @_reading("search")
    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, scope: Scope = _PUBLIC) -> list[list[Hit]]:
        """Return for each row of ``vectors`` (n, dimension) its ``k`` nearest passages; scores are similarities."""
        if copy := self._copy(scope):
            return copy.search_vectors(vectors, k=k)
        return search_vectors(self._checked_table(), vectors, k=k, scope=scope)

    @_reading("read")
    def similarities(self, vectors: NDArray[np.float32], ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the exact similarity of each named passage to each row of ``vectors``: {id: (n,)}.

        Gives the hits of the text leg the score that the vector leg did not.
        """
        copy = self._copy()
        known = copy.similarities(vectors, ids) if copy else {}
        stored = self._vectors_by("id", [id for id in ids if id not in known])  # a private one is not in the copy
        return known | {key: np.clip(vectors @ vector, -1.0, 1.0) for key, vector in stored.items()}

    @_reading("read")
    def sentence_similarities(self, vector: NDArray[np.float32], ids: Collection[str]) -> dict[str, float]:
        """Return for each named passage the cosine of ``vector`` and its nearest sentence.

        Those whose sentences have no vectors are left out.
        """
        copy = self._copy()
        packed = copy.sentences(ids) if copy else {}
        packed |= self._column_by("id", [id for id in ids if id not in packed], "sentences")
        found = {id: best_cosine(vector, sentences) for id, sentences in packed.items()}
        return {id: cosine for id, cosine in found.items() if cosine is not None}

    @_reading("search")
    def nearest(
        self,
        vectors: NDArray[np.float32],
        *,
        page_ids: Collection[int],
        ids: Collection[str],
        k: int,
        scope: Scope = _PUBLIC,
    ) -> list[Hit]:
        """Return of the passages on these pages, or with these ids, the ``k`` most similar to the first row."""
        if copy := self._copy(scope):
            return copy.among(vectors, page_ids=page_ids, ids=ids, k=k)
        return search_among(self._table(), vectors, page_ids=page_ids, ids=ids, k=k, scope=scope)

    # --- look up

    @_reading("count")
    def count(self) -> int:
        """Return how many passages are stored."""
        return int(self._table().count_rows())

    @_reading("read")
    def version(self) -> int:
        """Return the table's version; it grows with every commit."""
        return int(self._table().version)

    @_reading("read")
    def page_ids(self) -> set[int]:
        """Return the pages that have passages."""
        return set(self._table().search().select(["page_id"]).limit(None).to_arrow()["page_id"].to_pylist())

    def get(self, ids: Sequence[str]) -> list[Passage]:
        """Return the passages with these ids, in this order; unknown ids are left out."""
        found = {passage.id: passage for passage in self._where("id", ids)}
        return [found[key] for key in ids if key in found]

    def passages_of(self, page_ids: Iterable[int]) -> list[Passage]:
        """Return the passages of these pages in reading order."""
        return schema.by_page(self._where("page_id", list(page_ids)))

    def vectors_for(self, content_hashes: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vectors of unchanged texts: {content hash: (dimension,)}."""
        return self._vectors_by("content_hash", content_hashes)

    # --- the handle

    def _table(self) -> Any:
        refuse_after_fork(self.uri)
        if self._awaited is not None:
            self._open_awaited()
        return self._opened_table

    def _open_awaited(self) -> None:
        """Open the table if its writer has made it by now."""
        with self._opening:
            if self._awaited is None or schema.TABLE not in self._awaited:
                return
            table = open_table(self._awaited, schema.schema(self.embedder_id, self.dimension))
            schema.check(table.schema, uri=self.uri, embedder_id=self.embedder_id, dimension=self.dimension)
            self._opened_table, self._memory = table, Memory(table, self._memory_bytes, versions_of(self.uri))
            self._awaited = None

    def _copy(self, scope: Scope = _PUBLIC) -> Copy | None:
        self._table()
        return self._memory.current() if scope == _PUBLIC else None

    def _checked_table(self) -> Any:
        # A reindex by another process may have given the table another embedder's vectors.
        table = self._table()
        schema.check(table.schema, uri=self.uri, embedder_id=self.embedder_id, dimension=self.dimension)
        return table

    @_reading("read")
    def _where(self, column: str, values: Sequence[Any]) -> list[Passage]:
        found: list[Passage] = []
        for some in groups(values):
            query = self._table().search().where(one_of(column, some)).select(list(schema.COLUMNS)).limit(None)
            found += schema.passages_in(query.to_arrow())
        return found

    @_reading("read")
    def _vectors_by(self, column: str, values: Collection[str]) -> dict[str, NDArray[np.float32]]:
        found: dict[str, NDArray[np.float32]] = {}
        for some in groups(list(values)):
            query = self._checked_table().search().where(one_of(column, some)).select([column, "vector"])
            rows = query.limit(None).to_arrow().combine_chunks()
            matrix = rows["vector"].combine_chunks().flatten().to_numpy().reshape(-1, self.dimension)
            found.update(zip(rows[column].to_pylist(), matrix, strict=True))
        return found

    @_reading("read")
    def _column_by(self, key: str, values: Collection[str], column: str) -> dict[str, Any]:
        """Return a column of the rows with these values of a key, but where it is empty."""
        found: dict[str, Any] = {}
        for some in groups(list(values)):
            query = self._table().search().where(one_of(key, some)).select([key, column]).limit(None)
            found.update((row[key], row[column]) for row in query.to_arrow().to_pylist() if row[column] is not None)
        return found
