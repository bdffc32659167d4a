"""Cut a page into passages of about 120 words, at sentences and headings; each is a span of the page's text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from domain import PageText, Passage
from text.sentences import sentence_spans

#: a passage is closed at TARGET_WORDS, or before a sentence takes it beyond MAX_WORDS; a rest below MIN_WORDS joins it
TARGET_WORDS, MAX_WORDS, MIN_WORDS = 110, 180, 25
#: characters of a script without spaces for one word
_WIDE_CHARS_PER_WORD = 2.5
#: characters; longer strings are URLs or data, and count as several words
_MAX_WORD = 60
_WIDE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

Span = tuple[int, int]


def chunk(page: PageText, *, page_id: int, url: str, read_at: datetime | None = None) -> list[Passage]:
    """Cut a page into passages, in order; together they have all its text except the space between them."""
    return [
        _passage(page, span, heading, ord, page_id=page_id, url=url, read_at=read_at)
        for ord, (span, heading) in enumerate(_spans(page))
    ]


def word_count(text: str) -> float:
    """Return the length of a text in words: 2.5 characters of a script without spaces are one.

    A string longer than any word counts as several, so that no passage grows without end.
    """
    wide = len(_WIDE.findall(text))
    words = _WIDE.sub(" ", text).split()
    return sum(1 if len(word) <= _MAX_WORD else len(word) / _MAX_WORD for word in words) + wide / _WIDE_CHARS_PER_WORD


def _spans(page: PageText) -> Iterator[tuple[Span, str]]:
    for (start, end), heading in _sections(page):
        for span in _grouped(page.text, start, end):
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


def _grouped(text: str, start: int, end: int) -> list[Span]:
    """Return groups of sentences, each of about TARGET_WORDS."""
    groups: list[Span] = []
    first, last, words = start, start, 0.0
    for begin, stop in _pieces(text, start, end):
        more = word_count(text[begin:stop])
        if words and (words >= TARGET_WORDS or words + more > MAX_WORDS):
            groups.append((first, last))
            first, words = begin, 0.0
        elif not words:
            first = begin
        last, words = stop, words + more
    if words:
        groups.append((first, last))
    return _join_short_end(text, groups)


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield sentences; one that is far too long is cut between words, or anywhere when it has none."""
    for begin, stop in sentence_spans(text[start:end]):
        at, stop = start + begin, start + stop
        while word_count(text[at:stop]) > MAX_WORDS:
            cut = _cut(text, at, stop)
            yield at, cut
            at = cut
        if text[at:stop].strip():
            yield at, stop


def _cut(text: str, start: int, end: int) -> int:
    """Return where to cut an overlong sentence: after about TARGET_WORDS, at a line's or word's end if there is one."""
    reach = start + max(40, int((end - start) * TARGET_WORDS / word_count(text[start:end])))
    for mark in ("\n", " "):
        if (found := text.rfind(mark, start + 1, reach)) > start:
            return found + 1
    return min(end, reach)


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
    title = f"{page.title} › {heading}" if heading and heading != page.title else page.title
    return Passage(
        id=f"{page_id}-{ord}",
        page_id=page_id,
        ord=ord,
        url=url,
        title=title,
        lang=page.lang,
        text=text,
        start=start,
        end=start + len(text),
        content_hash=hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=16).hexdigest(),
        read_at=read_at,
        published=page.published,
    )
