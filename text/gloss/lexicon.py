"""What a word of another language is in English: the small words by a table, the others by a lexicon.

A lexicon was counted from texts that stand in both languages (README.md beside it), so it knows the words as they are
inflected, and compounds: "Festplatten" is "hard disks". What is not in it is looked for as another form of a word that
is, then in German and Dutch as two words; a name is found nowhere and stays as it is.
"""

import json
import lzma
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

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
    """Return the English of the word that is most like this one: of sorted words it stands beside where this would."""
    lines = _lines(lang)
    at = bisect_left(lines, word + "\t")
    best, meaning = _SHARED - 1, None
    for line in lines[max(0, at - 1) : at + 1]:
        found, _, there = line.partition("\t")
        shared = _common(word, found)
        if shared > best and max(len(word), len(found)) - shared <= _ENDING:
            best, meaning = shared, there
    return meaning


def _common(word: str, other: str) -> int:
    """Return how many letters two words have in common from their beginning."""
    differing = (at for at, (one, there) in enumerate(zip(word, other, strict=False)) if one != there)
    return next(differing, min(len(word), len(other)))


def _parts(lang: str, word: str) -> str | None:
    """Return the English of a compound's two parts, split where the shorter one is longest."""
    splits = sorted(range(_PART, len(word) - _PART + 1), key=lambda at: -min(at, len(word) - at))
    for at in splits:
        tail = _entry(lang, word[at:])
        if tail and (head := next(filter(None, (_entry(lang, each) for each in _heads(word[:at]))), None)):
            return f"{head} {tail}"
    return None


def _heads(head: str) -> Iterator[str]:
    """Yield a compound's first part without what may link it to the next."""
    for link in _LINKS:
        if head.endswith(link) and len(head) - len(link) >= _PART:
            yield head.removesuffix(link)


@cache
def _lines(lang: str) -> Sequence[str]:
    return lzma.decompress(file_of(lang).read_bytes()).decode("utf-8").splitlines()


def small_words(lang: str) -> Mapping[str, str]:
    """Return a language's small words, each with its English."""
    return _tables()[lang]


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    table: dict[str, dict[str, str]] = json.loads(SMALL_WORDS.read_text("utf-8"))
    return table
