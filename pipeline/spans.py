"""The sentences of the best passages, scored by how well they answer: what the extractive composer chooses from.

A sentence alone often lacks the subject that its neighbour names, so it is scored together with the better one. Words
that every candidate holds (the page's subject, mostly) tell sentences apart no more and count little.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.answer_type import asked_for, fit
from pipeline.question import Analysis
from pipeline.rarity import rarity
from pipeline.terms import content_terms
from store.analyser import analyse
from store.sentences import sentence_spans
from store.types import Hit

#: fitted listwise (conditional softmax) on each half of squad2's titles, averaged, rounded: a score per unit
_COVERAGE, _WITH_NEIGHBOUR, _NEIGHBOUR, _HIT, _TYPE, _TOGETHER, _LENGTH = 3.8, 5.6, -1.0, 5.7, 1.0, 2.1, 0.2

#: judged by reading answers from documentation: what a sentence loses for being code, and for each further length
_CODE, _LONG, _LONG_CHARACTERS = 2.0, 2.0, 350
#: the share of a sentence's characters that prose does not exceed in marks of code
_MARKS_IN_PROSE = 0.06
_CODE_MARKS = re.compile(r"[=_(){}\[\]<>|\\@$#*/]")
_CODE_BEGINS = re.compile(
    r">>>|\.\.\.(?:\s|$)|\$ |@\w|#|[\w.\[\]'\", ]+ = |[\w.]+\(|[)}\]]"
    r"|(?:import|from|def|class|with|for|while|if|else|elif|try|except|return|print|async|await)\b.*[:()=\w]$"
)
_BULLET = re.compile(r"^(?:[-*•‣]\s+)+")
#: two words of the question stand together when at most this many words apart
_NEAR = 3


@dataclass(frozen=True, kw_only=True)
class Span:
    """A sentence of a hit: exactly ``hit.passage.text[start:end]``."""

    hit: Hit
    start: int
    end: int
    terms: tuple[str, ...]  #: in order, analysed as the question's language is

    @property
    def text(self) -> str:
        """The sentence as it stands."""
        return self.hit.passage.text[self.start : self.end]


@dataclass(frozen=True, kw_only=True)
class ScoredSpan:
    """A sentence with how well it answers; higher is better, comparable within one question only."""

    span: Span
    score: float
    coverage: float  #: share of the question's terms, those that tell the candidates apart weighing more


def spans_of(hits: Sequence[Hit], lang: str) -> list[Span]:
    """Give every sentence of ``hits`` in order."""
    return [
        Span(hit=hit, start=start, end=end, terms=tuple(analyse(hit.passage.text[start:end], lang)))
        for hit in hits
        for start, end in _trimmed(hit.passage.text)
    ]


def looks_like_code(text: str) -> bool:
    """Say whether a sentence is code, a signature or program output rather than prose."""
    return bool(_CODE_BEGINS.match(text)) or len(_CODE_MARKS.findall(text)) > _MARKS_IN_PROSE * len(text)


def _trimmed(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences without a list's bullet before them and a heading's permalink after them."""
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        kept = _BULLET.sub("", sentence)
        shown = kept.rstrip("¶ ")
        if shown:
            first = start + len(sentence) - len(kept)
            yield first, first + len(shown)


def score_spans(analysis: Analysis, spans: Sequence[Span]) -> list[ScoredSpan]:
    """Score each sentence by the question's words in and beside it, its hit's score and the kind of answer it holds."""
    weights = _telling_weights(analysis, spans)
    kind = asked_for(analysis.text)
    return [
        ScoredSpan(
            span=span,
            coverage=(own := _share(weights, {*span.terms})),
            score=_COVERAGE * own
            + _beside(weights, span, _neighbours(spans, at))
            + _HIT * span.hit.score
            + _TYPE * fit(kind, analysis.text, span.text)
            + _TOGETHER * _togetherness(weights, span.terms)
            + _LENGTH * math.log1p(len(set(span.terms)))
            - _readability_loss(span.text),
        )
        for at, span in enumerate(spans)
    ]


def _readability_loss(text: str) -> float:
    """Give what a sentence loses for being code, or too long to be read as an answer."""
    too_long = max(0, len(text) - _LONG_CHARACTERS) / _LONG_CHARACTERS
    return _CODE * looks_like_code(text) + _LONG * too_long


def _telling_weights(analysis: Analysis, spans: Sequence[Span]) -> dict[str, float]:
    """Weigh each term of the question by its rarity in general and among these sentences."""
    held = [set(span.terms) for span in spans]
    return {
        term: rarity(term, analysis.lang) * math.log1p(len(held) / (1 + sum(term in terms for terms in held)))
        for term in content_terms(analysis.text, analysis.lang)
    }


def _neighbours(spans: Sequence[Span], at: int) -> list[Span]:
    beside = [spans[near] for near in (at - 1, at + 1) if 0 <= near < len(spans)]
    return [span for span in beside if span.hit is spans[at].hit]


def _beside(weights: Mapping[str, float], span: Span, neighbours: Sequence[Span]) -> float:
    """Score what the sentence covers together with a neighbour, less what that neighbour would alone."""
    together = max((_share(weights, {*span.terms, *other.terms}) for other in neighbours), default=None)
    if together is None:
        return _WITH_NEIGHBOUR * _share(weights, {*span.terms})
    return _WITH_NEIGHBOUR * together + _NEIGHBOUR * max(_share(weights, {*other.terms}) for other in neighbours)


def _share(weights: Mapping[str, float], found: set[str]) -> float:
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in found) / total if total else 0.0


def _togetherness(weights: Mapping[str, float], terms: Sequence[str]) -> float:
    """Give the share of the question's neighbouring terms that stand near each other in the sentence."""
    pairs = list(pairwise(weights))
    places = {term: [at for at, other in enumerate(terms) if other == term] for term in weights}
    near = [any(0 < abs(a - b) <= _NEAR for a in places[one] for b in places[other]) for one, other in pairs]
    return sum(near) / len(near) if near else 0.0
