"""Extend a chosen sentence to its quote, and write quotes as an answer: their readable text and their citations.

A quote has what its sentence announces, the list, table or definition it is in, and its neighbours. It never crosses a
heading or a question, and never runs from a paragraph into code, a table or a list that it does not announce.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from textwrap import dedent

from domain import TABLES, Answer, Block, BlockKind, Citation, Passage, Sentence, blocks_within
from domain.answer import EXTRACTIVE, AnswerBlock, ChosenSentence
from pipeline.answering.citations import cite, render
from pipeline.judging.evidence import WORTH_GIVING, SpanCoverage, is_as_good
from pipeline.judging.sentences import (
    ANSWERING,
    LINES,
    MAX_QUOTE_CHARACTERS,
    Span,
    announced_by,
    asks,
    is_instruction,
    looks_like_code,
)
from pipeline.safety.sanitize import sanitize, sanitize_line
from text.sentences import goes_on

#: a sentence with fewer terms ("From the sky.") is quoted with the next one
FEW_TERMS = 5
#: the words of a quote with the sentences around the chosen one; two quotes share what one alone may have
QUOTE_WORDS, ALONE_WORDS = 20, 60
#: what it counts that a neighbour surely answers too, and that it is the next sentence and not the one before
_ANSWERS, _NEXT = 0.5, 0.05
#: what it counts that the chosen sentence, or the neighbour itself, says only half without the other
_BELONGS = 1.0
_KEEPING_LINES: frozenset[BlockKind] = frozenset({"code", "list", "definition", *TABLES})
ITEM = re.compile(r"(?:[-*•‣]|\d+[.)]) ")


@dataclass(frozen=True, kw_only=True)
class Quote:
    """What is quoted for a sentence."""

    span: Span
    sentence: Span  #: the one that was chosen
    header: Span | None = None  #: of the table that the span is in, where rows between the two are left out

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return what is to be cited, the header last."""
        return (self.span,) if self.header is None else (self.span, self.header)

    @property
    def text(self) -> str:
        """Return what is quoted, the header first."""
        return "\n".join(span.text for span in reversed(self.spans))


def extend(
    read: SpanCoverage, read_spans: Sequence[SpanCoverage], *, wants_all: bool, words: int = QUOTE_WORDS
) -> Quote:
    """Return the part of a passage to quote for a sentence, of about ``words`` words where it is prose.

    With ``wants_all`` the whole list, the steps or the code are quoted, where they are not too long; of a list also if
    another item answers about as well.
    """
    of_hit = [each for each in read_spans if each.at == read.at]
    at = next(place for place, each in enumerate(of_hit) if each is read)
    spans = [each.span for each in of_hit]
    of_list = [each for each in of_hit if each.span.block == read.span.block and each.span.marked_at is not None]
    is_one_of_several = read.span.block_kind == "list" and any(
        is_as_good(each, read, WORTH_GIVING) for each in of_list if each is not read
    )
    whole = _whole(spans, at, wants_all=wants_all or is_one_of_several)
    quote = _with_first_mark(_in_context(of_hit, at, words) if whole is None else whole, spans)
    headers = (span for span in spans if span.kind == "header" and span.block == quote.block)
    header = next((header for header in headers if header.end <= quote.start), None)
    return Quote(span=quote, sentence=read.span, header=header)


def _with_first_mark(quote: Span, spans: Sequence[Span]) -> Span:
    """Return a quote of several items of a list from the mark of the first, "1." or "-": the others have theirs."""
    first = next((span for span in spans if span.start == quote.start), None)
    if first is None or first.marked_at is None or first.kind == "signature":
        return quote
    further = any(first.end <= span.start < quote.end and span.marked_at is not None for span in spans)
    return replace(quote, start=first.marked_at) if further else quote


