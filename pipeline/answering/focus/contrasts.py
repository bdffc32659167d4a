"""Choose between the values that a sentence contrasts: "240 euros for adults and 90 euros for children".

Each value has its own clause: the words before or behind it, up to its neighbour. The value whose clause says what the
question says, and little else, answers. Where no clause says more of the question than the others, none does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from domain import Focus
from pipeline.answering.focus.find import MAX_CHARACTERS
from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import BARE, ValueKind
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import answer_type_of, is_number
from text.analyser import analyse, fold
from text.related_words import find_related
from text.sentences import sentence_spans
from text.stopwords import stop_words

Place = tuple[int, int]
Shape = Literal["clock"] | ValueKind

#: how much more of its clause the question must say, as a share, that another value takes the place of the one found
_CLEARLY = 0.25
#: the most confidence in a value that takes the place of the one found, which had the reader's
_MOVED = 0.7
#: the words of a clause that count, on each side of the value
_NEAR = 5
#: a clause of more words says more than which of the values is meant
_SHORT_CLAUSE = 3

_CLOCK = re.compile(r"(?<![\w:.£$€¥])\d{1,2}(?:[:.]\d\d(?: ?(?:[ap]\.?m\b|Uhr|h\b))?| ?(?:[ap]\.?m\b|Uhr\b|h\d\d\b))")
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_NEXT_WORD = re.compile(r" (\w+)")
_BREAK = re.compile(
    r"[,;]|\b(?:and|but|while|whereas|or|und|aber|während|oder|et|mais|tandis|ou|y|pero|mientras|e|ma|mentre|mas)\b",
    re.IGNORECASE,
)
#: the shapes of values, the surest first
_SHAPES: tuple[Shape, ...] = ("clock", "money", "date", "number", "name")
_ABOUT = frozenset("about around some approximately roughly nearly almost etwa rund ungefähr circa environ".split())


@dataclass(frozen=True, kw_only=True)
class _Clause:
    """The words beside a value: those of the question that they match, and how many they are."""

    told: frozenset[str]
    matched: int
    count: int

    @property
    def share(self) -> float:
        return self.matched / self.count if self.count else 0.0


def settle_contrast(analysis: Analysis, sentence: str, focus: Focus) -> Focus | None:
    """Return the focus on the one of several contrasted values that the question asks for.

    That is the focus itself where nothing is contrasted, or nothing speaks against it; None where it is not clear.
    """
    start, end = next(
        (each for each in sentence_spans(sentence) if each[0] <= focus.start and focus.end <= each[1]),
        (0, len(sentence)),
    )
    moved = replace(focus, start=focus.start - start, end=focus.end - start)
    settled = _settle(analysis, sentence[start:end], moved)
    return settled and replace(settled, start=settled.start + start, end=settled.end + start)


def _settle(analysis: Analysis, sentence: str, focus: Focus) -> Focus | None:
    values = [] if len(sentence) > MAX_CHARACTERS else _rivals(analysis, sentence, focus)
    clauses = _clauses(analysis, sentence, values) if len(values) > 1 else []
    if not clauses:
        return focus
    shared = frozenset.intersection(*(clause.told for clause in clauses))
    covered = [at for at, value in enumerate(values) if _overlaps(value, focus)]
    held, *more = covered
    if not any(clause.told - shared for clause in clauses):
        is_contrast = all(0 < clause.count - clause.matched <= _SHORT_CLAUSE for clause in clauses)
        return None if more or is_contrast else focus
    best = max(range(len(values)), key=lambda at: (clauses[at].share, len(clauses[at].told), at == held))
    if more:
        others = [clause.share for at, clause in enumerate(clauses) if at != best]
        return _on(values[best], focus) if clauses[best].share > max(others) else None
    tells_more = bool(clauses[best].told - clauses[held].told)
    if best == held or not tells_more or clauses[best].share < clauses[held].share + _CLEARLY:
        return focus
    equals = [clause for clause in clauses if clause.share == clauses[best].share]
    return _on(values[best], focus) if len(equals) == 1 else None


def _on(value: Place, focus: Focus) -> Focus:
    return replace(focus, start=value[0], end=value[1], confidence=min(focus.confidence, _MOVED))


def _overlaps(value: Place, focus: Focus) -> bool:
    return value[0] < focus.end and focus.start < value[1]


def _rivals(analysis: Analysis, sentence: str, focus: Focus) -> list[Place]:
    """Return the values of the shape of the focus, in order; none where the focus is no value, or one beside others."""
    for shape in _SHAPES:
        values = _of_shape(shape, analysis, sentence)
        held = next((value for value in values if _overlaps(value, focus)), None)
        if held is None:
            continue
        before = {fold(word) for word in _WORD.findall(sentence[focus.start : held[0]])}
        if not before <= stop_words(analysis.lang) | _ABOUT:
            return []
        return _comparable(sentence, held, values, analysis.lang) if shape == "number" else values
    return []


def _of_shape(shape: Shape, analysis: Analysis, text: str) -> list[Place]:
    """Return where the values of a shape stand; not those that the question says itself."""
    if shape == "clock":
        return [match.span() for match in _CLOCK.finditer(text)]
    if shape == "name":
        return _names(analysis, text) if answer_type_of(analysis.text) == "name" else []
    # "how many metres" says no value in metres
    asked = {word for word in _WORD.findall(analysis.text) if shape == "date" or is_number(word)}
    places = [(value.start, value.end) for value in values_in(text, shape, analysis.lang)]
    return [place for place in places if asked.isdisjoint(_WORD.findall(text[slice(*place)]))]


def _names(analysis: Analysis, text: str) -> list[Place]:
    """Return where the names of two words and more stand, without an article before them."""
    found: list[Place] = []
    for value in values_in(text, "name", analysis.lang):
        first, _, rest = (said := text[value.start : value.end]).partition(" ")
        start = value.start + len(first) + 1 if rest and fold(first) in stop_words(analysis.lang) else value.start
        name = said[start - value.start :].removesuffix("'s").removesuffix("’s")
        if " " in name and analysis.terms.keys().isdisjoint(analyse(name, analysis.lang)):
            found.append((start, start + len(name)))
    return found


def _comparable(sentence: str, held: Place, values: Sequence[Place], lang: str) -> list[Place]:
    """Return the numbers that may be of the same thing as the held one: of its measure, and not of another noun."""
    units = {(each.start, each.end): each.unit for each in values_in(sentence, "number", lang)}
    noun = _noun(sentence, held[1], lang)
    return [
        value
        for value in values
        if value == held
        or (
            units[value].measures == units[held].measures
            and not _YEAR.fullmatch(sentence[slice(*value)])
            and (units[value] != BARE or noun in ("", other := _noun(sentence, value[1], lang)) or not other)
        )
    ]


def _noun(sentence: str, end: int, lang: str) -> str:
    """Return the term of the word right behind a number, or "" where none stands there."""
    match = _NEXT_WORD.match(sentence, end)
    return "" if match is None or fold(match[1]) in stop_words(lang) else " ".join(analyse(match[1], lang))


def _clauses(analysis: Analysis, sentence: str, values: Sequence[Place]) -> list[_Clause]:
    """Return the clause of each value; none where the values are a list."""
    ends = [0, *(end for _, end in values)]
    starts = [*(start for start, _ in values), len(sentence)]
    gaps = [sentence[end:start] for end, start in zip(ends, starts, strict=True)]
    if not all(_content(gap, analysis.lang) for gap in gaps[1:-1]):
        return []
    beside = _beside(gaps, analysis.lang)
    related = find_related(analysis.terms, {term for terms in beside for term in terms}, analysis.lang)
    return [_clause(terms, related) for terms in beside]


def _beside(gaps: Sequence[str], lang: str) -> list[list[str]]:
    """Return the terms of each value's clause. ``gaps`` are the texts before, between and behind the values."""
    first, *between, last = gaps
    is_behind = bool(_content(last, lang)) and all(_is_qualifier(gap, lang) for gap in between)
    beside = [[] if is_behind else _content(first, lang)[-_NEAR:]]  # else all the values share what is before them
    for gap in between:
        at = _cut(gap, is_behind=is_behind)
        beside[-1] += _content(gap[:at], lang)[:_NEAR]
        beside.append(_content(gap[at:], lang)[-_NEAR:])
    beside[-1] += _content(last, lang)[:_NEAR]
    return beside


def _is_qualifier(gap: str, lang: str) -> bool:
    """Return whether the words between two values are a few that belong to the first: "for adults and"."""
    breaks = list(_BREAK.finditer(gap))
    rest = gap[breaks[-1].end() :] if breaks else ""
    return len(_content(gap, lang)) <= _SHORT_CLAUSE and not _content(rest, lang)


def _cut(gap: str, *, is_behind: bool) -> int:
    """Return where the clause of the next value begins in the words between two."""
    breaks = list(_BREAK.finditer(gap))
    if not breaks:
        return len(gap) if is_behind else 0
    return breaks[-1 if is_behind else 0].start()


def _clause(terms: Sequence[str], related: Mapping[str, Mapping[str, float]]) -> _Clause:
    told = frozenset(asked for asked, others in related.items() if not others.keys().isdisjoint(terms))
    matched = sum(any(term in others for others in related.values()) for term in terms)
    return _Clause(told=told, matched=matched, count=len(terms))


def _content(text: str, lang: str) -> list[str]:
    """Return the terms of the words that say something."""
    words = [word for word in _WORD.findall(text) if fold(word) not in stop_words(lang) and not _BREAK.fullmatch(word)]
    return [term for word in words for term in analyse(word, lang)]
