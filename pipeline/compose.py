"""The extractive composer: the one or two sentences of the hits that answer best, each with its citation.

Nothing is written that a page does not say: a sentence of the answer is a span of a passage. Its own embedding
was measured to add nothing to its words: none is made. A sentence that announces code is quoted with that code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from pipeline.cite import write_out
from pipeline.question import Analysis
from pipeline.rerank import jaccard
from pipeline.spans import ScoredSpan, Span, looks_like_code, score_spans, spans_of
from store.types import Answer, Citation, Hit, Sentence

#: how many of the best passages are read for an answer
PASSAGES = 3
MAX_SENTENCES = 2
#: a second sentence is given when it scores at least this share of the first
WORTH_GIVING = 0.5
SAME_ABOVE = 0.8
#: a sentence with what it announces; what is longer is left out as a whole
MAX_QUOTE_CHARACTERS = 700
COMPOSER = "extractive"

_ENDS = (".", "!", "?", ":", "…", "。", "！", "？", ".”", '."', ".)")
#: how many signatures may stand above the sentence that explains them
_LINES_BEFORE_PROSE = 4


def compose(analysis: Analysis, hits: Sequence[Hit], *, confidence: float) -> Answer | None:
    """Give the sentences of ``hits`` that answer best, or None when there is no sentence at all."""
    spans = spans_of(hits[:PASSAGES], analysis.lang)
    if not spans:
        return None
    chosen = choose(score_spans(analysis, spans))
    return _write(_apart([_completed(span, spans) for span in chosen]), confidence)


def choose(scored: Sequence[ScoredSpan]) -> list[Span]:
    """Give the best sentence, and the next best that says something else and is worth giving."""
    ranked = sorted(scored, key=lambda item: -item.score)
    chosen: list[Span] = []
    for item in ranked:
        weak = item.score < WORTH_GIVING * ranked[0].score
        if len(chosen) == MAX_SENTENCES or (chosen and weak):
            break
        if not any(jaccard(set(item.span.terms), set(span.terms)) > SAME_ABOVE for span in chosen):
            chosen.append(item.span)
    return chosen


def _completed(span: Span, spans: Sequence[Span]) -> Span:
    """Stretch a sentence that announces something over what it announces, in its passage and within bounds.

    A colon announces the code that follows; a line without a full stop (a heading, a signature) the sentence after it.
    """
    following = [other for other in spans if other.hit is span.hit and other.start >= span.end]
    if span.text.endswith(":"):
        announced = list(takewhile(lambda other: looks_like_code(other.text), following))
    elif not span.text.endswith(_ENDS):
        announced = following[:_LINES_BEFORE_PROSE]
        prose = [at for at, other in enumerate(announced) if other.text.endswith(_ENDS)]
        announced = announced[: prose[0] + 1] if prose else []
    else:
        announced = []
    fitting = [other.end for other in announced if other.end - span.start <= MAX_QUOTE_CHARACTERS]
    whole = len(fitting) == len(announced)
    return replace(span, end=fitting[-1]) if fitting and whole else span


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Leave out a quote that repeats what another, before it, says already."""
    kept: list[Span] = []
    for span in spans:
        if not any(span.text in other.text or other.text in span.text or _overlap(span, other) for other in kept):
            kept.append(span)
    return kept


def _overlap(one: Span, other: Span) -> bool:
    return one.hit is other.hit and one.start < other.end and other.start < one.end


def _write(spans: Sequence[Span], confidence: float) -> Answer:
    citations = tuple(_citation(span, marker) for marker, span in enumerate(spans, start=1))
    sentences = tuple(Sentence(text=_readable(span), markers=(marker,)) for marker, span in enumerate(spans, start=1))
    return Answer(
        text=write_out(sentences),
        sentences=sentences,
        citations=citations,
        confidence=confidence,
        composer=COMPOSER,
    )


def _readable(span: Span) -> str:
    """Unwrap prose; keep the lines of a quote with code."""
    lines = span.text.splitlines()
    return span.text if any(map(looks_like_code, lines)) else " ".join(span.text.split())


def _citation(span: Span, marker: int) -> Citation:
    passage = span.hit.passage
    return Citation(
        marker=marker,
        passage_id=passage.id,
        page_id=passage.page_id,
        url=passage.url,
        title=passage.title,
        quote=span.text,
        start=passage.start + span.start,
        end=passage.start + span.end,
        published=passage.published,
        read_at=passage.read_at,
    )
