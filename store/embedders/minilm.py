"""The bundled English embedder: all-MiniLM-L6-v2 trained on by us, int8; its files are in `text/encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from text.encoder.runtime import DIMENSION, open_encoder

ID: Final = "wellread-en-2-int8"


class MiniLM:
    """The bundled encoder; safe to use from several threads."""

    id = ID
    dimension = DIMENSION

    def __init__(self, *, threads: int = 1) -> None:
        self._encoder = open_encoder(threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 384) unit rows; a text counts up to its 256th token."""
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._encoder.vector(text)
        return vectors

    def embed_passages(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Return what `embed` does, and of each text the unit rows of its sentences below the first line."""
        made = [self._encoder.passage(text) for text in texts]
        vectors = np.array([vector for vector, _ in made], dtype=np.float32).reshape(-1, DIMENSION)
        return vectors, [sentences for _, sentences in made]
