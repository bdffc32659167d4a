"""Find pages that answer the same question with different values, and the sentences that give them.

A contradiction needs sentences of two pages that answer the question about the same thing, with values that cannot be
equal in any reading. A statement about another subject, time or place is no contradiction. Each site has one vote for
the value of its best sentence, however many of its pages repeat it. Places are not compared: Paris and France, or
Munich and München, may both be right.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from domain import Focus, Hit
from domain.site import is_under
from pipeline.answering.focus.find import find_focus
from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import BARE, Value, ValueKind, is_comparable, may_be_equal
from pipeline.judging.coverage import SpanCoverage, cover
from pipeline.judging.sentence_score import rank_by_score, score
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import AnswerType, answer_type_of
from pipeline.retrieval.sites import site_of
from text.related_words import best_weight, find_related
from text.terms import jaccard, terms_of

#: the kinds of values that can be compared
_KINDS: Mapping[AnswerType, ValueKind] = {"time": "date", "number": "number", "money": "money", "name": "name"}
#: the most values that are shown, and pages whose sentences are compared
MAX_ASSERTIONS, MAX_READ = 4, 12
#: the least confidence in the short answer of a sentence
SURE = 0.3
#: the same, for a sentence with only one value of the kind
HARDLY_SURE = 0.1
#: the share of the question's words that a sentence, with the lines leading to it and its title, must hold
COVERED = 0.8
#: how much the similarity of two sentences adds to that share
ALIKE = 0.5
#: sentences this similar, without their values, count as one sentence
SAME_WORDS = 0.8
#: the least score of a rival, as a share of the best sentence's
NEARLY_AS_GOOD = 0.7
#: a number counts what is named within so many terms after it
_COUNTED_WITHIN = 3
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[^\W\d_a-zß-öø-ÿ][\w’'-]+")


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """A sentence with the value it gives as the answer."""

    coverage: SpanCoverage
    value: Value
    confidence: float  #: that this value is what was asked for
    values: tuple[Value, ...]  #: every value of the kind in the sentence
    votes: int = 1  #: sites whose best sentence gives this value
    own: bool = False  #: whether one of them is a source of the operator's

    @property
    def text(self) -> str:
        """Return the value as the sentence writes it."""
        return self.coverage.span.text[self.value.start : self.value.end]


def find_contradiction(
    analysis: Analysis, chosen: SpanCoverage, read_spans: Sequence[SpanCoverage], *, own_sites: Sequence[str] = ()
) -> list[Assertion]:
    """Return the assertion of the chosen sentence and those of other pages that contradict it, or none.

    One assertion for each value: first the values of the operator's own sources, then by the votes of sites, then the
    newest. ``own_sites`` are the prefixes of the sources' URLs.
    """
    kind = _kind_of(analysis)
    if kind is None:
        return []
    first = _assertion(analysis, chosen, kind)
    if first is None:
        return []
    given = [[first]]
    for rival in _rivals(analysis, chosen, read_spans):
        assertion = _assertion(analysis, rival, kind)
        if assertion is None:
            continue
        if same := next((others for others in given if _agree(assertion, others[0])), None):
            same.append(assertion)
        elif len(given) < MAX_ASSERTIONS and all(_contradict(analysis, assertion, others[0]) for others in given):
            given.append([assertion])
    return _in_order(_count_votes(given, own_sites)) if len(given) > 1 else []


def lead_share(assertions: Sequence[Assertion]) -> float:
    """Return the share of the votes for the first value; 1 without any vote."""
    total = sum(assertion.votes for assertion in assertions)
    return assertions[0].votes / total if total else 1.0


def contradicting_assertions(
    analysis: Analysis,
    best: SpanCoverage,
    hits: Sequence[Hit],
    others: Sequence[Hit] = (),
    *,
    top: int,
    own_sites: Sequence[str] = (),
) -> list[Assertion]:
    """Return the assertion of the ``best`` sentence of the first ``top`` hits with its contradictions."""
    if _kind_of(analysis) is None:
        return []
    # only the words of all these can be compared: the others were not read
    by_words = [replace(hit, reading=None) for hit in (*hits[:top], *others)]
    spans = cover(analysis, by_words, top=len(by_words)).spans
    first = next(each for each in spans if each.span == best.span)
    return find_contradiction(analysis, first, spans, own_sites=own_sites)


def _kind_of(analysis: Analysis) -> ValueKind | None:
    """Return the kind of values that answer a question; None where they cannot be compared."""
    return _KINDS.get(answer_type_of(analysis.text))


def _count_votes(given: Sequence[Sequence[Assertion]], own_sites: Sequence[str]) -> list[Assertion]:
    """Return the first assertion of each value with its votes: a site votes for the first value that it gives."""
    voted: set[str] = set()
    counted = []
    ranked = sorted(
        ((score(each.coverage), -at, each) for at, others in enumerate(given) for each in others),
        key=lambda found: found[:2],
        reverse=True,
    )
    votes: dict[int, set[str]] = {at: set() for at in range(len(given))}
    for _, at, each in ranked:
        site = site_of(each.coverage.span.passage.url)
        if site not in voted:
            voted.add(site)
            votes[-at].add(site)
    is_one_site = len(voted) == 1  # a site that contradicts itself has no majority
    for at, (first, *others) in enumerate(given):
        urls = [each.coverage.span.passage.url for each in (first, *others)]
        is_own = any(is_under(url, own_sites) for url in urls)
        counted.append(replace(first, votes=1 if is_one_site else len(votes[at]), own=is_own))
    return counted


def _in_order(assertions: Sequence[Assertion]) -> list[Assertion]:
    return sorted(newest_first(assertions), key=lambda each: (not each.own, -each.votes))


def newest_first(assertions: Sequence[Assertion]) -> list[Assertion]:
    """Order assertions by their pages' publication dates; if one is unknown, leave the order."""
    published = [assertion.coverage.span.passage.published for assertion in assertions]
    dates = [when for when in published if when is not None]
    if len(dates) < len(assertions):
        return list(assertions)
    ordered = sorted(zip(dates, assertions, strict=True), key=lambda pair: pair[0], reverse=True)
    return [assertion for _, assertion in ordered]


