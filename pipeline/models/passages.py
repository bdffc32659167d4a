"""Prepare passages for a model: cut into paragraphs that can be cited, without what no reader sees.

Page text leaves the process in these forms and nowhere else.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from domain import TABLES, Block, Passage
from text.invisible import strip_invisible
from text.sentences import sentence_spans
from text.terms import content_terms, terms_of

#: characters; a shorter block joins the next, and a longer paragraph, list or table is cut
SHORT, LONG = 80, 700
#: characters of the parts that a long paragraph, list or table is cut into, at least
_PART = 300
#: sentences that a claim is quoted with at most, what each after the first must add in words, and the share of the
#: claim's words that they hold: of 177 true sentences .87 keep what they rest on, and one loses a number (without the
#: share .80 and four)
_MOST_SENTENCES, _WORTH, _LEAST = 3, 0.7, 0.5
_ROW = re.compile(r"\S[^\n]*")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_OPENS = (":", "：")


@dataclass(frozen=True, kw_only=True)
class PassageBlocks:
    """A passage cut into blocks: block ``i`` is ``passage.text[bounds[i]:bounds[i + 1]]``.

    Each block is a paragraph with the white space after it: joined they are the passage.
    """

    passage: Passage
    bounds: tuple[int, ...]

    def blocks(self) -> list[str]:
        """Return the passage's text, cut at its paragraphs."""
        return [sendable(self.passage.text[start:end]) for start, end in pairwise(self.bounds)]


def cut_into_blocks(passages: Sequence[Passage]) -> tuple[PassageBlocks, ...]:
    """Cut each passage into blocks, in their order; leave out empty and repeated ones."""
    kept = {passage.id: passage for passage in passages if sendable(passage.text).strip()}
    return tuple(PassageBlocks(passage=passage, bounds=_bounds(passage)) for passage in kept.values())


def title_of(passage: Passage) -> str:
    """Return the title shown for a passage, with the date of its page if that is known."""
    title = sendable(passage.title).strip() or sendable(passage.url) or passage.id
    return f"{title} (published {passage.published:%Y-%m-%d})" if passage.published else title


def sendable(text: str) -> str:
    """Return the text without invisible characters and lone surrogates, which UTF-8 cannot encode."""
    return strip_invisible(text).encode("utf-8", "replace").decode()


def sentences_of(passage: Passage, start: int, end: int) -> list[tuple[int, int]]:
    """Return the offsets of the sentences, items, rows and whole code within ``passage.text[start:end]``."""
    blocks = [each for each in passage.blocks or _paragraphs(passage.text) if each.start < end and start < each.end]
    within = [replace(each, start=max(start, each.start), end=min(end, each.end)) for each in blocks]
    return [span for block in within for span in _sentences(passage.text, block)]


def narrow(claim: str, passage: Passage, start: int, end: int) -> tuple[int, int] | None:
    """Return the offsets of the few sentences of ``passage.text[start:end]`` that a claim is about.

    All of a short text, if none of them has half of the claim's words. None if it shares no word with the claim, as
    between two languages.
    """
    spans = sentences_of(passage, start, end)
    wanted = {term: 2 if term[0].isdigit() else 1 for term in content_terms(claim, passage.lang)}
    held = [wanted.keys() & set(terms_of(passage.text[slice(*span)], passage.lang)) for span in spans]
    best, share, chosen = 0.0, 0.0, None
    for first, (begin, _) in enumerate(spans):
        found: set[str] = set()
        for last, (_, stop) in enumerate(spans[first : first + _MOST_SENTENCES], start=first):
            found |= held[last]
            shared = sum(wanted[term] for term in found)
            if shared - _WORTH * (last - first) > best:
                best, share, chosen = shared - _WORTH * (last - first), shared / sum(wanted.values()), (begin, stop)
    return (start, end) if chosen and share < _LEAST and end - start <= LONG else chosen


def _bounds(passage: Passage) -> tuple[int, ...]:
    """Return the offsets between blocks: a heading or a short piece joins the next, the last one that before it."""
    text = passage.text
    bounds, is_open = [0], True
    for start, end, kind in _pieces(passage):
        held = text[bounds[-1] : start]
        fits = end - bounds[-1] <= LONG or kind == "code"
        if sendable(held).strip() and not (is_open and fits):
            bounds.append(start)
        whole = sendable(text[bounds[-1] : end]).strip()
        is_open = kind == "heading" or len(whole) < SHORT or whole.endswith(_OPENS)
    if len(bounds) > 1 and is_open and not (len(text) - bounds[-2] > LONG and sendable(text[bounds[-1] :]).strip()):
        bounds.pop()
    return (*bounds, len(text))


def _pieces(passage: Passage) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of what a passage is made of: its blocks, the long ones cut at sentences or lines."""
    text = passage.text
    for block in passage.blocks or _paragraphs(text):
        if block.kind in ("code", "heading") or block.end - block.start <= LONG:
            yield block.start, block.end, block.kind
            continue
        start = block.start
        for at, _ in _sentences(text, block):
            if at - start >= _PART and block.end - at >= SHORT:
                yield start, at, block.kind
                start = at
        yield start, block.end, block.kind


def _sentences(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Yield the offsets of a block's sentences, items or rows; code is one."""
    inside = text[block.start : block.end]
    if block.kind == "code":
        spans = [(0, len(inside))]
    elif block.kind in TABLES:
        spans = [found.span() for found in _ROW.finditer(inside)]
    else:
        spans = sentence_spans(inside)
    for start, end in spans:
        yield block.start + start, block.start + end


def _paragraphs(text: str) -> Iterator[Block]:
    ends = [found.start() for found in _PARAGRAPH.finditer(text)]
    for start, end in pairwise([0, *ends, len(text)]):
        yield Block(kind="prose", start=start, end=end)