def _whole(spans: Sequence[Span], at: int, *, wants_all: bool) -> Span | None:
    """Return the sentence with what it announces, or with the list, the table or the definition it is in; or None."""
    span = spans[at]
    following = list(takewhile(lambda other: not is_instruction(other), spans[at + 1 :]))
    if (reply := _reply(spans, at)) is not None:
        return reply
    if (named := _with_name(span, following)) is not None:
        return named
    is_open = (
        span.block_kind == "prose" and span.text[-1].isalnum() and following and following[0].marked_at is not None
    )
    if (is_open or span.text.endswith(":")) and (last := announced_by(span, following)) is not None:
        return _joined(span, last)
    if span.block_kind in LINES and (in_block := _list_or_rows(spans, at, wants_all=wants_all)):
        return in_block
    code = [other for other in takewhile(lambda other: other.kind == "code", following) if not other.text.endswith(":")]
    if wants_all and code:
        return _within_limit(span, code[-1])
    return None


def _with_name(span: Span, following: Sequence[Span]) -> Span | None:
    """Return the sentence from the signature above it, with what it announces; None where that is too long."""
    if span.named_at is None:
        return None
    named = replace(span, start=span.named_at)
    last = announced_by(named, following) if span.text.endswith(":") else span
    return None if last is None else _within_limit(named, last)


def _reply(spans: Sequence[Span], at: int) -> Span | None:
    """Return all prose that the page replies to a question, where the sentence is in it; None where that is long."""
    if not _is_prose(spans[at]):
        return None
    first = at - sum(1 for _ in takewhile(_is_prose, reversed(spans[:at])))
    if not first or not asks(spans[first - 1].text):
        return None
    last = list(takewhile(_is_prose, spans[first:]))[-1]
    reply = _joined(spans[first], last)
    return reply if len(reply.text.split()) <= ALONE_WORDS else None


def _is_prose(span: Span) -> bool:
    return span.kind == span.block_kind == "prose" and not span.text.endswith(":") and not is_instruction(span)


def _list_or_rows(spans: Sequence[Span], at: int, *, wants_all: bool) -> Span | None:
    """Return the list, the rows of a table or the definition that a sentence is in; or None.

    Of a table these are the row and the two next to it; the header is cited by itself.
    """
    span = spans[at]
    places = [place for place, other in enumerate(spans) if other.block == span.block]
    first = places[0]
    last = next((place for place in reversed(places) if not spans[place].text.endswith(":")), at)
    if any(is_instruction(spans[place]) for place in places):
        return None
    leads = _announcements(spans, first)
    limit = MAX_QUOTE_CHARACTERS if wants_all else 0
    if span.block_kind in TABLES:
        rows = [place for place in places if spans[place].kind != "header"]
        near = [spans[place] for place in rows if abs(place - at) <= 1]
        leads = leads if rows[0] == first else []
        above = leads if near[0] == spans[first] else []
        candidates = [(lead, spans[rows[-1]]) for lead in leads or [spans[rows[0]]]] if wants_all else []
        candidates += [(lead, near[-1]) for lead in above] + [(near[0], near[-1]), (near[0], span)]
    elif span.block_kind == "list":
        candidates = [(lead, spans[last]) for lead in (*leads, spans[first])] if wants_all else []
    else:
        candidates = [(spans[first], spans[last]), (spans[first], span)]
    for start, end in candidates:
        quote = replace(span, start=start.start, end=end.end)
        if len(quote.text.split()) <= ALONE_WORDS or len(quote.text) <= limit:
            return quote
    return span if span.block_kind in TABLES else None


def _announcements(spans: Sequence[Span], first: int) -> list[Span]:
    """Return what a block may be quoted from, widest first: "You:" needs the sentence before it, where that fits."""
    before = spans[first - 1] if first else spans[0]
    if not before.text.endswith(":") or is_instruction(before):
        return [spans[first]]
    says_little = before.block_kind == "prose" and len(before.terms) < FEW_TERMS
    return [spans[first - 2], before] if says_little and first > 1 and _is_prose(spans[first - 2]) else [before]


def _within_limit(first: Span, last: Span) -> Span | None:
    whole = _joined(first, last)
    return whole if len(whole.text) <= MAX_QUOTE_CHARACTERS else None


