"""Choose what a model reads: the sections of pages around the best hits, in the pages' own words.

A hit is a passage of some hundred words, and what makes it an answer is often next to it. The first gets most room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from domain import Citation, Hit, Page, Passage, blocks_within, passage_of_page, titled
from domain.options import Length
from text.sentences import sentence_spans

#: hits that are read: the first of all queries together, and the first of each query by itself. In four sets (reporting
#: questions aside) the gold text is so in .96 of what is read, as in .95 of eight hits alone and .92 of five
FUSED, OWN = 8, 2
#: tokens for the first section, the second, and each of the others, but never less than the hit itself
ROOMS: Final = (600, 250, 0)
#: the share of the room around a hit that is for what follows it
BELOW = 2 / 3
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much is quoted for an answer of some length, and how much a model reads and writes for it."""

    quotes: int = 0  #: at most, where that is more than usual
    fused: int = FUSED  #: hits of all queries together that a model reads
    own: int = OWN  #: and of each query by itself
    reads: float = 1.0  #: times the usual tokens of a section
    writes: float = 1.0  #: times the usual tokens of a reply
    sentences: int  #: that a model writes, or other blocks


ROOM: Final[dict[Length, Room]] = {
    "short": Room(sentences=8),
    "normal": Room(sentences=60),
    "long": Room(quotes=6, sentences=100),
    "report": Room(quotes=12, fused=16, own=4, reads=2.5, writes=2.0, sentences=200),
}


@dataclass(frozen=True, kw_only=True)
class PageSpan:
    """A part of a page's text."""

    page_id: int
    start: int
    end: int


def most_quotes(length: Length, usual: int) -> int:
    """Return how many sentences are quoted at most, where ``usual`` ones would be."""
    return 1 if length == "short" else max(usual, ROOM[length].quotes)


def count_tokens(text: str) -> int:
    """Return about how many tokens a model makes of a text: one for four bytes, as its tokenizers do of English."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def places_to_read(
    hits: Sequence[Hit],
    by_query: Sequence[Sequence[Hit]] = (),
    quoted: Sequence[Citation] = (),
    *,
    room: Room = ROOM["normal"],
) -> tuple[PageSpan, ...]:
    """Return the places to read around, best first: those of the first ``hits``, then each query's own first ones.

    Fusion can bury what one wording finds, so the best hits of each have places of their own. The last ones are for
    what an answer of quotes has cited.
    """
    of_queries = zip_longest(*(found[: room.own] for found in by_query))
    chosen = [*hits[: room.fused], *(hit for together in of_queries for hit in together if hit is not None)]
    passages = {hit.passage.id: hit.passage for hit in chosen}
    places = (*passages.values(), *quoted)
    return tuple(PageSpan(page_id=each.page_id, start=each.start, end=each.end) for each in places)


def sections(
    spans: Sequence[PageSpan], pages: Mapping[int, Page], *, tokens: int, rooms: Sequence[float] = ROOMS
) -> tuple[Passage, ...]:
    """Return the sections around the spans, best first, of ``tokens`` tokens in all; those that touch are one.

    A section is a passage whose text is the page's from ``start`` to ``end``. It grows to the headings around it, and
    beyond them where there is room. Left out are the spans of pages that are not there, and those that do not fit.
    """
    chosen: list[PageSpan] = []
    for span in spans:
        page = pages.get(span.page_id)
        if page is None or not page.text[span.start : span.end].strip():
            continue
        room = rooms[min(len(chosen), len(rooms) - 1)]
        for grown in (_grown(page, span, room), span):
            merged = _with(chosen, _trimmed(page, grown), page.text)
            if sum(_tokens(pages[each.page_id], each) for each in merged) <= tokens:
                chosen = merged
                break
    return tuple(
        passage_of_page(
            page := pages[each.page_id],
            each.start,
            each.end,
            id=f"{page.id}-{each.start}-{each.end}",
            ord=each.start,
            title=_title(page, each),
            blocks=blocks_within(page.blocks, each.start, each.end),
            private=page.private,
        )
        for each in chosen
    )


def _with(chosen: Sequence[PageSpan], added: PageSpan, text: str) -> list[PageSpan]:
    """Return the spans with one more; those that it overlaps or touches become one, in the place of the first."""
    touching = [
        each
        for each in chosen
        if each.page_id == added.page_id and not text[min(each.end, added.end) : max(each.start, added.start)].strip()
    ]
    if not touching:
        return [*chosen, added]
    start = min(added.start, *(each.start for each in touching))
    end = max(added.end, *(each.end for each in touching))
    first = touching[0]
    return [
        replace(each, start=start, end=end) if each is first else each
        for each in chosen
        if each is first or each not in touching
    ]


def _grown(page: Page, span: PageSpan, room: float) -> PageSpan:
    """Return the span with as much of its section as has room, and with what is next to a short section."""
    offsets = [0, *(at for at, _ in page.headings), len(page.text)]
    section = max(at for at in offsets if at <= span.start), min(at for at in offsets if at >= span.end)
    for start, end in (section, (0, len(page.text))):
        span = _within(page, span, start, end, room)
        if (span.start, span.end) != (start, end):
            break
    return span


def _within(page: Page, span: PageSpan, start: int, end: int, room: float) -> PageSpan:
    """Return the span extended within ``start`` and ``end`` by whole sentences, as far as ``room`` tokens reach."""
    text = page.text
    own = text[span.start : span.end]
    spare = int(room * BYTES_PER_TOKEN * len(own) / max(1, len(own.encode("utf-8", "replace")))) - len(own)
    if spare <= 0:
        return span
    below = max(int(spare * BELOW), spare - (span.start - start))
    last = min(end, span.end + below)
    first = max(start, span.start - (spare - (last - span.end)))
    starts = [first + at for at, _ in sentence_spans(text[first : span.start])]
    ends = [span.end + at for _, at in sentence_spans(text[span.end : last])]
    return replace(
        span,
        start=first if first == start else next(iter(starts[1:]), span.start),
        end=last if last == end else next(iter(ends[-2:-1]), span.end),
    )


def _trimmed(page: Page, span: PageSpan) -> PageSpan:
    text = page.text[span.start : span.end]
    return replace(span, start=span.end - len(text.lstrip()), end=span.start + len(text.rstrip()))


def _tokens(page: Page, span: PageSpan) -> int:
    return count_tokens(f"{page.text[span.start : span.end]}{_title(page, span)}{page.url}")


def _title(page: Page, span: PageSpan) -> str:
    above = [heading for at, heading in page.headings if at <= span.start]
    return titled(page.title, above[-1] if above else "")
