"""Build the passages table again from the texts that SQL keeps: after a change of embedder or format, or damage.

The new rows grow in a table of their own, in commits of a batch: a run that stops half-way is taken up where it was.
Then the whole is written over the old table as one version, which readers see in one moment or not at all.
Nothing else may write meanwhile: stop the embed worker first.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from domain import Passage
from store.embedders import Embedder
from store.passages import maintenance, schema
from store.passages.connect import connect
from store.passages.errors import PassagesError, explained
from store.passages.writer import PassagesWriter

_STAGED: Final = "passages_next"


def reindex(
    uri: str,
    batches: Iterable[Mapping[int, Sequence[Passage]]],
    embedder: Embedder,
    *,
    storage_options: Mapping[str, str] | None = None,
) -> int:
    """Make the table hold exactly the pages of ``batches`` (some hundred passages each), embedded by ``embedder``.

    Returns how many passages it holds. Whatever stops it, the table stays as it was. Raises PassagesError, also when
    another process wrote to the table meanwhile.
    """
    with explained(uri, "build again"):
        database = connect(uri, storage_options)
        before = _version(database)
        staged = _open_staged(database, uri, embedder)
        _fill(staged, batches, embedder)
        if _version(database) != before:
            raise PassagesError(
                f"The passages in {uri} were written to during the rebuild. Stop the workers and run "
                "`wellread reindex` again: finished work is kept."
            )
        return _swap(database, embedder)


def _open_staged(database: Any, uri: str, embedder: Embedder) -> PassagesWriter:
    wanted = schema.schema(embedder.id, embedder.dimension)
    if _STAGED in database and not _same_origin(database, wanted):
        database.drop_table(_STAGED)
    table = database.create_table(_STAGED, schema=wanted, exist_ok=True)
    maintenance.index(table)
    return PassagesWriter(table, uri=uri, embedder_id=embedder.id, dimension=embedder.dimension)


def _same_origin(database: Any, wanted: Any) -> bool:
    try:
        return bool(database.open_table(_STAGED).schema.equals(wanted, check_metadata=True))
    except (OSError, RuntimeError, ValueError):  # torn by whatever stopped the last run: begin again
        return False


def _fill(staged: PassagesWriter, batches: Iterable[Mapping[int, Sequence[Passage]]], embedder: Embedder) -> None:
    given: set[int] = set()
    for pages in batches:
        staged.write_pages(pages, embedder)
        given.update(pages)
    # What an earlier, stopped run staged and SQL no longer has.
    staged.delete_pages(staged.page_ids() - given)


def _swap(database: Any, embedder: Embedder) -> int:
    wanted = schema.schema(embedder.id, embedder.dimension)
    staged = database.open_table(_STAGED)
    if _version(database) is None and schema.TABLE in database:
        database.drop_table(schema.TABLE)  # damaged: there is no version to write over
    rows = staged.search().select(wanted.names).limit(None).to_batches()
    table = database.create_table(schema.TABLE, data=rows, schema=wanted, mode="overwrite")
    maintenance.maintain(table)
    database.drop_table(_STAGED)
    return int(table.count_rows())


def _version(database: Any) -> int | None:
    """Return the table's version; None where there is none that can be read."""
    try:
        return int(database.open_table(schema.TABLE).version)
    except (OSError, RuntimeError, ValueError):
        return None
