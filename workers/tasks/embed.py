"""The queue ``embed``: the only writer of the knowledge base."""

from domain.access import DEFAULT
from workers import deletion
from workers import indexing as embedding
from workers.app import app
from workers.services import collections, completeness, services


# a file of five million characters has ten thousand passages, and a busy core embeds forty a second
@app.task(name="wellread.embed", soft_time_limit=900, time_limit=930)
def embed(page_id: int, collection: str = DEFAULT) -> None:
    """Chunk and embed the pages that were read; nothing else writes passages."""
    embedding.embed(services(collection), page_id)


@app.task(name="wellread.erase", soft_time_limit=900, time_limit=930)
def erase(deleted: str | int, collection: str = DEFAULT) -> None:
    """Erase from the disk what was deleted, a second after it; ``deleted`` is the id of a page or question among it."""
    deletion.erase(services(collection), deleted)


@app.task(name="wellread.compact")
def compact() -> None:
    """Compact the knowledge base's files and update its indices; erase what is left of what was deleted.

    Look then whether pages lack passages.
    """
    collections.erase_deleted(services())
    collections.for_each(services(), lambda each: each.passages_writer.maintain())
    collections.for_each(services(), deletion.erase)
    completeness.look(services())
