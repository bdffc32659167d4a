"""Write quotes as an answer: their readable text, their citations, and the place of the chosen sentence in each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from domain import Answer, Citation, Sentence
from domain.answer import EXTRACTIVE, ChosenSentence
from pipeline.answering.citations import cite, render
from pipeline.answering.extent import Quote
from pipeline.judging.kinds import looks_like_code
from pipeline.judging.sentences import Span
from pipeline.safety.sanitize import sanitize, sanitize_line

ITEM = re.compile(r"(?:[-*•‣]|\d+[.)]) ")


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
        composer=EXTRACTIVE,
    )


def by_section(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes with those of one section together, in the order in which the sections come first."""
    titles = list(dict.fromkeys(quote.span.passage.title for quote in quotes))
    return sorted(quotes, key=lambda quote: titles.index(quote.span.passage.title))


def with_headings(answer: Answer) -> Answer:
    """Return an answer of quotes with the title of each section above its first; as it is if there is only one."""
    titles = {citation.marker: sanitize_line(citation.title) for citation in answer.citations}
    sentences: list[Sentence] = []
    above = ""
    for sentence in answer.sentences if len(set(titles.values())) > 1 else ():
        title = titles[sentence.markers[0]]
        if title and title != above:
            sentences.append(Sentence(text=title, block="heading"))
            above = title
        sentences.append(sentence)
    return replace(answer, text=render(sentences), sentences=tuple(sentences)) if sentences else answer


def verbatim(answer: Answer) -> Answer:
    """Return an answer of the quotes that it cites, in the order of their first use, with none of a model's words.

    A quote that is a part of another one is not repeated.
    """
    if answer.composer == EXTRACTIVE:
        return answer
    cited = {citation.marker: citation for citation in answer.citations}
    used = dict.fromkeys(marker for sentence in answer.sentences for marker in sentence.markers if marker in cited)
    whole: dict[int, list[int]] = {}
    for marker in used:
        holding = [other for other in used if _holds(cited[other], cited[marker])]
        whole.setdefault(max(holding, key=lambda at: len(cited[at].quote)), []).append(marker)
    sentences = tuple(
        Sentence(
            text=quoted(cited[marker].quote),
            markers=tuple(sorted(parts)),
            origin="quoted",
            disputes=tuple(each for of in answer.sentences if marker in of.markers for each in of.disputes),
        )
        for marker, parts in whole.items()
    )
    return replace(answer, text=render(sentences), sentences=sentences)


def _holds(one: Citation, other: Citation) -> bool:
    return one.page_id == other.page_id and one.start <= other.start and other.end <= one.end


def _sentence(quote: Quote, markers: tuple[int, ...]) -> Sentence:
    """Return a quote as a sentence of the answer, with the place in it of the one that was chosen."""
    text = "\n".join(map(readable, reversed(quote.spans)))
    return Sentence(text=text, markers=markers, origin="quoted", chosen=_chosen(quote, text))


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
    return any(map(looks_like_code, lines)) or any(ITEM.match(line) or " | " in line for line in lines[1:])


def _read(text: str, *, keeps_lines: bool) -> str:
    return sanitize(text, markers=True) if keeps_lines else sanitize_line(text)
