"""Compute how far each sentence of the hits covers the question's words: the judge and the composer use it.

A word that every hit holds (the site's name, the subject) tells nothing. A word that few hits hold tells which sentence
answers; a word that no hit holds tells that perhaps none does. A heading or a list of links mentions a word and does
not answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit

from domain import Hit
from pipeline.judging.kinds import ANSWERING
from pipeline.judging.sentences import Span, spans_of
from pipeline.judging.translations import MEANS_THE_SAME
from pipeline.question.analysis import Analysis
from text.rarity import rarity_among
from text.related_words import best_weight, find_related
from text.terms import passage_terms, terms_of

#: what a word counts in a line that leads to the sentence, in the neighbouring sentence, and in the title
_LED, _BESIDE, _ABOVE = 0.9, 0.9, 0.8
#: what a word counts in a line that points to further reading
_MENTIONED = 0.5
#: what a name counts in a passage that lacks it, when this many of its site's hits and this share of them hold it
_SITE, _SITE_HITS, _SITE_SHARE = 0.8, 2, 0.4
#: two words of the question are near each other when at most this many words apart
_NEAR = 3


@dataclass(frozen=True, kw_only=True)
class SpanCoverage:
    """The coverage of the question by a sentence; shares are weighted, [0, 1]."""

    span: Span
    hit: Hit
    at: int  #: index of its hit
    own: float  #: share of the question's words in the sentence itself
    led: float  #: share in it, the lines that lead to it and the title
    wide: float  #: share in all these and the better sentence beside it
    nearness: float  #: share of the question's neighbouring words that are near each other in the sentence
    evidence: float | None = None  #: the reader's logit that it answers; None: its hit was not read
    near: float | None = None  #: cosine of the question and the sentence alone; None: not compared


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The coverage of the question by the hits."""

    terms: Mapping[str, str]  #: search term → the question's word
    weights: Mapping[str, float]  #: search term → its rarity among these hits
    credits: tuple[Mapping[str, float], ...]  #: per hit: term → what its title and text count for it
    spans: tuple[SpanCoverage, ...]


def cover(analysis: Analysis, hits: Sequence[Hit], *, top: int) -> Coverage:
    """Return the coverage of the first ``top`` hits' sentences; the other hits only tell how common a word is."""
    lang = analysis.lang
    stand_for = _stand_for(analysis, hits)
    spans = [spans_of(hit.passage, lang) for hit in hits[:top]]
    own = [[_own_credits(stand_for, span) for span in each] for each in spans]
    titles = [_credits(stand_for, terms_of(hit.passage.title, lang)) for hit in hits]
    held = [_strongest([title, *credits]) for title, credits in zip(titles, own, strict=False)]
    held += [_credits(stand_for, frozenset(passage_terms(hit.passage, lang))) for hit in hits[top:]]
    weights = {term: rarity_among(term, lang, sum(each[term] for each in held), len(held)) for term in analysis.terms}
    about = _about_sites(hits, held, analysis.name_terms)
    above = [_most(title, site) for title, site in zip(titles, about, strict=True)]
    return Coverage(
        terms=analysis.terms,
        weights=weights,
        credits=tuple(_most(text, site) for text, site in zip(held, about, strict=True)),
        spans=tuple(
            covered
            for at, hit in enumerate(hits[:top])
            for covered in _of_hit(stand_for, weights, hit, at, spans[at], own=own[at], above=above[at])
        ),
    )


def _stand_for(analysis: Analysis, hits: Sequence[Hit]) -> dict[str, dict[str, float]]:
    """Return for each term of the question the hits' terms that count for it: related words, and translations."""
    held = {term for hit in hits for term in passage_terms(hit.passage, analysis.lang)}
    stand_for = find_related(analysis.terms, held, analysis.lang)
    for hit in hits:
        for term, others in hit.translations.items():
            known = stand_for[term]
            same = {other: cosine for other, cosine in others.items() if cosine >= MEANS_THE_SAME}
            known |= {other: max(cosine, known.get(other, 0.0)) for other, cosine in same.items()}
    return stand_for


