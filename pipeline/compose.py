"""The extractive composer: the one or two sentences of the hits that answer best, each with its citation.

Nothing is written that a page does not say: a sentence of the answer is a span of a passage. Its own embedding
was measured to add nothing to its words: none is made. A sentence that announces code is quoted with that code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.cite import write_out
from pipeline.question import Analysis
from pipeline.rerank import jaccard
from pipeline.spans import ScoredSpan, Span, score_spans, spans_of
from store.types import Answer, Citation, Hit, Sentence

#: how many of the best passages are read for an answer
PASSAGES = 3
MAX_SENTENCES = 2
#: a second sentence is given when it scores at least this share of the first
WORTH_GIVING = 0.5
SAME_ABOVE = 0.8
#: a sentence with its code; longer code is left out as a whole
MAX_QUOTE_CHARACTERS = 700
COMPOSER = "extractive"

_CODE = re.compile(
    r">>>|\.\.\.(?:\s|$)|\$ |@\w|#|[\w.\[\]'\", ]+ = |[\w.]+\(.*\)?|[)}\]]"
    r"|(?:import|from|def|class|with|for|while|if|else|elif|try|except|return|print|async|await)\b.*[:()=\w]$"
)


def compose(analysis: Analysis, hits: Sequence[Hit], *, confidence: float) -> Answer | None:
    """Give the sentences of ``hits`` that answer best, or None when there is no sentence at all."""
    spans = spans_of(hits[:PASSAGES], analysis.lang)
    if not spans:
        return None
    chosen = choose(score_spans(analysis, spans))
    quoted = [_with_code(span, spans) if analysis.question_type == "procedural" else span for span in chosen]
    return _write(quoted, confidence)


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


def _with_code(span: Span, spans: Sequence[Span]) -> Span:
    """Stretch a sentence that ends with a colon over the code that follows it in its passage."""
    if not span.text.endswith(":"):
        return span
    end = span.end
    for other in spans:
        if other.hit is span.hit and other.start >= end:
            if not _CODE.match(other.text):
                break
            end = other.end
    return replace(span, end=end) if end - span.start <= MAX_QUOTE_CHARACTERS else span


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
    first, *more = span.text.splitlines()
    code = bool(more) and first.endswith(":")
    return span.text if code else " ".join(span.text.split())


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
