"""Put a text into English word by word, so that what knows English alone can search and read it.

"Alte Dateien werden nach dreißig Tagen gelöscht" becomes "Old files become after thirty days deleted". That is no
translation, and seldom as good, but more is found by it than by the vectors of a model for many languages.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from text.gloss.lexicon import LANGUAGES, english, small_words
from text.language import detect_language
from text.stopwords import STOP_WORDS

_WORD: Final = re.compile(r"[^\W\d_]+")

Span = tuple[int, int]
#: the share of small words that a text has at least, where it is of sentences
_SMALL: Final = 0.1


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

    def back(self, span: Span) -> Span:
        """Return the characters of the original that a span of the gloss stands for; its words are whole."""
        first = bisect_right(self.glossed, span[0], key=lambda word: word[0]) - 1
        last = bisect_left(self.glossed, span[1], key=lambda word: word[0]) - 1
        starts_in_word = first >= 0 and span[0] < self.glossed[first][1]
        return (
            self.original[first][0] if starts_in_word else self._behind(first, span[0]),
            max(self.original[last][1], self._behind(last, span[1])) if last >= 0 else span[1],
        )

    def _behind(self, word: int, at: int) -> int:
        """Return where a place of the gloss behind a word, which is the same in both, stands in the original."""
        return at if word < 0 else self.original[word][1] + at - self.glossed[word][1]


def gloss(text: str, lang: str) -> Gloss:
    """Return the gloss of a text; in a language without a lexicon its words stay as they are.

    What begins with a capital letter does so in the gloss: sentences are told apart by it.
    """
    parts: list[str] = []
    original: list[Span] = []
    glossed: list[Span] = []
    end = length = 0
    for match in _WORD.finditer(text):
        word = match.group()
        there = (english(word.lower(), lang) if lang in LANGUAGES else None) or word
        if word[0].isupper():
            there = there[0].upper() + there[1:]
        between = text[end : match.start()]
        start = length + len(between)
        parts += (between, there)
        end, length = match.end(), start + len(there)
        original.append(match.span())
        glossed.append((start, length))
    return Gloss("".join([*parts, text[end:]]), tuple(original), tuple(glossed))


def glossed_from(text: str) -> str | None:
    """Return the language of a text where it is one with a lexicon; None where it may as well be English."""
    words = [word.lower() for word in _WORD.findall(text)]
    seen = {lang: sum(word in small_words(lang) for word in words) for lang in LANGUAGES}
    most = max(seen.values())
    if most and (most <= sum(word in STOP_WORDS for word in words) or most < _SMALL * len(words)):
        return None
    likely = [lang for lang in LANGUAGES if seen[lang] == most]
    lang = likely[0] if len(likely) == 1 else detect_language(text)
    if lang not in likely:
        return None
    return lang if most or _is_known(words, lang) else None


def _is_known(words: list[str], lang: str) -> bool:
    """Return whether most of some words have another form in English."""
    return 2 * sum((english(word, lang) or word) != word for word in words) > len(words)
