"""How the words of a question stand in the sentences of its hits: what the judge weighs and the composer chooses by.

A word that every hit holds (the site's name, the subject) tells nothing; the words that few hold tell which sentence
answers, and one that none holds tells that perhaps nothing does. A heading or a list of links mentions; it does not
answer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.answer_type import asked_for, fit
from pipeline.question import Analysis
from pipeline.rarity import rarity
from pipeline.related import credit, related
from pipeline.spans import ANSWERING, Span, spans_of
from pipeline.terms import content_terms, terms_of
from store.types import Hit

#: what a word counts in a line that leads to the sentence, in the sentence beside, and in the title
_LED, _BESIDE, _ABOVE = 0.9, 0.9, 0.8
#: two words of the question stand together when at most this many words apart
_NEAR = 3
#: what remains of a word's weight when every hit holds it
_COMMON = 0.2


@dataclass(frozen=True, kw_only=True)
class ReadSpan:
    """A sentence as the question sees it; shares are weighted, [0, 1]."""

    span: Span
    at: int  #: place of its hit among those read
    own: float  #: share of the question's words in the sentence itself
    led: float  #: share in it, the lines that lead to it and the title
    wide: float  #: share in all these and the better sentence beside it
    neighbour: float  #: share in that better sentence alone
    near: float  #: share of the question's neighbouring words that stand near each other
    fit: float  #: 1 where it holds the kind of thing asked for, −1 where not, 0 where anything is asked for


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The hits as the question sees them."""

    terms: Mapping[str, str]  #: search term → the question's word
    weights: Mapping[str, float]  #: search term → how much it tells, here
    credits: tuple[Mapping[str, float], ...]  #: per hit: term → what its title and text count for it
    spans: tuple[ReadSpan, ...]


def read(analysis: Analysis, hits: Sequence[Hit], *, closely: int) -> Reading:
    """Read the sentences of the first ``closely`` hits; the others only tell how common a word is."""
    lang = analysis.lang
    terms = content_terms(analysis.text, lang)
    spans = spans_of(hits[:closely], lang)
    titles = [frozenset(terms_of(hit.passage.title, lang)) for hit in hits]
    texts = [title.union(terms_of(hit.passage.text, lang)) for title, hit in zip(titles, hits, strict=True)]
    stand_for = related(terms, frozenset().union(*texts), lang)
    credits = tuple(_credits(stand_for, text) for text in texts)
    weights = _weights(terms, credits, lang)
    places = {hit.passage.id: at for at, hit in enumerate(hits)}
    above = [_credits(stand_for, title) for title in titles]
    led = [_credits(stand_for, span.led_by) for span in spans]
    said = [_credits(stand_for, span.terms) for span in spans]
    kind = asked_for(analysis.text)
    return Reading(
        terms=terms,
        weights=weights,
        credits=credits,
        spans=tuple(
            _read(
                span,
                places[span.hit.passage.id],
                said[at],
                [
                    said[n]
                    for n in (at - 1, at + 1)
                    if 0 <= n < len(spans) and spans[n].hit is span.hit and spans[n].kind in ANSWERING
                ],
                above[places[span.hit.passage.id]],
                {term: _LED ** (1 + span.led_from) * value for term, value in led[at].items()},
                weights,
                _togetherness(stand_for, span.terms),
                fit(kind, analysis.text, span.text),
            )
            for at, span in enumerate(spans)
        ),
    )


def share(weights: Mapping[str, float], credits: Mapping[str, float]) -> float:
    """Give the weighted share of the question's words that ``credits`` cover, [0, 1]."""
    total = sum(weights.values())
    return sum(weight * credits[term] for term, weight in weights.items()) / total if total else 0.0


def _read(
    span: Span,
    at: int,
    own: Mapping[str, float],
    beside: Sequence[Mapping[str, float]],
    above: Mapping[str, float],
    led: Mapping[str, float],
    weights: Mapping[str, float],
    near: float,
    fits: float,
) -> ReadSpan:
    alone = {term: max(own[term], led[term], _ABOVE * above[term]) for term in weights}
    wider = [{term: max(alone[term], _BESIDE * other[term]) for term in weights} for other in beside]
    return ReadSpan(
        span=span,
        at=at,
        own=share(weights, own),
        led=share(weights, alone),
        wide=max((share(weights, each) for each in wider), default=share(weights, alone)),
        neighbour=max((share(weights, other) for other in beside), default=0.0),
        near=near,
        fit=fits,
    )


def _credits(stand_for: Mapping[str, Mapping[str, float]], terms: Collection[str]) -> dict[str, float]:
    return {term: credit(others, terms) for term, others in stand_for.items()}


def _weights(terms: Collection[str], credits: Sequence[Mapping[str, float]], lang: str) -> dict[str, float]:
    """Weigh each word by its rarity in general and among the hits."""
    count = len(credits)
    most = math.log1p((count + 0.5) / 0.5)
    weights = {}
    for term in terms:
        held = sum(each[term] for each in credits)
        here = math.log1p((count - held + 0.5) / (held + 0.5)) / most
        weights[term] = rarity(term, lang) * (_COMMON + (1 - _COMMON) * here)
    return weights


def _togetherness(stand_for: Mapping[str, Mapping[str, float]], terms: Sequence[str]) -> float:
    """Give the share of the question's neighbouring words that stand near each other in the sentence."""
    pairs = list(pairwise(stand_for))
    places = {term: [at for at, other in enumerate(terms) if other in others] for term, others in stand_for.items()}
    near = [any(0 < abs(a - b) <= _NEAR for a in places[one] for b in places[other]) for one, other in pairs]
    return sum(near) / len(near) if near else 0.0
