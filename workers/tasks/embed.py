"""The queue ``embed``: the only writer of the knowledge base."""

from __future__ import annotations

from workers.app import app
from workers.indexing import embed as embedding
from workers.services import services


@app.task(name="wellread.embed")
def embed(page_id: int) -> None:
    """Phase 3: index pages that were read."""
    embedding.embed(services(), page_id)


@app.task(name="wellread.compact")
def compact() -> None:
    """Compact the knowledge base's files and update its indices."""
    services().passages_writer.maintain()
