"""How well a sentence answers: the score by which the composer chooses and the judge looks closer."""

from __future__ import annotations

import math

from pipeline.reading import ReadSpan
from pipeline.spans import Kind

#: fitted listwise (conditional softmax) on one half of the titles of squad2 and xquad, rounded: a score per unit
_OWN, _LED, _WIDE, _NEIGHBOUR, _HIT, _FIT, _NEAR, _LENGTH = 2.0, 2.5, 4.6, -0.3, 6.8, 0.75, 2.3, 0.15
#: judged by reading answers from documentation: what a sentence loses for what it is, and for each further length
_LOSS: dict[Kind, float] = {"prose": 0, "row": 0.5, "code": 2, "signature": 2, "heading": 4, "question": 4}
_LONG, _LONG_CHARACTERS = 2.0, 350


def score(read: ReadSpan) -> float:
    """Give how well the sentence answers; higher is better, comparable within one question only."""
    return (
        _OWN * read.own
        + _LED * read.led
        + _WIDE * read.wide
        + _NEIGHBOUR * read.neighbour
        + _HIT * read.span.hit.score
        + _FIT * read.fit
        + _NEAR * read.near
        + _LENGTH * math.log1p(len(set(read.span.terms)))
        - _readability_loss(read)
    )


def _readability_loss(read: ReadSpan) -> float:
    """Give what a sentence loses for being code, no prose, or too long to be read as an answer."""
    text = read.span.text
    too_long = max(0, len(text) - _LONG_CHARACTERS) / _LONG_CHARACTERS
    return _LOSS[read.span.kind] + _LONG * too_long
