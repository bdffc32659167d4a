"""Find pages that say the same with another number, sum or date: two sentences that differ in just that value.

A statement about another subject or time is no contradiction, nor is the same value in another form. Each site has one
vote, for the first value that it gives, however many of its pages repeat it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from domain import Hit
from domain.site import is_under
from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import Value, ValueKind, is_comparable, may_be_equal
from pipeline.judging.sentence_score import is_instruction
from pipeline.judging.sentences import Span, spans_of
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import AnswerType, answer_type_of
from pipeline.retrieval.sites import site_of
from text.terms import jaccard, terms_of

#: the kinds of values that can be compared
_KINDS: Mapping[AnswerType, ValueKind] = {"time": "date", "number": "number", "money": "money"}
#: the most values that are shown
MAX_ASSERTIONS = 4
#: sentences with this share of their other words in common say the same
_SAME_WORDS = 0.6
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """A sentence with the value it gives as the answer."""

    span: Span
    value: Value
    votes: int = 1  #: sites that give this value first
    own: bool = False  #: whether one of them is a source of the operator's

    @property
    def text(self) -> str:
        """Return the value as the sentence writes it."""
        return self.span.text[self.value.start : self.value.end]

    @property
    def rest(self) -> str:
        """Return the sentence without the value."""
        return f"{self.span.text[: self.value.start]} {self.span.text[self.value.end :]}"


def contradicting_assertions(
    analysis: Analysis, best: Span, hits: Sequence[Hit], *, own_sites: Sequence[str] = ()
) -> list[Assertion]:
    """Return the assertion of the ``best`` sentence and those of other pages of ``hits`` that contradict it, or none.

    One assertion for each value: first the values of the operator's own sources, then by the votes of sites, then the
    newest. ``own_sites`` are the prefixes of the sources' URLs.
    """
    kind = _KINDS.get(answer_type_of(analysis.text))
    first = _assertion(analysis, best, kind) if kind else None
    if first is None:
        return []
    sides = [[first]]
    for other in _restated(analysis, first, hits):
        same = next((side for side in sides if may_be_equal(other.value, side[0].value)), None)
        if same:
            same.append(other)
        elif len(sides) < MAX_ASSERTIONS:
            sides.append([other])
    return _in_order(_with_votes(sides, own_sites)) if len(sides) > 1 else []


def lead_share(assertions: Sequence[Assertion]) -> float:
    """Return the share of the votes for the first value; 1 without any vote."""
    total = sum(assertion.votes for assertion in assertions)
    return assertions[0].votes / total if total else 1.0


def _assertion(analysis: Analysis, span: Span, kind: ValueKind) -> Assertion | None:
    """Return the assertion of a sentence; None where it does not give just one value that the question lacks."""
    if span.kind not in ("prose", "row") or is_instruction(span):
        return None
    asked = values_in(analysis.text, kind, analysis.lang)
    found = values_in(span.text, kind, span.passage.lang)
    new = [value for value in found if not any(may_be_equal(value, other) for other in asked)]
    return Assertion(span=span, value=new[0]) if len(new) == 1 else None


def _restated(analysis: Analysis, first: Assertion, hits: Sequence[Hit]) -> Iterator[Assertion]:
    """Yield for each other page its first sentence that says the same, with a value that can be compared."""
    told, pages = _told(analysis, first.span), {first.span.passage.page_id}
    for hit in hits:
        for span in spans_of(hit.passage, analysis.lang) if hit.passage.page_id not in pages else ():
            if _told(analysis, span) != told:
                continue
            other = _assertion(analysis, span, first.value.kind)
            if other and is_comparable(first.value, other.value) and _says_the_same(analysis, first, other):
                pages.add(hit.passage.page_id)
                yield other
                break


def _told(analysis: Analysis, span: Span) -> set[str]:
    """Return the question's words that a sentence, the lines leading to it, or its title hold."""
    return analysis.terms.keys() & {*span.terms, *span.led_by, *terms_of(span.passage.title, analysis.lang)}


def _says_the_same(analysis: Analysis, one: Assertion, other: Assertion) -> bool:
    """Return whether two sentences have the same words beside the value, and no other numbers."""
    words, others = (set(terms_of(each.rest, analysis.lang)) for each in (one, other))
    numbers, digits = set(_DIGITS.findall(one.rest)), set(_DIGITS.findall(other.rest))
    is_apart = bool(numbers and digits) and numbers.isdisjoint(digits)
    return jaccard(words, others) >= _SAME_WORDS and not is_apart


def _with_votes(sides: Sequence[Sequence[Assertion]], own_sites: Sequence[str]) -> list[Assertion]:
    """Return the first assertion of each side with its votes."""
    urls = [[each.span.passage.url for each in side] for side in sides]
    voted: dict[str, int] = {}
    for at, of_side in enumerate(urls):
        for url in of_side:
            voted.setdefault(site_of(url), at)
    is_one_site = len(voted) == 1  # a site that contradicts itself has no majority
    return [
        replace(
            side[0],
            votes=1 if is_one_site else list(voted.values()).count(at),
            own=any(is_under(url, own_sites) for url in urls[at]),
        )
        for at, side in enumerate(sides)
    ]


def _in_order(assertions: Sequence[Assertion]) -> list[Assertion]:
    """Order assertions: the operator's own first, then by votes, then the newest if all pages say their dates."""
    dates = [assertion.span.passage.published for assertion in assertions]
    ages = [-when.timestamp() if when and all(dates) else 0.0 for when in dates]
    order = sorted(zip(assertions, ages, strict=True), key=lambda each: (not each[0].own, -each[0].votes, each[1]))
    return [assertion for assertion, _ in order]
