"""The extractive composer: the one to three sentences of the hits that answer, each with its citation."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from pipeline.cite import write_out
from pipeline.question import Analysis
from pipeline.retrieve import Embed, Vectors
from pipeline.spans import Span, spans_of
from pipeline.terms import content_terms, coverage
from store.types import Answer, Citation, Hit, Sentence

#: how many of the best passages are read for an answer
PASSAGES = 3
MAX_SENTENCES = 2
#: what embedding costs most: only the sentences with the best words are embedded
EMBEDDED = 12
COMPOSER = "extractive"

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend|million(?:en)?|milliarden?)\b",
    re.I,
)
_NAME = re.compile(r"(?<=\S )[A-ZÄÖÜ][\w’'-]+")
_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much|long|far|old|tall|big|large|often|high)|wie (?:viele?|lange|weit|alt|hoch|groß|oft)"
    r"|what (?:percent\w*|number))\b",
    re.I,
)
_WHO = re.compile(r"\b(?:who|whom|whose|wer|wen|wem|wessen)\b", re.I)


def compose(
    analysis: Analysis, hits: Sequence[Hit], *, question_vector: Vectors, embedder: Embed, confidence: float
) -> Answer | None:
    """Give the sentences of ``hits`` that answer best, or None without hits."""
    spans = spans_of(hits[:PASSAGES], analysis.lang)
    if not spans:
        return None
    scores = score_spans(analysis, spans, question_vector, embedder)
    best = sorted(range(len(spans)), key=lambda at: -scores[at])[:MAX_SENTENCES]
    return _write([spans[at] for at in best], confidence)


def score_spans(analysis: Analysis, spans: Sequence[Span], question_vector: Vectors, embedder: Embed) -> list[float]:
    """Score each span: question words covered + similarity + passage score + the right kind of answer."""
    terms = content_terms(analysis.text, analysis.lang)
    words = [coverage(terms, set(span.terms), {}) for span in spans]
    rows = embedder.embed([span.text for span in spans])
    similarities = np.asarray(rows @ question_vector)
    return [
        words[at] + float(similarities[at]) + 0.5 * span.hit.score + 0.2 * answer_type_fits(analysis, span.text)
        for at, span in enumerate(spans)
    ]


def answer_type_fits(analysis: Analysis, text: str) -> bool:
    """Say whether the text holds what the question asks for: a date or number, or a name."""
    if analysis.question_type == "temporal" or _HOW_MANY.search(analysis.text):
        return bool(_NUMBER.search(text))
    if _WHO.search(analysis.text):
        return bool(_NAME.search(text))
    return False


def _write(spans: Sequence[Span], confidence: float) -> Answer:
    citations = tuple(_citation(span, marker) for marker, span in enumerate(spans, start=1))
    sentences = tuple(
        Sentence(text=" ".join(span.text.split()), markers=(marker,)) for marker, span in enumerate(spans, start=1)
    )
    return Answer(
        text=write_out(sentences),
        sentences=sentences,
        citations=citations,
        confidence=confidence,
        composer=COMPOSER,
    )


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
