"""Cut a page into passages of about 120 words, at sentences, list items and headings; each is a span of its text.

What fits is not cut: code, a list with the sentence above it, a table, a term with its description. Where one must be
cut, its later passages repeat the sentence, the table's header or the term as their lead.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from domain import TABLES, Block, Page, PageText, Passage, blocks_between, blocks_within, passage_of_page, titled
from text.sentences import sentence_spans

#: a passage is closed at TARGET_WORDS, or before a unit takes it beyond MAX_WORDS; a rest below MIN_WORDS joins it
TARGET_WORDS, MAX_WORDS, MIN_WORDS = 110, 180, 25
_LEAD_CHARS = 300
#: characters of a script without spaces for one word
_WIDE_CHARS_PER_WORD = 2.5
#: characters; longer strings are URLs or data, and count as several words
_MAX_WORD = 60
_WIDE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
#: a word, or so much of a longer one as counts as one; else a character of a script without spaces
_COUNTED = re.compile(rf"([^\s{_WIDE.pattern[1:-1]}]{{1,{_MAX_WORD}}})|{_WIDE.pattern}")
_ITEM = re.compile(r"\n(?= *(?:-|-?\d{1,5}\.|[a-zA-Z]{1,2}\.|[ivxlcdmIVXLCDM]{1,8}\.) )")
_ROW = re.compile(r"\n")

Span = tuple[int, int]


def chunk(page: Page | PageText, *, page_id: int, url: str, read_at: datetime | None = None) -> list[Passage]:
    """Cut a page into passages, in order; together they have all its text except the space between them."""
    found: list[Passage] = []
    for section, heading in _sections(page):
        for span in _grouped(page.text, units(page, *section)):
            raw = page.text[slice(*span)]
            text = raw.strip()
            start = span[0] + len(raw) - len(raw.lstrip())
            end = start + len(text)
            lead, title = lead_of(page, start), titled(page.title, heading)
            hashed = "\0".join((title, text, lead) if lead else (title, text))
            passage = passage_of_page(
                page,
                start,
                end,
                id=f"{page_id}-{len(found)}",
                page_id=page_id,
                ord=len(found),
                url=url,
                title=title,
                content_hash=hashlib.blake2b(hashed.encode(), digest_size=16).hexdigest(),
                read_at=read_at,
                blocks=blocks_within(page.blocks, start, end),
                lead=lead,
            )
            found.append(passage)
    return found


def passages_of(page: Page) -> list[Passage]:
    """Return a page's passages; none if it is gone, a duplicate, or mostly links."""
    if page.is_gone or page.is_duplicate or page.is_hub:
        return []
    passages = chunk(page, page_id=page.id, url=page.url, read_at=page.read_at)
    return [replace(passage, private=True) for passage in passages] if page.private else passages


