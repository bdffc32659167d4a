"""Gather the judge's features: do the hits hold the answer, or do they only mention the question's subject?

They describe the sentence that the composer would quote and its passage: how near the question they are, where they
were read, and how they cover its words. Each word is weighed by its rarity among these
hits: on a site about one subject, the subject's name is everywhere and shows nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from statistics import fmean
from typing import Any

from domain import Hit
from pipeline.judging.coverage import Coverage, SpanCoverage, cover, share
from pipeline.judging.sentence_score import rank_by_score, score
from pipeline.judging.translations import is_foreign, translated
from pipeline.question.analysis import Analysis
from pipeline.reader.read_hits import READ_FIRST
from text.rarity import rarity
from text.terms import terms_of

#: margins of a hit that has no other to compare with
_ALONE_SIMILARITY, _ALONE_COVERAGE, _ALONE_NEAR, _ALONE_AHEAD = 0.1, 0.2, 0.1, 4.0
#: the place of the sentence that the best one is compared with: up to three are shown
_FOURTH = 3


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The features of the judge; shares and weights are in [0, 1]."""

    similarity: float  #: of the most similar hit, [−1, 1]
    agreement: float  #: similarity of the hit that holds the best sentence
    margin: float  #: that similarity above the mean of the next four hits
    passage_coverage: float  #: weighted share of the question's terms in the best passage and its title
    coverage_margin: float  #: that share above the mean of the next four hits
    sentence_coverage: float  #: the same share for the best sentence alone
    led_coverage: float  #: for the best sentence, what leads to it and its title
    nearness: float  #: share of the question's neighbouring terms that are near each other in it
    missing_weight: float  #: of the heaviest term that the best sentence's passage lacks
    absent_weight: float  #: rarity of the rarest term that no hit holds
    missing_name: float  #: rarity of the rarest name or number that the best sentence's passage and title lack
    title_coverage: float  #: share of the terms, by rarity, in that passage's title
    term_count: float  #: log(1 + the question's terms)
    term_weight: float  #: log(1 + the sum of their rarities)
    answers: float = 0.0  #: the reader's logit that its passage answers; this and the next three: 0 if not read
    evidence: float = 0.0  #: and that the words of this sentence are of what answers
    ahead: float = 0.0  #: the best sentence's score above that of the fourth
    rivals: float = 0.0  #: hits with sentences to compare with: few, early in a crawl
    near: float = 0.0  #: of the question and the best sentence alone; this and the next: 0 in English
    near_margin: float = 0.0  #: that above the nearest sentence of another passage
    translated: float = 0.0  #: of words its passage lacks and their nearest in it, in another language; 0: in the same
    is_read: bool = False  #: the best hits were read
    is_compared: bool = False  #: their sentences were compared with the question, as in other languages
    is_crossed: bool = False  #: and the best sentence is in another language than the question
    covered: tuple[str, ...] = ()  #: words of the question in that passage, as asked
    missing: tuple[str, ...] = ()  #: and those that are not


def features_of(evidence: Evidence) -> dict[str, float]:
    """Return the features by name, as they are stored to learn from, without the words themselves."""
    values = asdict(evidence)
    return {name: round(float(value), 4) for name, value in values.items() if not isinstance(value, tuple)}


def evidence_of(features: Mapping[str, float]) -> Evidence | None:
    """Return the evidence whose features were stored, without words; None for those of another version."""
    known = {each.name: features[each.name] for each in fields(Evidence) if each.name in features}
    needed = {each.name for each in fields(Evidence) if each.default is MISSING}
    return Evidence(**known) if known.keys() >= needed else None  # type: ignore[arg-type]


