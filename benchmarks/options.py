"""The options of a run; each benchmark reads those it needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Options:
    """The sizes and folders of a run."""

    passages: int  #: in the knowledge base
    rounds: int  #: questions asked, texts embedded, tasks sent
    folder: Path  #: of knowledge bases, used again by the next run
    models_dir: Path  #: of converted models
    embedder: str
    pages: int = 5_000  #: read to watch memory