def _in_context(of_hit: Sequence[SpanCoverage], at: int, words: int) -> Span:
    """Extend a sentence by the one before or the next: what it belongs with first, then what answers."""
    spans = [each.span for each in of_hit]
    first = last = at
    while True:
        grown = [
            (_worth(of_hit, added, first, last), min(first, added), max(last, added))
            for added in (first - 1, last + 1)
            if 0 <= added < len(spans) and _continues(spans, added, first if added < first else last)
        ]
        fitting = [
            each
            for each in grown
            if len(_joined(spans[each[1]], spans[each[2]]).text.split())
            <= (2 * words if each[0] >= _BELONGS else words)
        ]
        best = max(fitting, default=None)
        if best is None or (of_hit[at].evidence is None and best[0] < _BELONGS):
            return _joined(spans[first], spans[last])
        _, first, last = best


def _worth(of_hit: Sequence[SpanCoverage], added: int, first: int, last: int) -> float:
    """Return how likely a neighbour answers too; more, where one of the two says only half without the other."""
    logit = of_hit[added].evidence
    own = 0.0 if logit is None else _ANSWERS / (1 + math.exp(-logit))
    if added < first:
        leans = goes_on(of_hit[first].span.text) and of_hit[added].evidence is not None
        return own + (_BELONGS if leans else 0.0)
    text, few = of_hit[added].span.text, len(of_hit[last].span.terms) < FEW_TERMS
    leans = goes_on(text) and of_hit[added].evidence is not None
    return own + _NEXT + (_BELONGS if few or leans else 0.0)


def _continues(spans: Sequence[Span], added: int, edge: int) -> bool:
    """Return whether a neighbour can be read on with the sentence: both in prose, or in one item of a list.

    What announces something is read on with it only.
    """
    one, other = spans[min(added, edge)], spans[max(added, edge)]
    if spans[added].kind not in ANSWERING or is_instruction(spans[added]) or other.text.endswith(":"):
        return False
    if one.block == other.block:
        return one.block_kind != "list" or "\n" not in one.passage.text[one.end : other.start]
    return one.block_kind == other.block_kind == spans[added].kind == "prose"


def _joined(first: Span, last: Span) -> Span:
    return replace(first, end=last.end)


def write(quotes: Sequence[Quote], confidence: float) -> Answer:
    """Return the answer of these quotes; a row and the header of its table are cited each by itself."""
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    for quote in quotes:
        markers = tuple(range(len(citations) + 1, len(citations) + 1 + len(quote.spans)))
        citations += [
            cite(span.passage, span.start, span.end, marker=marker)
            for marker, span in zip(markers, quote.spans, strict=True)
        ]
        sentences += _sentences(quote, markers)
    return Answer(
        text=render(tuple(sentences)),
        sentences=tuple(sentences),
        citations=tuple(citations),
        confidence=confidence,
        composer=EXTRACTIVE,
    )


def whole(passages: Sequence[Passage]) -> Answer:
    """Return the answer that all of these passages are, which needs no judge."""
    spans = [Span(passage=each, start=0, end=len(each.text), kind="prose", terms=()) for each in passages]
    return write([Quote(span=span, sentence=span) for span in spans], 1.0)


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
            text=text_of_quote(cited[marker].quote, cited[marker].blocks), markers=tuple(sorted(parts)), origin="quoted"
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
    """Return where the chosen sentence is in a text, the quote from ``begins`` on below a header; None for all."""
    chosen = readable(quote.sentence)
    before = readable(replace(quote.span, start=begins, end=quote.sentence.start))
    start = text.find(chosen, headed + len(before))
    return ChosenSentence(start=start, end=start + len(chosen)) if start >= 0 and chosen != text else None


def readable(span: Span) -> str:
    """Return the text of a span as :func:`quoted` does."""
    return text_of_quote(span.text, _blocks_of(span))


def text_of_quote(text: str, blocks: Sequence[Block] = ()) -> str:
    """Return a page's text without links and images: prose on one line, code, items and rows with their lines.

    Without ``blocks`` its kinds show in its form.
    """
    if not blocks:
        lines = sanitize(text).splitlines()
        has_lines = any(map(looks_like_code, lines)) or any(ITEM.match(line) or " | " in line for line in lines[1:])
        return sanitize(text, markers=True) if has_lines else sanitize_line(text)
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


def _blocks_of(span: Span) -> tuple[Block, ...]:
    return blocks_within(span.passage.blocks, span.start, span.end)
