"""Cut a page into passages of about 120 words, at sentences, list items and headings; each is a span of its text.

What fits is not cut: code, a list with the sentence above it, a table, a term with its description. Where one must be
cut, its later passages repeat the sentence, the table's header or the term as their lead.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from crawler.extract.units import MAX_WORDS, TARGET_WORDS, Span, lead_of, units, word_count
from domain import Page, PageText, Passage, blocks_within, passage_of_page, titled

#: a passage is closed at TARGET_WORDS, or before a unit takes it beyond MAX_WORDS; a rest below MIN_WORDS joins it
MIN_WORDS = 25


def chunk(page: PageText, *, page_id: int, url: str, read_at: datetime | None = None) -> list[Passage]:
    """Cut a page into passages, in order; together they have all its text except the space between them."""
    return [
        _passage(page, span, heading, ord, page_id=page_id, url=url, read_at=read_at)
        for ord, (span, heading) in enumerate(_spans(page))
    ]


def passages_of(page: Page) -> list[Passage]:
    """Return a page's passages; none if it is gone, a duplicate, or mostly links."""
    if page.is_gone or page.is_duplicate or page.is_hub:
        return []
    text = PageText(
        title=page.title,
        text=page.text,
        lang=page.lang,
        published=page.published,
        headings=page.headings,
        blocks=page.blocks,
    )
    passages = chunk(text, page_id=page.id, url=page.url, read_at=page.read_at)
    return [replace(passage, private=True) for passage in passages] if page.private else passages


def _spans(page: PageText) -> Iterator[tuple[Span, str]]:
    for (start, end), heading in _sections(page):
        for span in _grouped(page.text, units(page, start, end)):
            yield span, heading


def _sections(page: PageText) -> Iterator[tuple[Span, str]]:
    """Yield the sections from heading to heading; one with hardly any text joins the next."""
    marks = [(0, ""), *(mark for mark in page.headings if mark[0] < len(page.text)), (len(page.text), "")]
    start, heading = marks[0]
    for (_, title), (end, _) in pairwise(marks):
        heading = title or heading
        if end < len(page.text) and word_count(page.text[start:end]) < MIN_WORDS:
            continue
        if page.text[start:end].strip():
            yield (start, end), heading
        start = end


def _grouped(text: str, whole: Iterable[Sequence[Span]]) -> list[Span]:
    """Return groups of about TARGET_WORDS; a unit is cut between its pieces only where it does not fit otherwise."""
    groups: list[Span] = []
    first, last, words = 0, 0, 0.0
    for unit in whole:
        sizes = [word_count(text[slice(*piece)]) for piece in unit]
        total = sum(sizes)
        is_full = words >= TARGET_WORDS or (words >= MIN_WORDS and words + total > MAX_WORDS >= total)
        for (begin, stop), size in zip(unit, sizes, strict=True):
            if words and (is_full or words + size > MAX_WORDS or (words >= TARGET_WORDS and total > MAX_WORDS)):
                groups.append((first, last))
                words = 0.0
            is_full = False
            first = first if words else begin
            last, words = stop, words + size
    if words:
        groups.append((first, last))
    return _join_short_end(text, groups)


def _join_short_end(text: str, groups: list[Span]) -> list[Span]:
    if len(groups) < 2 or word_count(text[slice(*groups[-1])]) >= MIN_WORDS:
        return groups
    return [*groups[:-2], (groups[-2][0], groups[-1][1])]


def _passage(
    page: PageText, span: Span, heading: str, ord: int, *, page_id: int, url: str, read_at: datetime | None
) -> Passage:
    raw = page.text[slice(*span)]
    start = span[0] + len(raw) - len(raw.lstrip())
    text = raw.strip()
    end = start + len(text)
    lead = lead_of(page, start)
    title = titled(page.title, heading)
    hashed = (title, text, lead) if lead else (title, text)
    return passage_of_page(
        page,
        start,
        end,
        id=f"{page_id}-{ord}",
        page_id=page_id,
        ord=ord,
        url=url,
        title=title,
        content_hash=hashlib.blake2b("\0".join(hashed).encode(), digest_size=16).hexdigest(),
        read_at=read_at,
        blocks=blocks_within(page.blocks, start, end),
        lead=lead,
    )