def gather_evidence(analysis: Analysis, hits: Sequence[Hit]) -> Evidence | None:
    """Return the evidence, or None when there are no hits or the question has no search terms."""
    coverage = cover(analysis, hits, top=READ_FIRST) if hits else None
    if coverage is None or not coverage.terms:
        return None
    ranked = rank_by_score(coverage.spans, analysis.text)
    sentence = ranked[0] if ranked else None
    coverages = [share(coverage.weights, credits) for credits in coverage.credits]
    best = max(range(min(READ_FIRST, len(hits))), key=lambda at: (coverages[at], hits[at].similarity or 0.0))
    at = sentence.at if sentence else best
    similarities = [hit.similarity or 0.0 for hit in hits]
    rarities = {term: rarity(term, analysis.lang) for term in coverage.terms}
    credits = coverage.credits[at]
    title = set(terms_of(hits[at].passage.title, analysis.lang))
    names = {term: rarities[term] for term in analysis.name_terms if term in rarities}
    return Evidence(
        similarity=max(similarities),
        agreement=similarities[at],
        margin=_above_the_rest(similarities, similarities[at], _ALONE_SIMILARITY),
        passage_coverage=coverages[best],
        coverage_margin=_above_the_rest(coverages, max(coverages), _ALONE_COVERAGE),
        sentence_coverage=sentence.own if sentence else 0.0,
        led_coverage=sentence.led if sentence else 0.0,
        nearness=sentence.nearness if sentence else 0.0,
        missing_weight=_most_missing(coverage.weights, credits),
        absent_weight=_most_missing(rarities, {t: max(each[t] for each in coverage.credits) for t in rarities}),
        missing_name=_most_missing(names, credits) if names else 0.0,
        title_coverage=share(rarities, {term: float(term in title) for term in rarities}),
        term_count=math.log1p(len(rarities)),
        term_weight=math.log1p(sum(rarities.values())),
        covered=_words(coverage, credits, held=True),
        missing=_words(coverage, credits, held=False),
        **_read_features(ranked),
        **_compared_features(coverage.spans, sentence, analysis),
    )


def _read_features(ranked: Sequence[SpanCoverage]) -> dict[str, Any]:
    """Return the features that come from reading; none where the hits were not read."""
    sentence = ranked[0] if ranked else None
    reading = sentence.hit.reading if sentence else None
    if sentence is None or sentence.evidence is None or reading is None:
        return {}
    ahead = score(sentence) - score(ranked[_FOURTH]) if len(ranked) > _FOURTH else _ALONE_AHEAD
    rivals = float(len({each.at for each in ranked}))
    found = {"answers": reading.answers, "evidence": sentence.evidence, "ahead": ahead, "rivals": rivals}
    return {**found, "is_read": True}


def _compared_features(
    spans: Sequence[SpanCoverage], sentence: SpanCoverage | None, analysis: Analysis
) -> dict[str, Any]:
    """Return the features that come from comparing sentences with the question; none where that was not done."""
    if sentence is None or sentence.near is None:
        return {}
    others = [each.near for each in spans if each.at != sentence.at and each.near is not None]
    margin = sentence.near - max(others) if others else _ALONE_NEAR
    compared = {"near": sentence.near, "near_margin": margin, "is_compared": True}
    if not is_foreign(analysis, sentence.span.passage):
        return compared
    return {**compared, "translated": translated(analysis, sentence.hit), "is_crossed": True}


def _above_the_rest(values: Sequence[float], chosen: float, alone: float) -> float:
    rest = sorted(values, reverse=True)[1:READ_FIRST]
    return chosen - fmean(rest) if rest else alone


def _most_missing(weights: Mapping[str, float], credits: Mapping[str, float]) -> float:
    return max(weight * (1 - credits[term]) for term, weight in weights.items())


def _words(coverage: Coverage, credits: Mapping[str, float], *, held: bool) -> tuple[str, ...]:
    """Return the question's words that are held, or those that are not; one part of a name like csv.reader suffices."""
    found = {word for term, word in coverage.terms.items() if credits[term] > 0}
    return tuple(dict.fromkeys(word for word in coverage.terms.values() if (word in found) is held))
