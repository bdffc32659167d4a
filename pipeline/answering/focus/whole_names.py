"""Complete a short answer that is a part of a person's name: "Moreau" in "Ines Moreau opened the bakery."

Rules on capitals. Where a word may be another than a name, as the first of a sentence, the short answer stays as it is
rather than takes in too much; so it does in German, where every noun has a capital.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain import Focus
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import answer_type_of
from text.analyser import fold
from text.languages import word_set
from text.stopwords import stop_words

#: the most capitalised words that are added: more of them are a heading
_MOST_ADDED = 3
_NAME_PART = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_PARTICLES = frozenset("van von de la le du del della di da dos do zu ten ter al bin ibn y".split())
#: particles only behind "van" and "von"; else they are articles
_SECOND_PARTICLES = frozenset("der den dem het".split())
_ARTICLES = frozenset(
    "the a an der die das den dem des ein eine einen einem einer zum zur vom beim im am le la les un une el los las una"
    " il lo gli i o a os as um uma de het een".split()
)
#: what stands in a place or at a time: at the start of a sentence the capitalised word behind it is no first name
_PLACING = frozenset(
    "in at near on since after before during around à en dans près sur depuis"
    " desde a nel nella dal em no na op te".split()
)
#: first words of a sentence that are neither stop words nor names
_OPENERS = (word_set("weekdays", "en") | word_set("months", "en")).union(
    "yesterday today tomorrow later soon now once eventually finally originally initially meanwhile however afterwards"
    " hier aujourd’hui plus enfin puis ayer hoy luego ieri oggi poi ask see call contact tell write visit".split()
)
_ENDS = ".!?:;…»”\n"
#: in German every noun is capitalised
_CAPITAL_NOUNS = frozenset({"de", "lb"})


@dataclass(frozen=True, kw_only=True)
class _Word:
    start: int
    end: int
    text: str

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() and (len(self.text) == 1 or not self.text.isupper())

    @property
    def bare_end(self) -> int:
        return self.start + len(_POSSESSIVE.sub("", self.text))

    @property
    def is_initial(self) -> bool:
        return len(self.text) == 1 and self.text.isupper()


def with_whole_name(analysis: Analysis, sentence: str, focus: Focus) -> Focus:
    """Return where the whole name stands, if a person is asked for and the focus is a part of the name."""
    if analysis.lang in _CAPITAL_NOUNS or answer_type_of(analysis.text) != "name":
        return focus
    words = [_Word(start=m.start(), end=m.end(), text=m[0]) for m in _NAME_PART.finditer(sentence)]
    inside = [at for at, word in enumerate(words) if focus.start <= word.start and word.bare_end <= focus.end]
    if not inside or not _is_name(words, inside, sentence[focus.start : focus.end]):
        return focus
    first = _leftmost(sentence, words, inside[0], analysis.lang)
    if first < inside[0]:
        return replace(focus, start=words[first].start)
    last = _rightmost(sentence, words, inside[-1], analysis.lang)
    return replace(focus, end=max(focus.end, words[last].bare_end)) if last > inside[-1] else focus


def _is_name(words: Sequence[_Word], inside: Sequence[int], said: str) -> bool:
    parts = [words[at] for at in inside]
    capital = [part for part in parts if part.text not in _PARTICLES | _SECOND_PARTICLES]
    return bool(capital) and all(part.is_capital for part in capital) and not any(char in said for char in ',;:("“„«')


def _leftmost(sentence: str, words: Sequence[_Word], at: int, lang: str) -> int:
    """Return the first word of the name that the word ``at`` ends, or ``at``."""
    first, capitals = at, 0
    for place in range(at - 1, -1, -1):
        if not _joined(sentence, words[place], words[place + 1]):
            break
        if words[place].is_capital:
            first, capitals = place, capitals + 1
        elif not _is_particle(words, place):
            break
    while first < at and not _may_begin(sentence, words, first, lang):
        first += 1
        while first < at and not words[first].is_capital:
            first += 1
    return first if capitals <= _MOST_ADDED else at


def _rightmost(sentence: str, words: Sequence[_Word], at: int, lang: str) -> int:
    """Return the last word of the name that the word ``at`` begins, or ``at``."""
    last, capitals = at, 0
    for place in range(at + 1, len(words)):
        if not _joined(sentence, words[place - 1], words[place]) or _POSSESSIVE.search(words[place - 1].text):
            break
        word = words[place]
        if word.is_capital and not _is_other(word, lang):
            last, capitals = place, capitals + 1
        elif not _is_particle(words, place):
            break
    return last if capitals < _MOST_ADDED else at


def _may_begin(sentence: str, words: Sequence[_Word], at: int, lang: str) -> bool:
    """Return whether a capitalised word may be the first of a name."""
    word = words[at]
    if word.is_initial:
        return True
    if _is_other(word, lang):
        return False
    if at == 0 or not _joined(sentence, words[at - 1], word):
        return True
    before = words[at - 1].text.casefold()
    return not (before in _PLACING and _begins(sentence, words, at - 1))


def _is_other(word: _Word, lang: str) -> bool:
    folded = word.text.casefold()
    is_adverb = folded.endswith("ly") and len(folded) > 6  # "Quietly", and not "Emily"
    return is_adverb or folded in _OPENERS or folded in _ARTICLES or fold(word.text) in stop_words(lang)


def _begins(sentence: str, words: Sequence[_Word], at: int) -> bool:
    """Return whether a word is the first of its sentence."""
    before = sentence[words[at - 1].end : words[at].start] if at else ""
    return at == 0 or any(char in before for char in _ENDS)


def _joined(sentence: str, one: _Word, other: _Word) -> bool:
    between = sentence[one.end : other.start]
    return between in (" ", "\u00a0") or (one.is_initial and between.strip(" \u00a0") == "." and len(between) <= 2)


def _is_particle(words: Sequence[_Word], at: int) -> bool:
    text = words[at].text
    return text in _PARTICLES or (text in _SECOND_PARTICLES and at > 0 and words[at - 1].text in ("van", "von"))
