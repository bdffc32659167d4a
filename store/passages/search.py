"""Search in the passages table: by terms (bm25) and by vectors (similarity), inside a scope."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from domain import Hit, Scope
from store.passages.maintenance import is_compressed
from store.passages.schema import COLUMNS, both, one_of, passage_of, scope_condition
from text.analyser import analyse

if TYPE_CHECKING:
    from store.passages.in_memory import Copy

#: A question of ordinary length has a tenth of that; the rest of a pasted page adds time, not precision.
_MAX_QUERY_TERMS: Final = 200
#: Of 1,000,000 passages' vectors, 40 partitions held .91 of the ten nearest; 160 hold .98, for a tenth more time.
_PROBED_PARTITIONS: Final = 160
#: Candidates of a compressed index that are compared exactly, per hit wanted: with 10 a thirtieth would be missed.
_REFINED: Final = 20


def search_terms(
    table: Any,
    text: str,
    *,
    lang: str,
    k: int,
    scope: Scope,
    copy: "Copy | None" = None,
) -> list[Hit]:
    """Return the ``k`` passages with the best bm25 for any of the query's terms, best first.

    What a ``copy`` has is not read from the table.
    """
    terms = list(dict.fromkeys(analyse(text, lang)))[:_MAX_QUERY_TERMS]
    if not terms or k < 1:
        return []
    query = _scoped(table.search(" ".join(terms), query_type="fts", fts_columns="search_text").limit(k), scope)
    if copy is None:
        rows = query.select([*COLUMNS, "_score"]).to_arrow().to_pylist()
        scored = [(row["_score"], passage_of(row)) for row in rows]
    else:
        rows = query.select(["_score"]).with_row_id(True).to_arrow().to_pylist()
        passages = copy.passages([row["_rowid"] for row in rows])
        if len(passages) < len(rows):  # changed since the copy was looked at
            return search_terms(table, text, lang=lang, k=k, scope=scope)
        scored = [(row["_score"], passages[row["_rowid"]]) for row in rows]
    scored.sort(key=lambda each: (-each[0], each[1].id))
    return [
        Hit(passage=passage, score=score, scale="bm25", rank=rank, bm25=score, query=text)
        for rank, (score, passage) in enumerate(scored, start=1)
    ]


def search_vectors(table: Any, vectors: NDArray[np.float32], *, k: int, scope: Scope) -> list[list[Hit]]:
    """Return for each row of ``vectors`` the ``k`` most similar passages, best first."""
    if not len(vectors) or k < 1:
        return [[] for _ in vectors]
    query = table.search(list(vectors), vector_column_name="vector", query_type="vector").distance_type("cosine")
    query = _scoped(query.nprobes(_PROBED_PARTITIONS).limit(k), scope)
    if is_compressed(table):  # else the distances are exact, and reading the vectors again takes half of the search
        query = query.refine_factor(_REFINED)
    found: list[list[dict[str, Any]]] = [[] for _ in vectors]
    for row in query.select([*COLUMNS, "_distance"]).to_arrow().to_pylist():
        found[row.get("query_index", 0)].append(row)
    return [_nearest(rows) for rows in found]


def search_among(
    table: Any,
    vectors: NDArray[np.float32],
    *,
    page_ids: Collection[int],
    ids: Collection[str],
    k: int,
    scope: Scope,
) -> list[Hit]:
    """Return of the passages on these pages, or with these ids, the ``k`` most similar to the first row.

    They are few, and read by their keys: no index over vectors is asked, so none is missed.
    """
    places = [one_of("page_id", page_ids)] if page_ids else []
    places += [one_of("id", ids)] if ids else []
    if not places or k < 1 or not len(vectors):
        return []
    condition = both(scope_condition(scope), " OR ".join(places))
    found = table.search().where(condition).select([*COLUMNS, "vector"]).limit(None).to_arrow()
    if not found.num_rows:
        return []
    matrix = found["vector"].combine_chunks().flatten().to_numpy().reshape(found.num_rows, -1)
    rows = found.drop_columns(["vector"]).to_pylist()
    for row, similarity in zip(rows, matrix @ vectors[0], strict=True):
        row["_distance"] = 1.0 - float(similarity)
    return _nearest(rows)[:k]


def _nearest(rows: list[dict[str, Any]]) -> list[Hit]:
    rows.sort(key=lambda row: (row["_distance"], row["id"]))
    similarities = [min(1.0, max(-1.0, 1.0 - row["_distance"])) for row in rows]
    return [
        Hit(passage=passage_of(row), score=score, scale="similarity", rank=rank, similarity=score)
        for rank, (row, score) in enumerate(zip(rows, similarities, strict=True), start=1)
    ]


def _scoped(query: Any, scope: Scope) -> Any:
    condition = scope_condition(scope)
    return query.where(condition, prefilter=True) if condition else query
