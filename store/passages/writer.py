"""Write passages: whole pages are replaced, and what is stored already is not embedded again. One process may write.

After a change of embedder or format, or damage, the table is built again from the texts that SQL keeps. The new rows
grow in a table of their own, in commits of a batch: a run that stops half-way is taken up where it was. Then the whole
is written over the old table as one version, which readers see in one moment or not at all. Nothing else may write
meanwhile: stop the embed worker first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from domain import Passage
from store.embedders import Embedder, SentenceEmbedder
from store.passages import maintenance, schema
from store.passages.connect import TABLE, connect
from store.passages.errors import PassagesError, explained, is_conflict
from store.passages.schema import one_of, pack
from store.passages.table import Passages
from store.sql.rows import groups

#: Every commit adds a file that each search reads: 1,000 of them took hybrid search from 10 to 273 ms.
COMMITS_BETWEEN_TENDING: Final = 20
_EMBEDDED_AT_ONCE: Final = 64
_STAGED: Final = "passages_next"


@dataclass(frozen=True, kw_only=True)
class WriteResult:
    """The result of a write."""

    passages: int
    embedded: int  #: passages whose text was new; the others kept their vectors


class PassagesWriter(Passages):
    """A handle on the passages table, to read and to write; it makes a missing one."""

    _makes_table: ClassVar = True

    def __init__(self, table: Any, *, uri: str, embedder_id: str, dimension: int, memory_bytes: int = 0) -> None:
        super().__init__(table, uri=uri, embedder_id=embedder_id, dimension=dimension, memory_bytes=memory_bytes)
        self._embedded: dict[str, tuple[NDArray[np.float32], bytes]] = {}
        small_files = int(table.stats()["fragment_stats"]["num_small_fragments"])
        self._untended = min(small_files, COMMITS_BETWEEN_TENDING - 1)

    def write_pages(self, pages: Mapping[int, Sequence[Passage]], embedder: Embedder) -> WriteResult:
        """Replace these pages, embedding only the passages whose text is not stored already.

        What was embedded when something stopped it is kept for the next try: a huge page takes several.
        """
        by_hash = {p.content_hash: schema.embedding_text(p) for passages in pages.values() for p in passages}
        kept = self.vectors_for(by_hash)
        sentences = self._sentences_by("content_hash", kept)
        new = [each for each in by_hash if each not in kept]
        for some in groups([each for each in new if each not in self._embedded], _EMBEDDED_AT_ONCE):
            made = _embed([by_hash[each] for each in some], embedder)
            self._embedded.update(zip(some, made, strict=True))
        vectors = kept | {each: self._embedded[each][0] for each in new}
        self.replace_pages(pages, vectors, sentences | {each: self._embedded[each][1] for each in new})
        self._embedded.clear()
        return WriteResult(passages=sum(map(len, pages.values())), embedded=len(new))

    def replace_pages(
        self,
        pages: Mapping[int, Sequence[Passage]],
        vectors: Mapping[str, NDArray[np.float32]],
        sentences: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        """Make each page's passages exactly those given (none: the page goes), all in one commit.

        ``vectors`` and the packed vectors of ``sentences`` are by content hash. Readers see each page as it was or as
        it is, never half of it.
        """
        passages = [passage for page in pages.values() for passage in page]
        if not passages:
            self.delete_pages(pages)
            return
        with explained(self.uri, "write"):
            table = self._checked_table()
            rows = schema.rows(passages, vectors, sentences, schema.schema(self.embedder_id, self.dimension))
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.when_not_matched_by_source_delete(one_of("page_id", pages)).execute(rows)
            self._committed()

    def delete_pages(self, page_ids: Collection[int]) -> None:
        """Take every passage of these pages away, in one commit."""
        if page_ids:
            with explained(self.uri, "write"):
                self._checked_table().delete(one_of("page_id", page_ids))
                self._committed()

    def maintain(self) -> None:
        """Compact the table and bring its indices up to date; also done by itself, at the latest every 20 commits."""
        with explained(self.uri, "maintain"):
            maintenance.maintain(self._checked_table())
            self._untended = 0

    def erase_deleted(self) -> None:
        """Write the table without the rows that were deleted, and drop every file that holds words of theirs."""
        with explained(self.uri, "erase from"):
            maintenance.erase_deleted(self._checked_table())
            self._untended = 0

    def _committed(self) -> None:
        self._untended += 1
        if self._untended >= COMMITS_BETWEEN_TENDING or maintenance.is_outgrown(self._table()):
            try:
                self.maintain()
            except PassagesError as error:  # what was written is kept; another writer or commit tends the table
                if not is_conflict(error):
                    raise


def _embed(texts: Sequence[str], embedder: Embedder) -> list[tuple[NDArray[np.float32], bytes]]:
    """Return the vector of each text and its sentences', packed; b"" where the embedder does not tell them apart."""
    if isinstance(embedder, SentenceEmbedder):
        vectors, sentences = embedder.embed_passages(texts)
        return list(zip(vectors, map(pack, sentences), strict=True))
    return [(vector, b"") for vector in embedder.embed(texts)]


def reindex(uri: str, batches: Iterable[Mapping[int, Sequence[Passage]]], embedder: Embedder) -> int:
    """Make the table hold exactly the pages of ``batches`` (some hundred passages each), embedded by ``embedder``.

    Returns how many passages it holds. Whatever stops it, the table stays as it was. Raises PassagesError, also when
    another process wrote to the table meanwhile.
    """
    with explained(uri, "build again"):
        database, wanted = connect(uri), schema.schema(embedder.id, embedder.dimension)
        before = _version(database)
        if _STAGED in database and not _same_origin(database, wanted):
            database.drop_table(_STAGED)
        table = database.create_table(_STAGED, schema=wanted, exist_ok=True)
        maintenance.index(table)
        staged = PassagesWriter(table, uri=uri, embedder_id=embedder.id, dimension=embedder.dimension)
        given: set[int] = set()
        for pages in batches:
            staged.write_pages(pages, embedder)
            given.update(pages)
        staged.delete_pages(staged.page_ids() - given)  # what a stopped run staged and SQL no longer has
        if _version(database) != before:
            raise PassagesError(
                f"The passages in {uri} were written to during the rebuild. Stop the workers and run "
                "`wellread reindex` again: finished work is kept."
            )
        return _swap(database, wanted)


def _same_origin(database: Any, wanted: Any) -> bool:
    try:
        return bool(database.open_table(_STAGED).schema.equals(wanted, check_metadata=True))
    except (OSError, RuntimeError, ValueError):  # torn by whatever stopped the last run: begin again
        return False


def _swap(database: Any, wanted: Any) -> int:
    staged = database.open_table(_STAGED)
    if _version(database) is None and TABLE in database:
        database.drop_table(TABLE)  # damaged: there is no version to write over
    rows = staged.search().select(wanted.names).limit(None).to_batches()
    table = database.create_table(TABLE, data=rows, schema=wanted, mode="overwrite")
    maintenance.maintain(table)
    database.drop_table(_STAGED)
    return int(table.count_rows())


def _version(database: Any) -> int | None:
    """Return the table's version; None where there is none that can be read."""
    try:
        return int(database.open_table(TABLE).version)
    except (OSError, RuntimeError, ValueError):
        return None
