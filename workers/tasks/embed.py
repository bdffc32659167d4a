"""The queue ``embed``: the only writer of the knowledge base."""

from __future__ import annotations

from domain.access.collection import DEFAULT, UnknownCollection
from workers.app import app
from workers.indexing import embed as embedding
from workers.services import collections, services


@app.task(name="wellread.embed", throws=(UnknownCollection,))
def embed(page_id: int, collection: str = DEFAULT) -> None:
    """Phase 3: index pages that were read."""
    embedding.embed(services(collection), page_id)


@app.task(name="wellread.compact")
def compact() -> None:
    """Compact the knowledge base's files and update its indices; erase what was written into deleted collections."""
    collections.erase_deleted(services())
    collections.for_each(services(), lambda each: each.passages_writer.maintain())