def _of_hit(
    stand_for: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float],
    hit: Hit,
    at: int,
    spans: Sequence[Span],
    *,
    own: Sequence[Mapping[str, float]],
    above: Mapping[str, float],
) -> Iterator[SpanCoverage]:
    """Yield the coverage of each sentence of a hit; ``above`` is what its title and site count."""
    reading = hit.reading
    where = [(span.start, span.end) for span in spans]
    evidence = reading.evidence(where) if reading else [None] * len(spans)
    for place, span in enumerate(spans):
        led = _most(own[place], _most(_leading(stand_for, span), above, _ABOVE))
        beside = [own[other] for other in _beside(spans, place)]
        yield SpanCoverage(
            span=span,
            hit=hit,
            at=at,
            own=share(weights, own[place]),
            led=share(weights, led),
            wide=max((share(weights, _most(led, each, _BESIDE)) for each in beside), default=share(weights, led)),
            nearness=_nearness(stand_for, span.terms),
            evidence=evidence[place],
            near=hit.nearness.get(span.text),
        )


def share(weights: Mapping[str, float], credits: Mapping[str, float]) -> float:
    """Return the weighted share of the question's words that ``credits`` cover, [0, 1]."""
    total = sum(weights.values())
    return sum(weight * credits[term] for term, weight in weights.items()) / total if total else 0.0


def _beside(spans: Sequence[Span], place: int) -> list[int]:
    """Return the places of the sentences before and after that can answer."""
    around = [other for other in (place - 1, place + 1) if 0 <= other < len(spans)]
    return [other for other in around if spans[other].kind in ANSWERING]


def _leading(stand_for: Mapping[str, Mapping[str, float]], span: Span) -> dict[str, float]:
    """Return what the lines that lead to a sentence count for each word; less, the further above they are."""
    near = _LED ** (1 + span.led_from)
    return {term: near * value for term, value in _credits(stand_for, span.led_by).items()}


def _own_credits(stand_for: Mapping[str, Mapping[str, float]], span: Span) -> dict[str, float]:
    """Return what a sentence counts for each word; a pointer to further reading only mentions the words."""
    part = _MENTIONED if span.kind == "pointer" else 1.0
    return {term: part * value for term, value in _credits(stand_for, span.held_terms).items()}


def _strongest(many: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {term: max(each[term] for each in many) for term in many[0]}


def _credits(stand_for: Mapping[str, Mapping[str, float]], terms: Collection[str]) -> dict[str, float]:
    return {term: best_weight(others, terms) for term, others in stand_for.items()}


def _about_sites(
    hits: Sequence[Hit], held: Sequence[Mapping[str, float]], names: Collection[str]
) -> list[dict[str, float]]:
    """Return for each hit what its site counts for the names in the question.

    A site is about a name that a good part of its hits hold; its other pages need not repeat it.
    """
    sites = [urlsplit(hit.passage.url).hostname for hit in hits]
    counts: dict[str | None, Counter[str]] = {site: Counter() for site in sites}
    for site, credits in zip(sites, held, strict=True):
        counts[site].update(term for term, value in credits.items() if value and term in names)
    enough = {site: max(_SITE_HITS, _SITE_SHARE * sites.count(site)) for site in counts}
    return [{term: _SITE for term, count in counts[site].items() if count >= enough[site]} for site in sites]


def _most(one: Mapping[str, float], other: Mapping[str, float], part: float = 1.0) -> dict[str, float]:
    """Return the larger of the two for each word, ``part`` of the other."""
    return {term: max(value, part * other.get(term, 0.0)) for term, value in one.items()}


def _nearness(stand_for: Mapping[str, Mapping[str, float]], terms: Sequence[str]) -> float:
    """Return the share of the question's neighbouring words that are near each other in the sentence."""
    pairs = list(pairwise(stand_for))
    places = {term: [at for at, other in enumerate(terms) if other in others] for term, others in stand_for.items()}
    near = [any(0 < abs(a - b) <= _NEAR for a in places[one] for b in places[other]) for one, other in pairs]
    return sum(near) / len(near) if near else 0.0
