"""Find names in titles and texts, and bring each into one spelling for comparison.

Simple rules, no model. The spelling is the folded words joined by spaces, without a leading article: "The Beatles",
"beatles" and "BEATLES" are equal.
"""

import html
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile, groupby
from typing import Final, NamedTuple

from text.terms import fold, words

#: a longer one is a sentence; the table's column is this wide
MAX_WORDS: Final = 8
MAX_CHARS: Final = 120
#: the most names looked up for one text, and stored for one passage
MAX_NAMES: Final = 1_500
MAX_PROPER_NOUNS: Final = 40

#: the most words of a lower-case name: a phrase, not a proper noun
_PHRASE_WORDS: Final = 4
_ARTICLES: Final = frozenset("the a an der die das ein eine le la les l un une el los las una il lo".split())
#: between two parts of one name: "University of California", "Ludwig van Beethoven", "Rock and Roll"
_PARTING: Final = frozenset("of the and y et und &".split())
_JOINING: Final = _PARTING | frozenset("de la le du des del van von der den di da dos".split())

#: of a title, in which names are looked for in a time that grows with its square
MAX_TITLE: Final = 500

_TOKEN: Final = re.compile(r"[^\W_]+(?:[’'.-]?[^\W_]+)*")
_PARENTHESIS: Final = re.compile(r"\s*[(（\[][^)）\]]*[)）\]]\s*$")
_SEGMENT: Final = re.compile(r"\s+[|·•»›–—-]\s+|\s*[|›»]\s*")


class _Token(NamedTuple):
    text: str  #: folded
    proper: bool  #: written with a capital or a digit, or in a script that has no capitals
    capital: bool  #: written with a capital
    apart: bool  #: something other than a space precedes it


def name_key(text: str) -> str:
    """Return the spelling for comparing a name; "" for a text that is no name."""
    found = [word.text for word in _words(fold(html.unescape(text)))]  # folding may split a letter in two
    if len(found) > 1 and found[0] in _ARTICLES:
        found = found[1:]
    name = " ".join(found)
    return name if 1 < len(name) <= MAX_CHARS and len(found) <= MAX_WORDS else ""


def names_of(title: str) -> tuple[str, ...]:
    """Return the names in a page's title: the whole, without the site's name, and without a final parenthesis."""
    plain = html.unescape(title[:MAX_TITLE])
    first = _SEGMENT.split(plain, maxsplit=1)[0]
    named = (name_key(part) for whole in (plain, first) for part in (whole, _PARENTHESIS.sub("", whole)))
    return tuple(dict.fromkeys(name for name in named if name and not name.isdecimal()))


def names_in(text: str, *, empty: Collection[str] = ()) -> tuple[str, ...]:
    """Return all parts of a text that may be names, for a look-up; ``empty`` are its language's stop words.

    Proper nouns and their parts, and phrases of two or more words that neither begin nor end with a stop word.
    """
    found: dict[str, None] = {}
    listed = list(_words(text))
    for at in range(len(listed)):
        for name in _from(listed, at, empty):
            found.setdefault(name)
            if len(found) >= MAX_NAMES:
                return tuple(found)
    return tuple(found)


def proper_nouns(text: str, *, empty: Collection[str] = ()) -> tuple[str, ...]:
    """Return the proper nouns of a text, to store: each run of capitalised words, and the ends of it.

    A script without capitals has none: the names of pages are looked up in such a text instead.
    """
    found: dict[str, None] = {}
    for run in _runs(list(_words(text))):
        # without the stop words at its beginning: "The", "In" at the start of a sentence
        names = list(dropwhile(lambda name: name in empty or name in _ARTICLES, [word.text for word in run]))
        for start in range(min(len(names), max(1, len(names) - 1))):
            if len(names) - start <= MAX_WORDS and names[start] not in _JOINING:
                found.setdefault(" ".join(names[start:]))
        if len(found) >= MAX_PROPER_NOUNS:
            break
    return tuple(name for name in found if 1 < len(name) <= MAX_CHARS)[:MAX_PROPER_NOUNS]


def _words(text: str) -> Iterator[_Token]:
    end = 0
    for match in _TOKEN.finditer(text):
        written, apart = match.group(), bool(text[end : match.start()].strip())
        end = match.end()
        first = written[0]
        capital = first.isupper()
        proper = capital or first.isdecimal() or not first.islower()
        folded = [written.lower()] if written.isascii() and written.isalnum() else words(written)
        for place, word in enumerate(folded):
            yield _Token(word, proper, capital, apart and place == 0)


def _from(listed: Sequence[_Token], at: int, empty: Collection[str]) -> Iterator[str]:
    first = listed[at]
    for end in range(at + 1, min(at + MAX_WORDS, len(listed)) + 1):
        last = listed[end - 1]
        if end - at == 1:
            named = first.proper and first.text not in empty and _stands_alone(listed, at, empty)
        elif first.proper and last.proper:
            named = True
        else:
            named = end - at <= _PHRASE_WORDS and first.text not in empty and last.text not in empty
        if named and 1 < len(name := " ".join([word.text for word in listed[at:end]])) <= MAX_CHARS:
            yield name


def _stands_alone(listed: Sequence[_Token], at: int, empty: Collection[str]) -> bool:
    """Return whether a capitalised word is not part of a longer name: "United" of "United States" is."""
    if not listed[at].capital:
        return True
    after = at + 1 < len(listed) and not listed[at + 1].apart and _names(listed[at + 1], empty)
    before = at > 0 and not listed[at].apart and _names(listed[at - 1], empty)
    return not (before or after)


def _names(word: _Token, empty: Collection[str]) -> bool:
    return word.capital and word.text not in empty and word.text not in _ARTICLES


def _runs(listed: Sequence[_Token]) -> Iterator[list[_Token]]:
    run: list[_Token] = []
    for word in listed:
        if word.apart:
            yield from _ended(run)
            run = []
        if word.capital or (run and (word.text in _JOINING or word.text.isdecimal())):
            run.append(word)
        else:
            yield from _ended(run)
            run = []
    yield from _ended(run)


def _ended(run: list[_Token]) -> Iterator[list[_Token]]:
    """Yield a run without the small words at its end, and its parts around "of" or "and"."""
    last = next((at for at in reversed(range(len(run))) if run[at].capital or run[at].text.isdecimal()), -1)
    run = run[: last + 1]
    if not run:
        return
    yield run
    parts = [list(part) for joins, part in groupby(run, lambda word: word.text in _PARTING) if not joins]
    if len(parts) > 1:
        yield from parts
