"""A copy of the table's public passages in the memory of one process: the nearest by one exact product.

Measured on 10,000 passages: .4 ms where the table's own index takes 8; on 100,000: 5 where it takes 24. A copy answers
only for the version of the table it was made of; while it is made again, and for a search that private pages or a time
of reading bound, the table answers itself. The table also says, once for each, which passages other conditions hold
for. Where the texts have no room, they alone are read from the table.
"""

import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import structlog
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from domain import Hit, Passage
from store.passages.schema import COLUMNS, PUBLIC, both, one_of, passage_of

#: bytes of a passage besides its vector: its text, address, keys and its sentences' vectors, in Arrow and as the values
#: they are read into
_BYTES_BESIDE_VECTOR: Final = 5_000
#: bytes besides its vector of a passage whose long columns stay in the table
_BYTES_WITHOUT_LONG: Final = 600
_LONG: Final = ("text", "blocks", "lead")
#: passages that are kept after they were read for a hit
_MOST_READ: Final = 5_000
#: conditions whose passages are kept: 8 bytes each
_MOST_CONDITIONS: Final = 16
#: of fewer passages than one in so many the rows are taken out of the matrix
_FEW: Final = 8
#: longer than two changes of a folder have the same time
_ONE_TICK_NS: Final = 50_000_000
#: share of the time that may go into making copies of a table that keeps changing
_SHARE_OF_TIME: Final = 0.05

_log = structlog.get_logger(__name__)


