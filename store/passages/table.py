"""The passages of the knowledge base, in one LanceDB table: full-text and vector search, and what it holds.

One process writes (:mod:`store.passages.writer`), any number read. LanceDB is imported and opened by `Passages.open`,
never at import (:mod:`store.passages.connect` says why).
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import wraps
from typing import Any, ClassVar, Concatenate, Final, ParamSpec, Self, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from domain import Hit, Passage, Scope
from store.passages import schema
from store.passages.connect import TABLE, connect, empty_table, open_table, refuse_after_fork, versions_of
from store.passages.errors import PassagesLost, explained, suppress_dropped
from store.passages.in_memory import CachedCopy, Copy, most_similar
from store.passages.maintenance import is_compressed
from store.passages.schema import COLUMNS, both, cosines_of, one_of, passage_of, scope_condition
from store.sql.rows import groups
from text.terms import analyse

#: A question of ordinary length has a tenth of that; the rest of a pasted page adds time, not precision.
_MAX_QUERY_TERMS: Final = 200
#: Of 1,000,000 passages' vectors, 40 partitions held .91 of the ten nearest; 160 hold .98, for a tenth more time.
_PROBED_PARTITIONS: Final = 160
#: Candidates of a compressed index that are compared exactly, per hit wanted: with 10 a thirtieth would be missed.
_REFINED: Final = 20
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
        self._cached = CachedCopy(table, memory_bytes, versions_of(uri))
        self._memory_bytes = memory_bytes
        self._awaited: Any = None  #: the database in which the table is still missing
        self._opening = threading.Lock()

    @classmethod
    def open(
        cls, uri: str, *, embedder_id: str, dimension: int, memory_bytes: int = 0, is_expected: bool = False
    ) -> Self:
        """Open the table at ``uri`` (a folder, or s3://…).

        A missing one is made empty by the writer alone; a reader finds nothing until it is there. Where pages were
        indexed (``is_expected``) nobody makes it anew. A table of up to ``memory_bytes`` is searched in a copy in
        memory, as long as the copy is up to date.

        Raises EmbedderMismatch when its vectors are another embedder's, OpenedBeforeFork in a process forked from one
        that had LanceDB open, PassagesLost when it is missing and expected, PassagesError when it cannot be opened.
        """
        with explained(uri, "open"):
            database, wanted = connect(uri), schema.schema(embedder_id, dimension)
            is_missing = TABLE not in database
            if is_missing and is_expected:
                raise PassagesLost(uri)
            is_awaited = is_missing and not cls._makes_table
            table = empty_table(wanted) if is_awaited else open_table(database, wanted)
            passages = cls(table, uri=uri, embedder_id=embedder_id, dimension=dimension, memory_bytes=memory_bytes)
            passages._checked(table)
            passages._awaited = database if is_awaited else None
            return passages

    # --- search

    @_reading("search")
    def search_text(self, text: str, *, lang: str, k: int, scope: Scope = _PUBLIC) -> list[Hit]:
        """Return the ``k`` passages with the best bm25 for any of the query's terms; ``lang`` is its language."""
        terms = list(dict.fromkeys(analyse(text, lang)))[:_MAX_QUERY_TERMS]
        if not terms or k < 1:
            return []

        def found(columns: Sequence[str], *, row_ids: bool = False) -> list[dict[str, Any]]:
            query = self._table().search(" ".join(terms), query_type="fts", fts_columns="search_text").limit(k)
            query = query.where(scope_condition(scope), prefilter=True).select([*columns, "_score"])
            rows: list[dict[str, Any]] = query.with_row_id(row_ids).to_arrow().to_pylist()
            return rows

        copy = self._copy(scope)
        rows = found([], row_ids=True) if copy else []
        passages = copy.passages([row["_rowid"] for row in rows]) if copy else {}
        if copy is None or len(passages) < len(rows):  # changed since the copy was looked at
            scored = [(row["_score"], passage_of(row)) for row in found(COLUMNS)]
        else:
            scored = [(row["_score"], passages[row["_rowid"]]) for row in rows]
        scored.sort(key=lambda each: (-each[0], each[1].id))
        return [
            Hit(passage=passage, score=score, scale="bm25", rank=rank, bm25=score, query=text)
            for rank, (score, passage) in enumerate(scored, start=1)
        ]

    @_reading("search")
    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, scope: Scope = _PUBLIC) -> list[list[Hit]]:
        """Return for each row of ``vectors`` (n, dimension) its ``k`` nearest passages; scores are similarities."""
        if copy := self._copy(scope):
            return copy.search_vectors(vectors, k=k, within=scope_condition(scope))
        table = self._checked_table()
        if not len(vectors) or k < 1:
            return [[] for _ in vectors]
        query = table.search(list(vectors), vector_column_name="vector", query_type="vector").distance_type("cosine")
        query = query.nprobes(_PROBED_PARTITIONS).limit(k).where(scope_condition(scope), prefilter=True)
        if is_compressed(table):  # else the distances are exact, and reading the vectors again takes half of the search
            query = query.refine_factor(_REFINED)
        found: list[list[tuple[Passage, float]]] = [[] for _ in vectors]
        for row in query.select([*COLUMNS, "_distance"]).to_arrow().to_pylist():
            found[row.get("query_index", 0)].append((passage_of(row), 1.0 - row["_distance"]))
        return list(map(most_similar, found))

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
    def sentence_similarities(
        self, vector: NDArray[np.float32], ids: Collection[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Return for each named passage the cosines of ``vector`` and its sentences, those of its lead first.

        Those whose sentences have no vectors are left out.
        """
        copy = self._copy()
        packed = copy.sentences(ids) if copy else {}
        packed |= self._sentences_by("id", [id for id in ids if id not in packed])
        return {id: cosines_of(vector, sentences) for id, sentences in packed.items() if sentences}

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
        """Return of the passages on these pages, or with these ids, the ``k`` most similar to the first row.

        They are few, and read by their keys: no index over vectors is asked, so none is missed.
        """
        if copy := self._copy(scope):
            return copy.among(vectors, page_ids=page_ids, ids=ids, k=k, within=scope_condition(scope))
        places = [one_of(column, values) for column, values in (("page_id", page_ids), ("id", ids)) if values]
        if not places or k < 1 or not len(vectors):
            return []
        condition = both(scope_condition(scope), " OR ".join(places))
        found = self._table().search().where(condition).select([*COLUMNS, "vector"]).limit(None).to_arrow()
        similarities = (_matrix(found) @ vectors[0]).tolist()
        passages = map(passage_of, found.drop_columns(["vector"]).to_pylist())
        return most_similar(zip(passages, similarities, strict=True))[:k]

    # --- look up

    @_reading("count")
    def count(self) -> int:
        """Return how many passages are stored."""
        return int(self._table().count_rows())

    @_reading("read")
    def page_ids(self) -> set[int]:
        """Return the pages that have passages."""
        return set(self._table().search().select(["page_id"]).limit(None).to_arrow()["page_id"].to_pylist())

    @_reading("read")
    def passages_of(self, page_ids: Iterable[int]) -> list[Passage]:
        """Return the passages of these pages in reading order."""
        found = [passage_of(row) for rows in self._by("page_id", page_ids, COLUMNS) for row in rows.to_pylist()]
        return sorted(found, key=lambda passage: (passage.page_id, passage.ord))

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
            if self._awaited is None or TABLE not in self._awaited:
                return
            table = self._checked(open_table(self._awaited, schema.schema(self.embedder_id, self.dimension)))
            self._opened_table, self._cached = table, CachedCopy(table, self._memory_bytes, versions_of(self.uri))
            self._awaited = None

    def _copy(self, scope: Scope = _PUBLIC) -> Copy | None:
        self._table()
        return None if scope.private_pages or scope.read_after else self._cached.current()

    def _checked_table(self) -> Any:
        # A reindex by another process may have given the table another embedder's vectors.
        return self._checked(self._table())

    def _checked(self, table: Any) -> Any:
        schema.check(table.schema, uri=self.uri, embedder_id=self.embedder_id, dimension=self.dimension)
        return table

    def _by(self, key: str, values: Iterable[Any], columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield columns of the rows with these values of a key."""
        for some in groups(list(values)):
            yield self._table().search().where(one_of(key, some)).select(list(columns)).limit(None).to_arrow()

    @_reading("read")
    def _vectors_by(self, key: str, values: Collection[str]) -> dict[str, NDArray[np.float32]]:
        if values:
            self._checked_table()
        found: dict[str, NDArray[np.float32]] = {}
        for rows in self._by(key, values, [key, "vector"]):
            found.update(zip(rows[key].to_pylist(), _matrix(rows), strict=True))
        return found

    @_reading("read")
    def _sentences_by(self, key: str, values: Collection[str]) -> dict[str, bytes]:
        """Return the packed vectors of the sentences of these rows, but where there are none."""
        found = (row for rows in self._by(key, values, [key, "sentences"]) for row in rows.to_pylist())
        return {row[key]: row["sentences"] for row in found if row["sentences"] is not None}


def _matrix(rows: pa.Table) -> NDArray[np.float32]:
    matrix: NDArray[np.float32] = rows["vector"].combine_chunks().flatten().to_numpy()
    return matrix.reshape(rows.num_rows, rows.schema.field("vector").type.list_size)
