"""What a benchmark can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a benchmark can be told; each takes what concerns it."""

    passages: int  #: in the knowledge base
    rounds: int  #: questions asked, texts embedded, tasks sent
    folder: Path  #: where knowledge bases are kept from one run to the next
    models_dir: Path  #: where converted models are kept
    embedder: str
    pages: int = 5_000  #: read, where memory is watched
