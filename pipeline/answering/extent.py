"""Extend a chosen sentence: to the name it describes, the text it announces, or the sentences around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from pipeline.judging.coverage import SpanCoverage
from pipeline.judging.sentence_score import is_instruction
from pipeline.judging.sentences import Span

#: the longest quote of a sentence with the text it announces; a longer announcement is left out as a whole
MAX_QUOTE_CHARACTERS = 700
#: a sentence with fewer terms ("From the sky.") is quoted with the next one
FEW_TERMS = 5
#: the words of a sentence with those around it, where its hit was read. Two such quotes hold the answer as often as
#: three sentences do, in fewer words
QUOTE_WORDS = 30
#: how much nearer to the question the sentence before must be to be quoted rather than the next one
_BEFORE = 0.05


def extend(read: SpanCoverage, read_spans: Sequence[SpanCoverage], *, wants_code: bool) -> Span:
    """Return a sentence with what it announces, or else, where its hit was read, with the sentences around it."""
    beside = [each for each in read_spans if each.span.hit is read.span.hit]
    whole = _completed(read.span, [each.span for each in beside], wants_code=wants_code)
    return whole if whole != read.span or read.cosine is None else _in_context(read, beside)


def _completed(span: Span, spans: Sequence[Span], *, wants_code: bool) -> Span:
    """Extend a sentence to the name it describes and the text it announces, in its passage and within bounds.

    The name is the signature above it; a colon announces the list or code that follows, a very short sentence the next
    one. A question about how to do something gets the code in any case.
    """
    start = span.start if span.named_at is None else span.named_at
    named = replace(span, start=start) if span.end - start <= MAX_QUOTE_CHARACTERS else span
    following = [other for other in spans if other.start >= span.end]
    if span.text.endswith(":"):
        announced = list(takewhile(lambda other: other.kind in ("code", "row", "signature"), following))
    elif len(span.terms) < FEW_TERMS:
        announced = following[:1] if following and following[0].kind == "prose" else []
    else:
        announced = list(takewhile(lambda other: other.kind == "code", following)) if wants_code else []
    announced = list(takewhile(lambda other: not is_instruction(other), announced))
    whole = announced and announced[-1].end - named.start <= MAX_QUOTE_CHARACTERS
    return replace(named, end=announced[-1].end) if whole else named


def _in_context(read: SpanCoverage, beside: Sequence[SpanCoverage]) -> Span:
    """Extend a sentence by the one before or the next, the nearer to the question first, up to so many words."""
    text = read.span.hit.passage.text
    first = last = next(at for at, each in enumerate(beside) if each is read)
    while True:
        grown = [
            ((beside[added].cosine or 0.0) + (_BEFORE if added > last else 0.0), min(first, added), max(last, added))
            for added in (first - 1, last + 1)
            if 0 <= added < len(beside) and not is_instruction(beside[added].span)
        ]
        fitting = [each for each in grown if _words(text, beside[each[1]].span, beside[each[2]].span) <= QUOTE_WORDS]
        if not fitting:
            return replace(read.span, start=beside[first].span.start, end=beside[last].span.end)
        _, first, last = max(fitting)


def _words(text: str, first: Span, last: Span) -> int:
    return len(text[first.start : last.end].split())