def _rivals(analysis: Analysis, chosen: SpanCoverage, read_spans: Sequence[SpanCoverage]) -> Iterator[SpanCoverage]:
    """Yield the best sentence of each other page that is nearly as good an answer."""
    least = NEARLY_AS_GOOD * score(chosen)
    pages = {chosen.span.passage.page_id}
    for rival in rank_by_score(read_spans, analysis.text):
        page = rival.span.passage.page_id
        if score(rival) < least or len(pages) == MAX_READ:
            return
        if page not in pages:
            pages.add(page)
            yield rival


def _assertion(analysis: Analysis, sentence: SpanCoverage, kind: ValueKind) -> Assertion | None:
    """Return the assertion of a sentence, or None when it is unsure which of its values is the answer."""
    text = sentence.span.text
    if sentence.span.kind not in ("prose", "row"):
        return None
    asked = values_in(analysis.text, kind, analysis.lang)
    found = tuple(
        value
        for value in values_in(text, kind, sentence.span.passage.lang)
        if not any(may_be_equal(value, other) for other in asked)
    )
    focus = find_focus(analysis, text)
    meant = _meant(focus, found)
    return (
        Assertion(coverage=sentence, value=meant, values=found, confidence=focus.confidence)
        if focus and meant
        else None
    )


def _meant(focus: Focus | None, found: Sequence[Value]) -> Value | None:
    """Return the one value that overlaps the focus; None without exactly one, or when the focus is unsure."""
    if focus is None:
        return None
    meant = [value for value in found if value.start < focus.end and focus.start < value.end]
    sure = focus.confidence >= (SURE if len(found) > 1 else HARDLY_SURE)
    return meant[0] if len(meant) == 1 and sure else None


def _agree(one: Assertion, other: Assertion) -> bool:
    return is_comparable(one.value, other.value) and may_be_equal(one.value, other.value)


def _contradict(analysis: Analysis, one: Assertion, other: Assertion) -> bool:
    if not is_comparable(one.value, other.value):
        return False
    agreed = any(may_be_equal(one.value, value) for value in other.values) or any(
        may_be_equal(other.value, value) for value in one.values
    )
    return not agreed and _same_subject(analysis, one, other)


def _same_subject(analysis: Analysis, one: Assertion, other: Assertion) -> bool:
    """Return whether two sentences are about the same: by the question's words they hold, and the other names."""
    alike = jaccard(_topic(analysis, one), _topic(analysis, other))
    if alike >= SAME_WORDS:
        return True
    if min(one.coverage.led, other.coverage.led) + ALIKE * alike < COVERED:
        return False
    if _asked_words(analysis, one) != _asked_words(analysis, other):
        return False
    return not any(map(_apart, _beside(analysis, one), _beside(analysis, other)))


def _topic(analysis: Analysis, assertion: Assertion) -> set[str]:
    text, value = assertion.coverage.span.text, assertion.value
    return set(terms_of(f"{text[: value.start]} {text[value.end :]}", analysis.lang))


def _asked_words(analysis: Analysis, assertion: Assertion) -> set[str]:
    """Return the question's words, or related ones, in the sentence, the lines leading to it, or its title."""
    span = assertion.coverage.span
    held = {*span.terms, *span.led_by, *terms_of(span.passage.title, analysis.lang)}
    stand_for = find_related(analysis.terms, held, analysis.lang)
    return {term for term, others in stand_for.items() if best_weight(others, held)}


def _beside(analysis: Analysis, assertion: Assertion) -> tuple[set[str], set[str], set[str]]:
    """Return what else a sentence names beside its value: names, years, and the things a number counts."""
    span, value = assertion.coverage.span, assertion.value
    text, known = span.text, {*terms_of(analysis.text, analysis.lang), *terms_of(span.passage.title, analysis.lang)}
    names = {
        term
        for word in _CAPITAL.findall(text[: value.start] + " , " + text[value.end :])
        for term in terms_of(word, analysis.lang)
    }
    others = [v for v in values_in(text, "date", span.passage.lang) if v.end <= value.start or v.start >= value.end]
    years = {text[v.start : v.end] for v in others}
    counted: set[str] = set()
    if value.kind == "number" and value.unit == BARE:
        counted = set(terms_of(text[value.end :], analysis.lang)[:_COUNTED_WITHIN])
    return names - known, years, counted


def _apart(one: Collection[str], other: Collection[str]) -> bool:
    """Return whether both name something, and nothing in common."""
    return bool(one) and bool(other) and set(one).isdisjoint(other)
