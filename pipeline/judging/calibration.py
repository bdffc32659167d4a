"""Weigh the evidence as a calibrated probability: do the hits hold the answer, or only mention the question's subject?

The features describe the sentence that the composer would quote and its passage: how near the question they are, where
they were read, and how they cover its words. Each word is weighed by its rarity among these hits: on a site about one
subject, the subject's name is everywhere and shows nothing. A logistic regression weighs them, for each embedder and
language, as similarities of two embedders do not compare, nor do those of two languages.

Hits that were read have one model for all languages, for what a sure answer shows, and another for its first quote
alone (``evals/fit/confidence.py``). Hits of other languages that could not be read, but whose sentences were compared
with the question, have models of their own. For an embedder without a fitted model there is one that leaves similarity
out and asks for more. ``calibration.json`` holds the coefficients, the sets they were fitted on and their metrics;
``evals/fit`` writes it. Feedback corrects what they say: :mod:`pipeline.judging.recalibrate`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any

from pipeline.judging.evidence import Evidence, SpanCoverage
from pipeline.judging.reading import READ_FIRST, is_foreign, nearness_of_lacking
from text.related_words import share_of
from text.terms import rarity, terms_of

#: the keys of the models for an unknown embedder and for another language
ANY_EMBEDDER, OTHER = "*", "other"
#: the keys of the models for hits that were compared and not read, in the question's language and in another
COMPARED, CROSSED = "compared", "crossed"
#: and for hits that were read: what a sure answer shows is right; its first quote alone is
SHOWN, FIRST_QUOTE = "shown", "first quote"
#: margins of a hit that has no other to compare with
_ALONE_SIMILARITY, _ALONE_COVERAGE, _ALONE_NEAR, _ALONE_AHEAD = 0.1, 0.2, 0.1, 4.0
#: the place of the sentence that the best one is compared with: up to three are shown
_FOURTH = 3


@dataclass(frozen=True, kw_only=True)
class Features:
    """What the judge weighs; shares and weights are in [0, 1]."""

    similarity: float  #: of the most similar hit, [−1, 1]
    agreement: float  #: similarity of the hit that holds the best sentence
    margin: float  #: that similarity above the mean of the next four hits
    passage_coverage: float  #: weighted share of the question's terms in the best passage and its title
    coverage_margin: float  #: that share above the mean of the next four hits
    sentence_coverage: float  #: the same share for the best sentence alone
    led_coverage: float  #: for the best sentence, its context and its title
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

    def to_store(self) -> dict[str, float]:
        """Return the features by name, as they are stored to learn from, without the words themselves."""
        return {name: round(float(value), 4) for name, value in asdict(self).items() if not isinstance(value, tuple)}


def from_store(stored: Mapping[str, float]) -> Features | None:
    """Return the features that were stored, without words; None for those of another version."""
    known = {each.name: stored[each.name] for each in fields(Features) if each.name in stored}
    needed = {each.name for each in fields(Features) if each.default is MISSING}
    return Features(**known) if known.keys() >= needed else None  # type: ignore[arg-type]


def features_of(evidence: Evidence) -> Features | None:
    """Return the features, or None when there are no hits or the question has no search terms."""
    analysis, hits = evidence.analysis, evidence.hits
    if not hits or not analysis.terms:
        return None
    sentence = evidence.ranked[0] if evidence.ranked else None
    coverages = [share_of(evidence.weights, credits) for credits in evidence.credits]
    best = max(range(min(READ_FIRST, len(hits))), key=lambda at: (coverages[at], hits[at].similarity or 0.0))
    at = sentence.at if sentence else best
    similarities = [hit.similarity or 0.0 for hit in hits]
    rarities = {term: rarity(term, analysis.lang) for term in analysis.terms}
    credits = evidence.credits[at]
    title = set(terms_of(hits[at].passage.title, analysis.lang))
    names = {term: rarities[term] for term in analysis.name_terms if term in rarities}
    # one part of a name like csv.reader suffices
    covered = {word: None for term, word in analysis.terms.items() if term in credits}
    return Features(
        similarity=max(similarities),
        agreement=similarities[at],
        margin=_above_the_rest(similarities, similarities[at], _ALONE_SIMILARITY),
        passage_coverage=coverages[best],
        coverage_margin=_above_the_rest(coverages, max(coverages), _ALONE_COVERAGE),
        sentence_coverage=sentence.own if sentence else 0.0,
        led_coverage=sentence.in_context if sentence else 0.0,
        nearness=sentence.nearness if sentence else 0.0,
        missing_weight=_most_missing(evidence.weights, credits),
        absent_weight=_most_missing(
            rarities, {t: max(each.get(t, 0.0) for each in evidence.credits) for t in rarities}
        ),
        missing_name=_most_missing(names, credits) if names else 0.0,
        title_coverage=share_of(rarities, {term: float(term in title) for term in rarities}),
        term_count=math.log1p(len(rarities)),
        term_weight=math.log1p(sum(rarities.values())),
        covered=tuple(covered),
        missing=tuple(dict.fromkeys(word for word in analysis.terms.values() if word not in covered)),
        **_read_features(evidence.ranked),
        **_compared_features(evidence, sentence),
    )


def _read_features(ranked: Sequence[SpanCoverage]) -> dict[str, Any]:
    """Return the features that come from reading; none where the hits were not read."""
    sentence = ranked[0] if ranked else None
    reading = sentence.hit.reading if sentence else None
    if sentence is None or sentence.evidence is None or reading is None:
        return {}
    ahead = sentence.score - ranked[_FOURTH].score if len(ranked) > _FOURTH else _ALONE_AHEAD
    rivals = float(len({each.at for each in ranked}))
    found = {"answers": reading.answers, "evidence": sentence.evidence, "ahead": ahead, "rivals": rivals}
    return {**found, "is_read": True}


def _compared_features(evidence: Evidence, sentence: SpanCoverage | None) -> dict[str, Any]:
    """Return the features that come from comparing sentences with the question; none where that was not done."""
    if sentence is None or sentence.near is None:
        return {}
    others = [each.near for each in evidence.spans if each.at != sentence.at and each.near is not None]
    margin = sentence.near - max(others) if others else _ALONE_NEAR
    compared = {"near": sentence.near, "near_margin": margin, "is_compared": True}
    if not is_foreign(evidence.analysis, sentence.span.passage):
        return compared
    return {**compared, "translated": nearness_of_lacking(evidence.analysis, sentence.hit), "is_crossed": True}


def _above_the_rest(values: Sequence[float], chosen: float, alone: float) -> float:
    rest = sorted(values, reverse=True)[1:READ_FIRST]
    return chosen - fmean(rest) if rest else alone


def _most_missing(weights: Mapping[str, float], credits: Mapping[str, float]) -> float:
    return max(weight * (1 - credits.get(term, 0.0)) for term, weight in weights.items())


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A fitted logistic regression."""

    embedder: str
    lang: str
    weights: Mapping[str, float]  #: feature → coefficient
    intercept: float

    def probability(self, features: Features) -> float:
        """Return the probability that the hits answer the question, (0, 1)."""
        score = self.intercept + sum(weight * float(getattr(features, name)) for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def calibration_of(embedder_id: str, lang: str, features: Features) -> Calibration:
    """Return the calibration for hits as they were read or compared, if the embedder has one; else the language's."""
    if features.is_read:
        return calibration_for(embedder_id, SHOWN)
    compared = (embedder_id, CROSSED if features.is_crossed else COMPARED)
    return (_fitted().get(compared) if features.is_compared else None) or calibration_for(embedder_id, lang)


def calibration_for(embedder_id: str, key: str) -> Calibration:
    """Return the calibration of an embedder and a language, or of what was read, or the nearest that exists."""
    fitted = _fitted()
    known = embedder_id if (embedder_id, OTHER) in fitted else ANY_EMBEDDER
    return fitted.get((known, key)) or fitted.get((ANY_EMBEDDER, key)) or fitted[known, OTHER]


@cache
def _fitted() -> dict[tuple[str, str], Calibration]:
    stored = json.loads(files(__package__).joinpath("calibration.json").read_text("utf-8"))
    names = [each.name for each in fields(Calibration)]
    models = [Calibration(**{name: model[name] for name in names}) for model in stored["models"]]
    return {(model.embedder, model.lang): model for model in models}
