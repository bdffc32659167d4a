"""Extend a chosen sentence to its quote: what it announces, the list, table or definition it is in, its neighbours.

A quote never crosses a heading or a question, and never runs from a paragraph into code, a table or a list that it
does not announce.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from domain import TABLES
from pipeline.judging.coverage import SpanCoverage
from pipeline.judging.kinds import ANSWERING, asks
from pipeline.judging.sentence_score import WORTH_GIVING, is_as_good, is_instruction
from pipeline.judging.sentences import LINES, MAX_QUOTE_CHARACTERS, Span, announced_by
from text.sentences import goes_on

#: a sentence with fewer terms ("From the sky.") is quoted with the next one
FEW_TERMS = 5
#: the words of a quote with the sentences around the chosen one; two quotes share what one alone may have
QUOTE_WORDS, ALONE_WORDS = 20, 60
#: what it counts that a neighbour surely answers too, and that it is the next sentence and not the one before
_ANSWERS, _NEXT = 0.5, 0.05
#: what it counts that the chosen sentence, or the neighbour itself, says only half without the other
_BELONGS = 1.0


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
    beside = [each for each in read_spans if each.at == read.at]
    at = next(place for place, each in enumerate(beside) if each is read)
    spans = [each.span for each in beside]
    whole = _whole(spans, at, wants_all=wants_all or _is_one_of_several(read, beside))
    quote = _with_first_mark(_in_context(beside, at, words) if whole is None else whole, spans)
    return Quote(span=quote, sentence=read.span, header=_header_above(quote, spans))


def _is_one_of_several(read: SpanCoverage, beside: Sequence[SpanCoverage]) -> bool:
    """Return whether a sentence is in a list of which another item answers about as well."""
    items = [each for each in beside if each.span.block == read.span.block and each.span.marked_at is not None]
    return read.span.block_kind == "list" and any(
        is_as_good(each, read, WORTH_GIVING) for each in items if each is not read
    )


def _header_above(quote: Span, spans: Sequence[Span]) -> Span | None:
    """Return the header of the table in which a quote begins below it; or None."""
    headers = (span for span in spans if span.kind == "header" and span.block == quote.block)
    return next((header for header in headers if header.end <= quote.start), None)


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
    if span.block_kind in LINES and (in_block := _block_of(spans, at, wants_all=wants_all)):
        return in_block
    code = [other for other in takewhile(lambda other: other.kind == "code", following) if not other.text.endswith(":")]
    if wants_all and code:
        return _within(span, code[-1])
    return None


def _with_name(span: Span, following: Sequence[Span]) -> Span | None:
    """Return the sentence from the signature above it, with what it announces; None where that is too long."""
    if span.named_at is None:
        return None
    named = replace(span, start=span.named_at)
    last = announced_by(named, following) if span.text.endswith(":") else span
    return None if last is None else _within(named, last)


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


def _block_of(spans: Sequence[Span], at: int, *, wants_all: bool) -> Span | None:
    """Return the list, the rows of a table or the definition that a sentence is in; or None.

    Of a table these are the row and the two beside it; the header is cited by itself.
    """
    span = spans[at]
    places = [place for place, other in enumerate(spans) if other.block == span.block]
    first = places[0]
    last = next((place for place in reversed(places) if not spans[place].text.endswith(":")), at)
    if any(is_instruction(spans[place]) for place in places):
        return None
    before = spans[first - 1] if first else None
    lead = before if before is not None and before.text.endswith(":") and not is_instruction(before) else spans[first]
    limit = MAX_QUOTE_CHARACTERS if wants_all else 0
    if span.block_kind in TABLES:
        rows = [place for place in places if spans[place].kind != "header"]
        near = [spans[place] for place in rows if abs(place - at) <= 1]
        above = lead if rows[0] == first and near[0] == spans[first] else near[0]
        candidates = [(lead if rows[0] == first else spans[rows[0]], spans[rows[-1]])] if wants_all else []
        candidates += [(above, near[-1]), (near[0], near[-1]), (near[0], span)]
    elif span.block_kind == "list":
        candidates = [(lead, spans[last]), (spans[first], spans[last])] if wants_all else []
    else:
        candidates = [(spans[first], spans[last]), (spans[first], span)]
    for start, end in candidates:
        quote = replace(span, start=start.start, end=end.end)
        if len(quote.text.split()) <= ALONE_WORDS or len(quote.text) <= limit:
            return quote
    return span if span.block_kind in TABLES else None


def _within(first: Span, last: Span) -> Span | None:
    whole = replace(first, end=last.end)
    return whole if len(whole.text) <= MAX_QUOTE_CHARACTERS else None


def _in_context(beside: Sequence[SpanCoverage], at: int, words: int) -> Span:
    """Extend a sentence by the one before or the next: what it belongs with first, then what answers."""
    spans = [each.span for each in beside]
    first = last = at
    while True:
        grown = [
            (_worth(beside, added, first, last), min(first, added), max(last, added))
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
        if best is None or (beside[at].evidence is None and best[0] < _BELONGS):
            return _joined(spans[first], spans[last])
        _, first, last = best


def _worth(beside: Sequence[SpanCoverage], added: int, first: int, last: int) -> float:
    """Return how likely a neighbour answers too; more, where one of the two says only half without the other."""
    logit = beside[added].evidence
    own = 0.0 if logit is None else _ANSWERS / (1 + math.exp(-logit))
    if added < first:
        leans = goes_on(beside[first].span.text) and beside[added].evidence is not None
        return own + (_BELONGS if leans else 0.0)
    text, few = beside[added].span.text, len(beside[last].span.terms) < FEW_TERMS
    leans = goes_on(text) and beside[added].evidence is not None
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
    return replace(first, start=first.start, end=last.end)
