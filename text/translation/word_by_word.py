"""Translate a text into English word by word, so that what knows English alone can search and read it.

"Alte Dateien werden nach dreißig Tagen gelöscht" becomes "Old files become after thirty days deleted". That is seldom
as good as a translation of whole sentences, but more is found by it than by the vectors of a model for many languages.
Small words are in a table, others in lexicons that were counted from texts in both languages (README.md), so these know
inflected words and compounds: "Festplatten" is "hard disks". What is in none is looked for as another form of a word
that is, then in German and Dutch as two words; a name is found nowhere and stays as it is.
"""

import json
import lzma
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from text.language import detect_language
from text.related_words import shared_start
from text.terms import STOP_WORDS

FOLDER: Final = Path(__file__).parent
SMALL_WORDS: Final = FOLDER / "small_words.json"
#: languages with a lexicon and a table of small words
LANGUAGES: Final = frozenset({"de", "es", "fr", "it", "nl", "pt"})
#: languages that write compounds as one word, and what they put between the parts
_COMPOUNDING: Final = frozenset({"de", "nl"})
_LINKS: Final = ("", "s", "n", "es", "en", "er", "e")
#: letters of a part of a compound at least; and that two forms of a word share and may differ by
_PART: Final = 4
_SHARED, _ENDING = 5, 2
#: words whose English is remembered
_REMEMBERED: Final = 50_000
_WORD: Final = re.compile(r"[^\W\d_]+")
Offsets = tuple[int, int]
#: the share of small words that a text has at least, where it is of sentences
_SMALL: Final = 0.1


def file_of(lang: str) -> Path:
    """Return the file of a language's lexicon: sorted lines of a word, a tab and its English, compressed with xz."""
    return FOLDER / f"{lang}.txt.xz"


@lru_cache(maxsize=_REMEMBERED)
def english(word: str, lang: str) -> str | None:
    """Return the English word or words for one in lower case; None: it is not known."""
    if word in (small := small_words(lang)):
        return small[word]
    return _entry(lang, word) or _other_form(lang, word) or (_parts(lang, word) if lang in _COMPOUNDING else None)


def _entry(lang: str, word: str) -> str | None:
    lines = _lines(lang)
    at = bisect_left(lines, word + "\t")
    found, _, meaning = lines[at].partition("\t") if at < len(lines) else ("", "", "")
    return meaning if found == word else None


def _other_form(lang: str, word: str) -> str | None:
    """Return the English of the word that is most like this one: sorted, it is next to where this one would be."""
    lines = _lines(lang)
    at = bisect_left(lines, word + "\t")
    best, meaning = _SHARED - 1, None
    for near in range(max(0, at - 1), min(at + 1, len(lines))):
        found, _, there = lines[near].partition("\t")
        shared = shared_start(word, found)
        if shared > best and max(len(word), len(found)) - shared <= _ENDING:
            best, meaning = shared, there
    return meaning


def _parts(lang: str, word: str) -> str | None:
    """Return the English of a compound's two parts, split where the shorter one is longest."""
    splits = sorted(range(_PART, len(word) - _PART + 1), key=lambda at: -min(at, len(word) - at))
    for at in splits:
        head, tail = word[:at], _entry(lang, word[at:])
        for link in _LINKS if tail else ():  # what may link the first part to the next
            whole = head.removesuffix(link)
            if head.endswith(link) and len(whole) >= _PART and (first := _entry(lang, whole)):
                return f"{first} {tail}"
    return None


class _Lines:
    """The lines of a lexicon in one piece of memory: as texts of their own they would take five times as much."""

    def __init__(self, lexicon: bytes) -> None:
        self._lexicon = lexicon
        self._ends = array("I", (newline.start() for newline in re.finditer(rb"\n", lexicon)))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: int) -> str:
        return self._lexicon[self._ends[at - 1] + 1 if at else 0 : self._ends[at]].decode("utf-8")


@cache
def _lines(lang: str) -> _Lines:
    return _Lines(lzma.decompress(file_of(lang).read_bytes()))


@cache
def small_words(lang: str) -> Mapping[str, str]:
    """Return a language's small words, each with its English."""
    words: dict[str, str] = json.loads(SMALL_WORDS.read_text("utf-8"))[lang]
    return words


@dataclass(frozen=True)
class Translation:
    """A text in English words, and where its words are in both."""

    text: str
    original: tuple[Offsets, ...]  #: character spans of the words in the original, in order
    translated: tuple[Offsets, ...]  #: and in the translation

    def place(self, span: Offsets) -> Offsets:
        """Return where the words are in the translation that are at least partly in a span of the original."""
        first = bisect_right(self.original, span[0], key=lambda word: word[1])
        last = bisect_left(self.original, span[1], key=lambda word: word[0])
        return (self.translated[first][0], self.translated[last - 1][1]) if first < last else (0, 0)

    def back(self, span: Offsets) -> Offsets:
        """Return the characters of the original that a span of the translation is of; its words are whole."""
        first = bisect_right(self.translated, span[0], key=lambda word: word[0]) - 1
        last = bisect_left(self.translated, span[1], key=lambda word: word[0]) - 1
        starts_in_word = first >= 0 and span[0] < self.translated[first][1]
        return (
            self.original[first][0] if starts_in_word else self._behind(first, span[0]),
            max(self.original[last][1], self._behind(last, span[1])) if last >= 0 else span[1],
        )

    def _behind(self, word: int, at: int) -> int:
        """Return where in the original a place behind a word is, as what is between words is the same in both."""
        return at if word < 0 else self.original[word][1] + at - self.translated[word][1]


def translate(text: str, lang: str) -> Translation:
    """Return the translation of a text; in a language without a lexicon its words stay as they are.

    What begins with a capital letter does so in the translation: sentences are told apart by it.
    """
    parts: list[str] = []
    original: list[Offsets] = []
    translated: list[Offsets] = []
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
        translated.append((start, length))
    return Translation("".join([*parts, text[end:]]), tuple(original), tuple(translated))


def language_to_translate(text: str) -> str | None:
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
    others = sum((english(word, lang) or word) != word for word in words)  # have another form in English
    return lang if most or 2 * others > len(words) else None
