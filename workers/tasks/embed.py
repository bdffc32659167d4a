"""The queue ``embed``: the only writer of the knowledge base."""

from __future__ import annotations

from workers.app import app
from workers.indexing import embed as embedding
from workers.services import services


@app.task(name="wellread.embed")
def embed(page_id: int) -> None:
    """Phase 3: put pages that were read into the knowledge base."""
    embedding.embed(services(), page_id)


@app.task(name="wellread.compact")
def compact() -> None:
    """Look after the knowledge base's files and indices."""
    services().passages_writer.maintain()