class Copy:
    """One version of the table, in memory: its vectors and short columns, and all of them where they have room."""

    def __init__(self, rows: pa.Table, matrix: NDArray[np.float32], version: int, table: Any) -> None:
        """Take the rows without their vectors, and the vectors; what the rows lack is read from the table."""
        self.version = version
        self._rows = rows
        self._table = table
        self._is_whole = "text" in rows.column_names
        self._matrix = matrix
        self._ids: list[str] = rows["id"].to_pylist()
        self._place = {id: place for place, id in enumerate(self._ids)}
        self._place_of_row = {row_id: place for place, row_id in enumerate(rows["_rowid"].to_pylist())}
        self._page_ids = rows["page_id"].to_numpy()
        self._row_ids = rows["_rowid"].to_numpy()
        self._read: dict[int, Passage] = {}
        self._within: dict[str, NDArray[np.int64]] = {}

    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, within: str = PUBLIC) -> list[list[Hit]]:
        """Return for each row of ``vectors`` (n, dimension) its ``k`` nearest passages ``within`` a condition."""
        places, queries = self._places_within(within), _unit(vectors).T
        if places is None:  # with the queries first, several would take half as long again
            places, similar = np.arange(len(self._ids)), self._matrix @ queries
        elif len(places) * _FEW < len(self._ids):
            similar = self._matrix[places] @ queries
        else:  # one product of all takes less time than copying so many rows
            similar = (self._matrix @ queries)[places]
        best = [_best(similarities, places, self._ids, k) for similarities in similar.T]
        passages = self._passages({place for found in best for _, place in found})
        return [_hits(found, passages) for found in best]

    def among(
        self,
        vectors: NDArray[np.float32],
        *,
        page_ids: Collection[int],
        ids: Collection[str],
        k: int,
        within: str = PUBLIC,
    ) -> list[Hit]:
        """Return of the passages on these pages, or with these ids, the ``k`` nearest to the first row."""
        wanted = np.isin(self._page_ids, list(page_ids))
        wanted[self._places(ids)] = True
        inside = self._places_within(within)
        places = np.flatnonzero(wanted) if inside is None else inside[wanted[inside]]
        best = _best(self._matrix[places] @ _unit(vectors)[0], places, self._ids, k)
        return _hits(best, self._passages({place for _, place in best}))

    def similarities(self, vectors: NDArray[np.float32], ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the similarity of each named passage to each row of ``vectors``: {id: (n,)}."""
        known = [id for id in ids if id in self._place]
        found = np.clip(self._matrix[self._places(known)] @ _unit(vectors).T, -1.0, 1.0)
        return dict(zip(known, found, strict=True))

    def sentences(self, ids: Collection[str]) -> dict[str, bytes]:
        """Return the packed vectors of the named passages' sentences; b"" where there are none."""
        rows = self._rows.take(pa.array(self._places(ids), pa.int64()))
        found = rows.select(["id", "sentences"]).to_pylist() if self._is_whole else self._taken(rows, ["sentences"])
        return {row["id"]: row["sentences"] or b"" for row in found}

    def passages(self, row_ids: Sequence[int]) -> dict[int, Passage]:
        """Return the passages of these rows of the table, by their row ids; without rows of a later version."""
        places = {row_id: self._place_of_row[row_id] for row_id in row_ids if row_id in self._place_of_row}
        found = self._passages(places.values())
        return {row_id: found[place] for row_id, place in places.items() if place in found}

    def _places_within(self, condition: str) -> NDArray[np.int64] | None:
        """Return where the passages are that a condition of the table holds for; None: it is that they are public."""
        if condition == PUBLIC:
            return None
        places = self._within.pop(condition, None)
        if places is None:
            found = self._table.search().where(both(PUBLIC, condition)).select([]).with_row_id(True).limit(None)
            places = np.flatnonzero(np.isin(self._row_ids, found.to_arrow()["_rowid"].to_numpy()))
        self._within[condition] = places  # the last one used goes last
        while len(self._within) > _MOST_CONDITIONS:
            self._within.pop(next(iter(self._within)), None)
        return places

    def _places(self, ids: Iterable[str]) -> list[int]:
        return [self._place[id] for id in ids if id in self._place]

    def _passages(self, places: Iterable[int]) -> dict[int, Passage]:
        """Return at least the passages in these places; without those that the table no longer has."""
        known = self._read
        missing = [place for place in places if place not in known]
        new = self._read_rows(missing) if missing else {}
        every = known | new
        self._read = every if len(every) <= _MOST_READ else new
        return every

    def _read_rows(self, places: Sequence[int]) -> dict[int, Passage]:
        at = pa.array(places, pa.int64())
        if self._is_whole:
            rows = self._rows.select(list(COLUMNS)).take(at).to_pylist()
            return {place: passage_of(row) for place, row in zip(places, rows, strict=True)}
        short = self._rows.take(at)
        long = {row["id"]: row for row in self._taken(short, _LONG)}
        both = zip(places, short.to_pylist(), strict=True)
        return {place: passage_of(row | long[row["id"]]) for place, row in both if row["id"] in long}

    def _taken(self, rows: pa.Table, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Read columns of these rows from the table; rows that it no longer has are left out."""
        columns, wanted = ["id", *columns], rows["id"].to_pylist()
        row_ids: list[int] = rows["_rowid"].to_pylist()
        taken: list[dict[str, Any]] = self._table.take_row_ids(row_ids).select(columns).to_arrow().to_pylist()
        if len(taken) < len(wanted):  # compacted a moment ago, which changes the row ids
            moved = set(wanted) - {row["id"] for row in taken}
            query = self._table.search().where(one_of("id", moved)).select(columns).limit(None)
            taken += query.to_arrow().to_pylist()
        return taken


class CachedCopy:
    """Keeps a copy of a table that is no larger than ``most_bytes``, made anew in a thread of its own."""

    def __init__(self, table: Any, most_bytes: int, versions: Path) -> None:
        """Keep what is in ``table``; each commit adds a file to the folder ``versions``, where there is one."""
        self._table = table
        self._most_bytes = most_bytes
        self._versions = versions
        self._seen = -1, 0  #: when that folder changed, in ns, and the version that was asked for after it
        self._copy: Copy | None = None
        self._next_at = 0.0
        self._making = threading.Lock()

    def current(self) -> Copy | None:
        """Return the copy if it is the table as it is now; else None, and one is being made."""
        if not self._most_bytes:
            return None
        copy = self._copy
        if copy is not None and copy.version == self._version():
            return copy
        if time.monotonic() >= self._next_at and self._making.acquire(blocking=False):
            threading.Thread(target=self._make, name="passages-copy", daemon=True).start()
        return None

    def _version(self) -> int:
        """Return the table's version; LanceDB is asked after a commit only: it takes a hundred times as long."""
        try:
            changed_ns = self._versions.stat().st_mtime_ns
        except OSError:  # it is no folder of this machine
            return int(self._table.version)
        seen_ns, version = self._seen
        if changed_ns != seen_ns:
            version = int(self._table.version)
            if time.time_ns() - changed_ns > _ONE_TICK_NS:  # another commit can no longer have the same time
                self._seen = changed_ns, version
        return version

    def _make(self) -> None:
        started = time.monotonic()
        try:
            # One product takes .4 ms on one thread. On more, the others wait in a loop afterwards: 40 ms of a core.
            threadpool_limits(1, user_api="blas")
            self._copy = _copied(self._table, self._most_bytes)
        except Exception as error:  # the table answers without a copy
            _log.warning("passages_not_copied", error=str(error))
        finally:
            self._next_at = time.monotonic() + (time.monotonic() - started) / _SHARE_OF_TIME
            self._making.release()


def _copied(table: Any, most_bytes: int) -> Copy | None:
    """Read the table, or its vectors alone; None when these are too large to be kept, too."""
    version, count = table.version, table.count_rows(PUBLIC)
    dimension = table.schema.field("vector").type.list_size
    is_whole = count * (4 * dimension + _BYTES_BESIDE_VECTOR) <= most_bytes
    if not is_whole and count * (4 * dimension + _BYTES_WITHOUT_LONG) > most_bytes:
        return None
    columns = [*COLUMNS, "sentences"] if is_whole else [name for name in COLUMNS if name not in _LONG]
    stored = table.search().where(PUBLIC).select([*columns, "vector"]).with_row_id(True)
    batches, columns = stored.limit(None).to_batches(), [*columns, "_rowid"]
    matrix, rows, at = np.empty((count, dimension), dtype=np.float32), [], 0
    for batch in batches:  # one by one: all vectors are never there twice
        vectors = batch["vector"].flatten().to_numpy().reshape(batch.num_rows, dimension)
        if at + len(vectors) > count:
            return None  # another version by now
        matrix[at : at + len(vectors)] = _unit(vectors)
        rows.append(batch.select(columns))
        at += len(vectors)
    if at < count or table.version != version:
        return None
    schema = pa.schema([batches.schema.field(name) for name in columns])
    return Copy(pa.Table.from_batches(rows, schema).combine_chunks(), matrix, version, table)


def _best(
    similarities: NDArray[np.float32], places: NDArray[np.int64], ids: Sequence[str], k: int
) -> list[tuple[float, int]]:
    """Return the k most similar of ``places`` with their similarities; of equal ones, those whose id comes first."""
    if not len(places) or k < 1:
        return []
    least = np.partition(similarities, -k)[-k] if k < len(places) else -np.inf
    best = [(float(similarities[at]), int(places[at])) for at in np.flatnonzero(similarities >= least)]
    return sorted(best, key=lambda each: (-each[0], ids[each[1]]))[:k]


def most_similar(scored: Iterable[tuple[Passage, float]]) -> list[Hit]:
    """Return passages with their similarities as hits, best first; of equal ones, those whose id comes first."""
    ordered = sorted(scored, key=lambda each: (-each[1], each[0].id))
    clipped = [(passage, min(1.0, max(-1.0, similarity))) for passage, similarity in ordered]
    return [
        Hit(passage=passage, score=score, scale="similarity", rank=rank, similarity=score)
        for rank, (passage, score) in enumerate(clipped, start=1)
    ]


def _hits(best: Sequence[tuple[float, int]], passages: Mapping[int, Passage]) -> list[Hit]:
    return most_similar((passages[place], similarity) for similarity, place in best if place in passages)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = rows / np.maximum(length, np.float32(1e-30))
    return unit
