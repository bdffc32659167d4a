"""The bundled English embedder: all-MiniLM-L6-v2, int8, through onnxruntime; its files are in `text/encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from text.encoder.runtime import DIMENSION, MINILM, open_session, open_tokenizer, word_vectors

ID: Final = "minilm-l6-v2-int8"
_MAX_TOKENS: Final = 256
#: Far more than 256 tokens of prose; keeps one huge text from being tokenised to its end.
_MAX_CHARS: Final = 20_000


class MiniLM:
    """all-MiniLM-L6-v2; safe to use from several threads."""

    id = ID
    dimension = DIMENSION

    def __init__(self, *, threads: int = 1) -> None:
        self._tokenizer = open_tokenizer(most_tokens=_MAX_TOKENS)
        self._words = word_vectors()
        self._session = open_session(MINILM, threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 384) unit rows; a text counts up to its 256th token."""
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        # One text a run: int8 activations share one scale a run, so in a batch a text's vector would depend on its
        # neighbours (cosine .97 to itself). It is also the fastest on a CPU: a batch falls out of the cache.
        for row, text in enumerate(texts):
            vectors[row] = self._run(self._tokenize(text))
        return vectors

    def _tokenize(self, text: str) -> list[int]:
        # One text at a time: encode_batch would start a thread pool of its own and hang a process forked later.
        whole = text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._tokenizer.encode(whole).ids
        return ids

    def _run(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        words, mask = self._words.of(tokens)[np.newaxis], np.ones((1, len(tokens)), dtype=np.int64)
        [[vector]] = self._session.run(None, {"words": words, "mask": mask})
        result: NDArray[np.float32] = vector
        return result