def word_count(text: str) -> float:
    """Return the length of a text in words: 2.5 characters of a script without spaces are one.

    A string longer than any word counts as several, so that no passage grows without end.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    words = (_WIDE.sub(" ", text) if wide else text).split()
    is_plain = max(map(len, words), default=0) <= _MAX_WORD
    counted = len(words) if is_plain else sum(max(1, len(word) / _MAX_WORD) for word in words)
    return counted + wide / _WIDE_CHARS_PER_WORD


def lead_of(page: Page | PageText, start: int) -> str:
    """Return what introduces a table, list or definition that ``start`` lies within: header, sentence, or term."""
    at = bisect_right(page.blocks, start, key=lambda block: block.start) - 1
    block = page.blocks[at] if at >= 0 else None
    if (
        block is None
        or not block.start < start < block.end
        or block.kind not in ("table", "rows", "list", "definition")
    ):
        return ""
    if block.kind in ("list", "rows"):
        above = page.blocks[at - 1] if at else None
        text = page.text[max(above.start, above.end - _LEAD_CHARS) : above.end] if above else ""
        sentences = sentence_spans(text) if above is not None and above.kind == "prose" else []
        lead = text[slice(*sentences[-1])] if sentences else ""
    else:
        lead = page.text[block.start : min(start, block.start + _LEAD_CHARS + 1)].partition("\n")[0].strip()
    return lead if len(lead) < _LEAD_CHARS else ""


def units(page: Page | PageText, start: int, end: int) -> Iterator[list[Span]]:
    """Yield the units of ``page.text[start:end]`` in order, each as the pieces between which it may be cut.

    A sentence is one; so are a list, a table or code with the sentence above it, and a term with its description.
    """
    held: list[Span] = []
    above = ""  #: the kind of what is held last
    for block in _filled(page, start, end):
        pieces = list(_pieces(page.text, block))
        if not pieces:
            continue
        if _joins(page.text, block, above):
            one = (held[-1][0], pieces[0][1])  # with the last of what is held, if it fits
            fits = word_count(page.text[slice(*one)]) <= MAX_WORDS
            held = [*held[:-1], one] if fits else [*held, pieces[0]]
        else:
            if held:
                yield held
            held = pieces[:1]
        for piece in pieces[1:]:
            if block.kind in ("prose", "heading"):
                yield held
                held = [piece]
            else:
                held.append(piece)
        above = block.kind
    if held:
        yield held


def _joins(text: str, block: Block, above: str) -> bool:
    if above == "heading":
        return True
    if block.kind == "prose":  # the rest of a sentence that code or a list interrupts
        return above in ("code", "list", *TABLES) and text[block.start : block.start + 1].islower()
    if block.kind == "definition":
        return above == "prose" and text[max(0, block.start - 20) : block.start].rstrip().endswith((":", "："))
    return above == "prose" or (above == "definition" and block.kind != "heading")


def _filled(page: Page | PageText, start: int, end: int) -> Iterator[Block]:
    at = start
    for block in blocks_between(page.blocks, start, end):
        begin, stop = max(block.start, at), min(block.end, end)
        if begin < stop:
            if page.text[at:begin].strip():
                yield Block(kind="prose", start=at, end=begin)
            yield Block(kind=block.kind, start=begin, end=stop)
            at = stop
    if page.text[at:end].strip():
        yield Block(kind="prose", start=at, end=end)


def _pieces(text: str, block: Block) -> Iterator[Span]:
    """Yield what a block is made of: sentences, items, rows, else all of it; too long ones are cut."""
    for begin, stop in _natural(text, block):
        at = begin
        while (reach := _reach(text, at, stop)) is not None:
            # at the end of the last line, sentence or word, if any
            ends = ((text.rfind(mark, at + 1, reach), len(mark)) for mark in ("\n", ". ", " "))
            cut = next((end + length for end, length in ends if end > at), reach)
            yield at, cut
            at = cut
        if text[at:stop].strip():
            yield at, stop


def _reach(text: str, start: int, end: int) -> int | None:
    """Return where TARGET_WORDS have been read; None if there are no more than MAX_WORDS, counted no further."""
    if end - start <= MAX_WORDS:
        return None
    words, target = 0.0, None
    for found in _COUNTED.finditer(text, start, end):
        words += 1 if found[1] else 1 / _WIDE_CHARS_PER_WORD
        if target is None and words >= TARGET_WORDS:
            target = found.end()
        if words > MAX_WORDS:
            return target
    return None


def _natural(text: str, block: Block) -> Iterator[Span]:
    fits = block.kind == "definition" and word_count(text[block.start : block.end]) <= MAX_WORDS
    if block.kind == "code" or fits:
        yield block.start, block.end
    elif block.kind in ("list", *TABLES):
        marks = _ITEM if block.kind == "list" else _ROW
        starts = [found.end() for found in marks.finditer(text, block.start, block.end)]
        if block.kind == "table":
            del starts[1:2]  # the row below the header stays with it
        starts = [block.start, *(at for at in starts if at > block.start)]
        yield from zip(starts, [*starts[1:], block.end], strict=True)
    else:
        for begin, stop in sentence_spans(text[block.start : block.end]):
            yield block.start + begin, block.start + stop


def _sections(page: Page | PageText) -> Iterator[tuple[Span, str]]:
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
    """Return groups of about TARGET_WORDS; a unit is cut between its pieces only if it does not fit otherwise."""
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
    if len(groups) > 1 and word_count(text[slice(*groups[-1])]) < MIN_WORDS:
        return [*groups[:-2], (groups[-2][0], groups[-1][1])]
    return groups
