"""An embedder that costs almost nothing: the sum of random word vectors, so that texts with shared words are near."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from store.embedders import bundled
from text.encoder.runtime import DIMENSION
from text.terms import analyse, stop_words

#: an embedding's spread falls along its axes, about as fast as MiniLM's own
_FALL = 0.35


class WordVectors:
    """Replaces MiniLM, under its id and dimension, where a knowledge base is made only to be searched."""

    id = bundled.ID
    dimension = DIMENSION

    def __init__(self) -> None:
        self._scale = (np.arange(1, self.dimension + 1) ** -_FALL).astype(np.float32)
        self._places: dict[str, int] = {}
        self._rows = np.empty((1024, self.dimension), dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, one unit row each: shape (len(texts), dimension)."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            places = [self._place(term) for term in set(analyse(text, "en")) - stop_words("en")]
            row[:] = self._rows[places].sum(axis=0) if places else self._scale
            row /= np.linalg.norm(row)
        return rows

    def _place(self, term: str) -> int:
        place = self._places.get(term)
        if place is None:
            place = self._places[term] = len(self._places)
            if place == len(self._rows):
                self._rows = np.resize(self._rows, (2 * place, self.dimension))
            random = np.random.default_rng(zlib.crc32(term.encode()))
            self._rows[place] = self._scale * random.standard_normal(self.dimension, dtype=np.float32)
        return place
