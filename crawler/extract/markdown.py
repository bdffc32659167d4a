"""Read plain text and Markdown: the text unchanged, with its headings; title, language and dates from front matter."""

from __future__ import annotations

import re
from collections.abc import Mapping

from crawler.extract.metadata import parse_date
from crawler.language import detect_page_language
from domain import PageText
from text.invisible import strip_invisible

MAX_TEXT = 2_000_000
#: a longer first line is a paragraph
_MOST_TITLE = 120
_ENDS = (".", "!", "?", ";", ",", "。", "！", "？")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z_]+)[ \t]*[:=][ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)


def read_markdown(text: str, url: str) -> PageText:
    """Read Markdown; its text leaves out what a reader does not see: comments and front matter."""
    front = _FRONT.match(text)
    fields = {name.lower(): value for name, value in _FIELD.findall(front[2])} if front else {}
    return _read(_COMMENT.sub("", text[front.end() :] if front else text), url, fields)


def read_plain(text: str, url: str) -> PageText:
    """Read plain text; a line that would be a heading in Markdown is one."""
    return _read(text, url, {})


def _read(text: str, url: str, fields: Mapping[str, str]) -> PageText:
    clean = strip_invisible(text[:MAX_TEXT]).strip()
    code = [found.span() for found in _FENCE.finditer(clean)]
    headings = tuple(
        (found.start(2), found[2].strip())
        for found in _HEADING.finditer(clean)
        if not any(start <= found.start() < end for start, end in code)
    )
    first = headings[0][1] if headings else _first_line(clean)
    return PageText(
        title=strip_invisible(fields.get("title", "")).strip()[:300] or first or url,
        text=clean,
        lang=detect_page_language(clean, declared=fields.get("lang", "").split("-")[0].lower()[:3]),
        published=parse_date(fields.get("date", "")),
        modified=parse_date(fields.get("lastmod", "") or fields.get("updated", "")),
        headings=headings,
    )


def _first_line(text: str) -> str:
    """Return the first line where it may be a title; "" for a sentence, or the beginning of one."""
    line = text.partition("\n")[0].strip()
    return "" if len(line) > _MOST_TITLE or line.endswith(_ENDS) else line
