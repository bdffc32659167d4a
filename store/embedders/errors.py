"""Define the errors of opening and using an embedder."""

from __future__ import annotations

from domain.errors import WellreadError


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
