"""Text to vectors: the protocol, and `open_embedder`, which finds the one that a setting names.

Importing this package is cheap: a model's libraries are imported when that embedder is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from store.embedders.errors import (
    DimensionChanged,
    EmbedderError,
    EmbedderNotInstalled,
    EmbeddingFailed,
    EmbeddingRefused,
    ModelUnusable,
    UnknownEmbedder,
)

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DimensionChanged",
    "Embedder",
    "EmbedderError",
    "EmbedderNotInstalled",
    "EmbeddingFailed",
    "EmbeddingRefused",
    "ModelUnusable",
    "SentenceEmbedder",
    "UnknownEmbedder",
    "open_embedder",
]


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length."""

    @property
    def id(self) -> str:
        """Name the vector space: vectors of two embedders with the same id can be compared."""

    @property
    def dimension(self) -> int:
        """The length of each vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, one unit row each: shape (len(texts), dimension)."""


@runtime_checkable
class SentenceEmbedder(Protocol):
    """An embedder that tells a passage's sentences apart too."""

    def embed_passages(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Return the texts' vectors as `Embedder.embed` does, and of each text the unit rows of its sentences.

        The first line of a text is its title, which is no sentence. The rows are in the space of the first numbers of
        a vector (:mod:`store.passages.sentences`).
        """


def open_embedder(
    name: str, *, models_dir: Path | None = None, threads: int = 1, base_url: str = "", api_key: str = ""
) -> Embedder:
    """Open the embedder called ``name``.

    Names: "minilm" (English, bundled), "multilingual" (16 languages, bundled), "minilm+multilingual" (both in one
    vector), "auto" (the same), "fastembed:MODEL", "openai:MODEL" (any OpenAI-compatible service at ``base_url``).
    ``models_dir`` keeps what fastembed downloads.

    Raises EmbedderError with what to do.
    """
    kind, _, model = name.partition(":")
    if kind == "minilm":
        from store.embedders.minilm import MiniLM

        return MiniLM(threads=threads)
    if kind == "multilingual":
        from store.embedders.multilingual import Multilingual

        return Multilingual(threads=threads)
    if kind in ("auto", "minilm+multilingual"):
        from store.embedders.combined import Combined
        from store.embedders.minilm import MiniLM
        from store.embedders.multilingual import Multilingual

        return Combined(MiniLM(threads=threads), Multilingual(threads=threads))
    if kind == "fastembed" and model:
        from store.embedders.fastembed import FastEmbed

        return FastEmbed(model, models_dir=models_dir, threads=threads)
    if kind == "openai" and model:
        from store.embedders.remote import DEFAULT_BASE_URL, RemoteEmbedder

        return RemoteEmbedder(model, base_url=base_url or DEFAULT_BASE_URL, api_key=api_key)
    raise UnknownEmbedder(name)
