"""Write quotes as an answer: their readable text, their citations, and the place of the chosen sentence in each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain import Answer, Citation, Sentence
from domain.answer import ChosenSentence
from pipeline.answering.citations import cite, render
from pipeline.answering.extent import Quote
from pipeline.judging.kinds import looks_like_code
from pipeline.judging.sentences import Span
from pipeline.safety.sanitize import sanitize, sanitize_line

COMPOSER = "extractive"
_LINE = re.compile(r"(?:[-*•‣]|\d+[.)]) ")


def write(quotes: Sequence[Quote], confidence: float) -> Answer:
    """Return the answer of these quotes; a row and the header of its table are cited each by itself."""
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    for quote in quotes:
        own = [
            cite(span.passage, span.start, span.end, marker=marker)
            for marker, span in enumerate(quote.spans, start=len(citations) + 1)
        ]
        citations += own
        sentences.append(_sentence(quote, tuple(citation.marker for citation in own)))
    return Answer(
        text=render(tuple(sentences)),
        sentences=tuple(sentences),
        citations=tuple(citations),
        confidence=confidence,
        composer=COMPOSER,
    )


def _sentence(quote: Quote, markers: tuple[int, ...]) -> Sentence:
    """Return a quote as a sentence of the answer, with the place in it of the one that was chosen."""
    text = "\n".join(map(readable, reversed(quote.spans)))
    return Sentence(text=text, markers=markers, chosen=_chosen(quote, text))


def _chosen(quote: Quote, text: str) -> ChosenSentence | None:
    """Return where the chosen sentence stands in a quote that reads ``text``, below what precedes it; None for all."""
    span, sentence = quote.span, quote.sentence
    keeps_lines = _keeps_lines(span)
    chosen = _read(sentence.text, keeps_lines=keeps_lines)
    before = _read(span.passage.text[span.start : sentence.start], keeps_lines=keeps_lines)
    start = text.find(chosen, len(text) - len(readable(span)) + len(before))
    return ChosenSentence(start=start, end=start + len(chosen)) if start >= 0 and chosen != text else None


def readable(span: Span) -> str:
    """Return a chosen quote without links and images: prose on one line, code with its lines."""
    return _read(span.text, keeps_lines=_keeps_lines(span))


def quoted(quote: str) -> str:
    """Return a page's text as :func:`readable` does, if nothing is known of its kind."""
    return _read(quote, keeps_lines=_has_lines(quote))


def _keeps_lines(span: Span) -> bool:
    return span.kind == "snippet" or _has_lines(span.text)


def _has_lines(text: str) -> bool:
    lines = sanitize(text).splitlines()
    return any(map(looks_like_code, lines)) or any(_LINE.match(line) or " | " in line for line in lines[1:])


def _read(text: str, *, keeps_lines: bool) -> str:
    return sanitize(text, markers=True) if keeps_lines else sanitize_line(text)
