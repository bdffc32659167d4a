"""The English and the multilingual encoder side by side in one vector, for English and for other languages.

The cosine of two such vectors is the weighted mean of both models' cosines. Measured on questions and passages in
English, in German and from one to the other, it finds more than either alone in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from store.embedders.minilm import MiniLM
from store.embedders.multilingual import Multilingual

#: MiniLM's share of the cosine: more is worse in other languages, less is worse in English
_SHARE: Final = 0.4


class Combined:
    """Both bundled models; safe to use from several threads as they are."""

    id = f"{MiniLM.id}*{_SHARE}+{Multilingual.id}"
    dimension = MiniLM.dimension + Multilingual.dimension

    def __init__(self, english: MiniLM, multilingual: Multilingual) -> None:
        self._english = english
        self._multilingual = multilingual

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 896) unit rows."""
        parts = (
            np.float32(_SHARE**0.5) * self._english.embed(texts),
            np.float32((1 - _SHARE) ** 0.5) * self._multilingual.embed(texts),
        )
        return np.concatenate(parts, axis=1)
