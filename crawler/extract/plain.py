"""Read plain text: the text unchanged, with its headings; its first line is its title where it may be one."""

from __future__ import annotations

import re

from crawler.language import detect_page_language
from domain import PageText
from text.invisible import strip_invisible

MAX_TEXT = 2_000_000
#: a longer first line is a paragraph
_MOST_TITLE = 120
_ENDS = (".", "!", "?", ";", ",", "。", "！", "？")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)


def read_plain(text: str, url: str) -> PageText:
    """Read plain text; a line that would be a heading in Markdown is one."""
    clean = strip_invisible(text[:MAX_TEXT]).strip()
    code = [found.span() for found in _FENCE.finditer(clean)]
    headings = tuple(
        (found.start(2), found[2].strip())
        for found in _HEADING.finditer(clean)
        if not any(start <= found.start() < end for start, end in code)
    )
    return PageText(
        title=headings[0][1] if headings else _first_line(clean) or url,
        text=clean,
        lang=detect_page_language(clean, declared=""),
        headings=headings,
    )


def _first_line(text: str) -> str:
    """Return the first line where it may be a title; "" for a sentence, or the beginning of one."""
    line = text.partition("\n")[0].strip()
    return "" if len(line) > _MOST_TITLE or line.endswith(_ENDS) else line
