"""Text to vectors: the protocol, and `open_embedder`, which finds the one that a setting names.

Importing this package is cheap: a model's libraries are imported when that embedder is opened.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from domain.errors import WellreadError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


OPENAI_URL: Final = "https://api.openai.com/v1"
#: the questions that this process answers now: meanwhile one thread embeds passages
answering: Final[set[str]] = set()


class EmbedderError(WellreadError):
    """An embedder cannot be opened or used."""


class UnknownEmbedder(EmbedderError):
    """No embedder has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no embedder {name!r}. Set the embedder to auto, minilm, multilingual, minilm+multilingual, "
            "fastembed:MODEL or openai:MODEL."
        )


class EmbedderNotInstalled(EmbedderError):
    """The embedder's code or weights are not installed."""

    def __init__(self, name: str, install: str) -> None:
        super().__init__(f"The embedder {name!r} is not installed. Install it with: {install}")


class ModelUnusable(EmbedderError):
    """The embedder's model cannot be read."""


class EmbeddingRefused(EmbedderError):
    """The embedding service will not serve this request however often it is repeated (key, model name, input)."""


class EmbeddingFailed(EmbedderError):
    """The embedding service could not be reached or kept failing; the same texts can be tried again later."""


class DimensionChanged(EmbedderError):
    """Vectors came with another length than before."""

    def __init__(self, embedder_id: str, expected: int, got: int) -> None:
        super().__init__(
            f"{embedder_id} answered with vectors of {got} numbers where {expected} were expected: the model behind "
            "that name has changed. Set the embedder to the former model, or run `wellread reindex`."
        )


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length."""

    @property
    def id(self) -> str:
        """Name the vector space: vectors of two embedders with the same id can be compared."""

    @property
    def dimension(self) -> int:
        """The length of each vector."""

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return the vectors of ``texts``, one unit row each: shape (len(texts), dimension)."""


@runtime_checkable
class SentenceEmbedder(Protocol):
    """An embedder that tells a passage's sentences apart too."""

    def embed_passages(self, texts: Sequence[str]) -> "tuple[NDArray[np.float32], list[NDArray[np.float32]]]":
        """Return the texts' vectors as `Embedder.embed` does, and of each text the unit rows of its sentences.

        The first line of a text is its title, which is no sentence. The rows are in the space of the first numbers of
        a vector (:mod:`store.passages.schema`).
        """


def open_embedder(
    name: str,
    *,
    models_dir: "Path | None" = None,
    threads: int = 1,
    base_url: str = "",
    api_key: str = "",
    offline: bool = False,
) -> Embedder:
    """Open the embedder called ``name``.

    Names: "minilm" (English, bundled), "multilingual" (16 languages, bundled), "minilm+multilingual" (both in one
    vector), "auto" (the same), "fastembed:MODEL", "openai:MODEL" (any OpenAI-compatible service at ``base_url``).
    ``models_dir`` keeps what fastembed downloads, which it does not if ``offline``.

    Raises EmbedderError with what to do.
    """
    kind, _, model = name.partition(":")
    if kind in ("minilm", "multilingual", "auto", "minilm+multilingual"):
        from store.embedders.bundled import Combined, MiniLM, Multilingual

        if kind == "minilm":
            return MiniLM(threads=threads)
        multilingual = Multilingual(threads=threads)
        return multilingual if kind == "multilingual" else Combined(MiniLM(threads=threads), multilingual)
    if kind == "fastembed" and model:
        from store.embedders.fastembed import FastEmbed

        return FastEmbed(model, models_dir=models_dir, threads=threads, offline=offline)
    if kind == "openai" and model:
        from store.embedders.remote import RemoteEmbedder

        return RemoteEmbedder(model, base_url=base_url or OPENAI_URL, api_key=api_key)
    raise UnknownEmbedder(name)
