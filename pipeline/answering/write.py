"""Write quotes as an answer: their readable text, their citations, and the place of the chosen sentence in each."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from textwrap import dedent

from domain import TABLES, Answer, Block, BlockKind, Citation, Sentence, blocks_within
from domain.answer import EXTRACTIVE, AnswerBlock, ChosenSentence
from pipeline.answering.citations import cite, render
from pipeline.answering.extent import Quote
from pipeline.judging.kinds import looks_like_code
from pipeline.judging.sentences import Span
from pipeline.safety.sanitize import sanitize, sanitize_line

_KEEPING_LINES: frozenset[BlockKind] = frozenset({"code", "list", "definition", *TABLES})
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
        sentences += _sentences(quote, tuple(citation.marker for citation in own))
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
        holding = [other for other in used if holds(cited[other], cited[marker])]
        whole.setdefault(max(holding, key=lambda at: len(cited[at].quote)), []).append(marker)
    sentences = tuple(
        Sentence(
            text=quoted(cited[marker].quote, cited[marker].blocks),
            markers=tuple(sorted(parts)),
            origin="quoted",
        )
        for marker, parts in whole.items()
    )
    return replace(answer, text=render(sentences), sentences=sentences)


def holds(one: Citation, other: Citation) -> bool:
    """Return whether a citation's quote holds all of another one's."""
    return one.page_id == other.page_id and one.start <= other.start and other.end <= one.end


def _sentences(quote: Quote, markers: tuple[int, ...]) -> list[Sentence]:
    """Return a quote as sentences of the answer, its code by itself, with the place of the one that was chosen."""
    span, header = quote.span, "".join(f"{readable(each)}\n" for each in quote.spans[1:])
    found: list[Sentence] = []
    for is_code, parts in groupby(_parts(span.text, _blocks_of(span)), key=lambda part: part.kind == "code"):
        some = list(parts)
        start, end = span.start + some[0].start, span.start + some[-1].end
        text = header + readable(replace(span, start=start, end=end))
        chosen = _chosen(quote, start, text, len(header)) if start <= quote.sentence.start < end else None
        block: AnswerBlock = "code" if is_code else ""
        found.append(Sentence(text=text, markers=markers, block=block, origin="quoted", chosen=chosen))
        header = ""
    return found


def _chosen(quote: Quote, begins: int, text: str, headed: int) -> ChosenSentence | None:
    """Return where the chosen sentence stands in a text, the quote from ``begins`` on below a header; None for all."""
    chosen = readable(quote.sentence)
    before = readable(replace(quote.span, start=begins, end=quote.sentence.start))
    start = text.find(chosen, headed + len(before))
    return ChosenSentence(start=start, end=start + len(chosen)) if start >= 0 and chosen != text else None


def readable(span: Span) -> str:
    """Return a quote without links and images: prose on one line, code, items and rows with their lines."""
    return _read(span.text, _blocks_of(span))


def quoted(quote: str, blocks: Sequence[Block] = ()) -> str:
    """Return a page's text as :func:`readable` does; without ``blocks`` its kinds show in its form."""
    return _read(quote, blocks)


def _blocks_of(span: Span) -> tuple[Block, ...]:
    return blocks_within(span.passage.blocks, span.start, span.end)


def _read(text: str, blocks: Sequence[Block]) -> str:
    if not blocks:
        return sanitize(text, markers=True) if _has_lines(text) else sanitize_line(text)
    parts = [(part.kind, text[part.start : part.end]) for part in _parts(text, blocks)]
    gap = "\n" if any(kind in _KEEPING_LINES for kind, _ in parts) and len(parts) > 1 else " "
    return gap.join(_readable(kind, part) for kind, part in parts).strip()


def _readable(kind: BlockKind, text: str) -> str:
    if kind == "code":
        return dedent(sanitize(text, markers=True)).strip("\n")
    return "\n".join(map(sanitize_line, text.strip().split("\n"))) if kind in _KEEPING_LINES else sanitize_line(text)


def _parts(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a text; all of it is one where they are not known."""
    return list(blocks) or [Block(kind="prose", start=0, end=len(text))]


def _has_lines(text: str) -> bool:
    lines = sanitize(text).splitlines()
    return any(map(looks_like_code, lines)) or any(ITEM.match(line) or " | " in line for line in lines[1:])
