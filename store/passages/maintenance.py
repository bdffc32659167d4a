"""Keep the passages table fast: compact it, and give it the indices its size calls for; write it without deleted rows.

Measured: below 5,000 rows a scan is faster than any vector index; to 100,000 IVF_FLAT keeps exact distances; above,
IVF_RQ keeps the index in memory and the search refines its candidates with the exact vectors.
"""

import random
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from store.passages.errors import is_conflict
from store.passages.schema import one_of

FLAT_FROM_ROWS: Final = 5_000
RQ_FROM_ROWS: Final = 100_000
#: Longer than any question runs: a reader in the middle of a search keeps its version's files.
KEEP_VERSIONS: Final = timedelta(minutes=10)
#: A reader in the middle of a search begins again with the newest.
_ALL_BUT_THE_NEWEST: Final = timedelta(milliseconds=1)
_KEYS: Final = ("id", "page_id", "content_hash")
_ATTEMPTS: Final = 5
_MAX_TERM_CHARS: Final = 200  # above the longest term in bytes: the index drops longer ones


def maintain(table: Any) -> None:
    """Compact ``table``, drop its old versions, bring its indices up to date and add those it has grown to need."""

    def compact() -> None:
        table.optimize(cleanup_older_than=KEEP_VERSIONS)
        index(table)

    _until_no_conflict(table, compact)


def erase_deleted(table: Any) -> None:
    """Write ``table`` without the rows that were deleted, and drop every older version: its files hold their words.

    Compacting leaves a file as it is as long as few of its rows are deleted, and the full-text index keeps a term that
    no row has any more. So one row is written anew, which gives the file a neighbour to be compacted with, and every
    index is made anew: only rows of the same indices are written together.
    """

    def rewrite() -> None:
        for row in table.search().select(["id"]).limit(1).to_list():
            table.update(where=one_of("id", [row["id"]]), values_sql={"lang": "lang"})
        index(table, anew=True)
        table.optimize(cleanup_older_than=_ALL_BUT_THE_NEWEST)

    _until_no_conflict(table, rewrite)


def index(table: Any, *, anew: bool = False) -> None:
    """Make the indices that are missing for the table's size, or all of them ``anew``."""
    from lancedb.index import FTS, Bitmap, BTree, IvfFlat, IvfRq, LabelList

    known = [] if anew else table.list_indices()
    present = {(column, index.index_type) for index in known for column in index.columns}
    indexed = {column for column, _ in present}
    as_given: Any = dict.fromkeys(("lower_case", "stem", "remove_stop_words", "ascii_folding"), False)
    terms = FTS(base_tokenizer="whitespace", max_token_length=_MAX_TERM_CHARS, **as_given)
    scalar = {**{key: BTree() for key in _KEYS}, "private": Bitmap(), "tags": LabelList()}
    for column, config in {"search_text": terms, **scalar}.items():
        if column not in indexed:
            table.create_index(column, config=config, replace=True)
    wanted = vector_index(table.count_rows())
    if wanted and not any(column == "vector" and _same(kind, wanted) for column, kind in present):
        kind = IvfFlat if wanted == "IVF_FLAT" else IvfRq
        table.create_index("vector", config=kind(distance_type="cosine"), replace=True)


def is_outgrown(table: Any) -> bool:
    """Return whether so many rows are new that the full-text index no longer knows how rare each term is.

    A filtered search takes its statistics from the index and from the new rows inside the filter: with few rows
    indexed, the same passage would score differently in every scope.
    """
    statistics = table.index_stats("search_text_idx")
    return statistics is None or statistics.num_unindexed_rows * 4 > statistics.num_indexed_rows


def vector_index(row_count: int) -> str:
    """Name the vector index for a table of this size: "", "IVF_FLAT" or "IVF_RQ"."""
    if row_count < FLAT_FROM_ROWS:
        return ""
    return "IVF_FLAT" if row_count < RQ_FROM_ROWS else "IVF_RQ"


def is_compressed(table: Any) -> bool:
    """Return whether the distances that the vector index gives are estimates, to be refined with the exact vectors."""
    statistics = table.index_stats("vector_idx")
    return statistics is not None and _same(statistics.index_type, "IVF_RQ")


def _until_no_conflict(table: Any, work: Callable[[], None]) -> None:
    for attempt in range(_ATTEMPTS):
        table.checkout_latest()
        try:
            work()
        except (OSError, RuntimeError) as error:
            if attempt == _ATTEMPTS - 1 or not is_conflict(error):
                raise
            time.sleep(random.uniform(0.05, 0.2) * 2**attempt)  # noqa: S311 - spreads two writers apart
        else:
            return


def _same(reported: str, wanted: str) -> bool:
    return reported.replace("_", "").lower() == wanted.replace("_", "").lower()
