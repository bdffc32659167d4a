"""Put a text into English word by word, so that the reader, which knows English alone, can read it.

"Alte Dateien werden nach dreißig Tagen gelöscht" becomes "old files become after thirty days deleted". That is no
translation, and seldom as good, but the sentence that answers is found more often in it than by the vectors of
sentences. The small words come from a table; every other word becomes the English one whose vector is nearest to its
own in the multilingual embedder's space, and stays as it is where none is near.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain import AnswerSpan, Reading
from pipeline.retrieval.retrieve import MultilingualEmbed

FOLDER: Final = Path(__file__).parent / "words"
SMALL_WORDS, WORDS, VECTORS = "small_words.json", "english.txt", "english.npy"
#: languages with a table of small words
GLOSSED: Final = frozenset({"de", "es", "fr", "it", "nl", "pt"})
#: the least cosine of a word and the English one that stands for it; a name has none so near
_MEANS: Final = 0.35
#: words whose glosses are remembered
_REMEMBERED: Final = 50_000
_AT_A_TIME: Final = 256
_WORD: Final = re.compile(r"[^\W\d_]+")

Span = tuple[int, int]


@dataclass(frozen=True)
class Gloss:
    """A text in English words, and where its words stand in both."""

    text: str
    original: tuple[Span, ...]  #: character spans of the words in the original, in order
    glossed: tuple[Span, ...]  #: and in the gloss

    def place(self, span: Span) -> Span:
        """Return where the words stand in the gloss that are at least partly in a span of the original."""
        first = bisect_right(self.original, span[0], key=lambda word: word[1])
        last = bisect_left(self.original, span[1], key=lambda word: word[0])
        return (self.glossed[first][0], self.glossed[last - 1][1]) if first < last else (0, 0)


@dataclass(frozen=True, eq=False)
class GlossedReading:
    """What was read in a passage's gloss, by places in the passage itself."""

    read: Reading
    gloss: Gloss

    @property
    def similarity(self) -> float:
        """The cosine of the question's gloss and the passage's."""
        return self.read.similarity

    @property
    def answers(self) -> float:
        """The logit that the passage answers the question."""
        return self.read.answers

    def evidence(self, spans: Sequence[Span]) -> list[float]:
        """Return for each character span of the passage the mean logit that its words are of what answers."""
        return self.read.evidence([self.gloss.place(span) for span in spans])

    def sentence_scores(self, spans: Sequence[Span]) -> list[float]:
        """Return for each character span the cosine of the question and the span in its context."""
        return self.read.sentence_scores([self.gloss.place(span) for span in spans])

    def short_answer(self) -> AnswerSpan | None:
        """Return None: which few words answer is not read off a gloss."""
        return None


class Glosser:
    """Glosses texts; safe to use from several threads."""

    def __init__(self, embedder: MultilingualEmbed) -> None:
        self._embedder = embedder
        self._known: dict[str, str] = {}

    def gloss(self, texts: Sequence[tuple[str, str]]) -> list[Gloss]:
        """Return the glosses of ``texts``, each with its language; one in a language without a table stays as it is."""
        self._learn(texts)
        return [self._gloss(text, lang) for text, lang in texts]

    def _learn(self, texts: Sequence[tuple[str, str]]) -> None:
        """Find the English words for those of the texts that are not known yet, all at once."""
        new = {
            word
            for text, lang in texts
            if lang in GLOSSED
            for word in map(str.lower, _WORD.findall(text))
            if word not in self._known and word not in _small_words()[lang]
        }
        if not new:
            return
        words, vectors = _english()
        found = {}
        for some in _batches(sorted(new)):
            cosines = self._embedder.embed_in_any_language(some) @ vectors.T
            for word, row in zip(some, cosines, strict=True):
                at = int(row.argmax())
                found[word] = words[at] if row[at] >= _MEANS else word
        self._known = {**(self._known if len(self._known) < _REMEMBERED else {}), **found}

    def _gloss(self, text: str, lang: str) -> Gloss:
        known: Mapping[str, str] = self._known
        small = _small_words().get(lang)
        parts: list[str] = []
        original: list[Span] = []
        glossed: list[Span] = []
        end = length = 0
        for match in _WORD.finditer(text):
            word = match.group()
            lower = word.lower()
            english = word if small is None else small.get(lower) or known.get(lower, word)
            between = text[end : match.start()]
            start = length + len(between)
            parts += (between, english)
            end, length = match.end(), start + len(english)
            original.append(match.span())
            glossed.append((start, length))
        return Gloss("".join([*parts, text[end:]]), tuple(original), tuple(glossed))


def _batches(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield a few hundred words at a time: each has a row of cosines with every English word."""
    for first in range(0, len(words), _AT_A_TIME):
        yield words[first : first + _AT_A_TIME]


@cache
def _small_words() -> Mapping[str, Mapping[str, str]]:
    table: dict[str, dict[str, str]] = json.loads((FOLDER / SMALL_WORDS).read_text("utf-8"))
    return table


@cache
def _english() -> tuple[list[str], NDArray[np.float32]]:
    """Return the English words and their unit rows."""
    vectors = np.load(FOLDER / VECTORS).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return (FOLDER / WORDS).read_text("utf-8").split(), vectors
