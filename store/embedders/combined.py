"""The English and the multilingual encoder side by side in one vector, for English and for other languages.

The cosine of two such vectors is the weighted mean of both models' cosines. Measured on questions and passages in
English, in German and from one to the other, it finds more than either alone in each. The English encoder is given
other languages in a gloss (:mod:`text.gloss`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from store.embedders.minilm import MiniLM
from store.embedders.multilingual import Multilingual
from text.gloss.gloss import gloss, glossed_from

#: MiniLM's share of the cosine: more is worse in other languages, less is worse in English
_SHARE: Final = 0.4


class Combined:
    """Both bundled models; safe to use from several threads as they are."""

    id = f"{MiniLM.id}*{_SHARE}+{Multilingual.id}+gloss-1"
    dimension = MiniLM.dimension + Multilingual.dimension

    def __init__(self, english: MiniLM, multilingual: Multilingual) -> None:
        self._english = english
        self._multilingual = multilingual

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 896) unit rows."""
        return self._joined(self._english.embed(_in_english(texts)), texts)

    def embed_passages(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Return what `embed` does, and of each text the English model's unit rows of its sentences."""
        english, sentences = self._english.embed_passages(_in_english(texts))
        return self._joined(english, texts), sentences

    def embed_in_any_language(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the multilingual model's unit rows alone: (len(texts), 512)."""
        return self._multilingual.embed_in_any_language(texts)

    def _joined(self, english: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
        other = self._multilingual.embed(texts)
        return np.concatenate((np.float32(_SHARE**0.5) * english, np.float32((1 - _SHARE) ** 0.5) * other), axis=1)


def _in_english(texts: Sequence[str]) -> list[str]:
    langs = [glossed_from(text) for text in texts]
    return [gloss(text, lang).text if lang else text for text, lang in zip(texts, langs, strict=True)]
