"""Read Markdown, as HTML, and plain text, which is unchanged: its first line is its title where it may be one.

HTML within Markdown is kept: what is made of it is read as any page of the web is, of which nothing is trusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Final

from markdown_it import MarkdownIt

from crawler.language import detect_page_language
from domain import PageText
from text.invisible import strip_invisible

MAX_TEXT = 2_000_000
#: a longer first line is a paragraph
_MOST_TITLE = 120
_ENDS = (".", "!", "?", ";", ",", "。", "！", "？")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z_]+)[ \t]*[:=][ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)
#: names of front matter → those of the metadata of a page, the first that is there
_META: Final = {
    "article:published_time": ("date",),
    "article:modified_time": ("lastmod", "updated"),
}


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


def markdown_to_html(text: str) -> str:
    """Return a page whose text is what a reader of the Markdown sees: its front matter is in the head."""
    text = text[:MAX_TEXT].replace("\r\n", "\n")
    front = _FRONT.match(text)
    fields = {name.lower(): value for name, value in _FIELD.findall(front[2])} if front else {}
    body = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text[front.end() :] if front else text)
    lang = fields.get("lang", "").split("-")[0].lower()[:3]
    return (
        f'<!DOCTYPE html><html lang="{escape(lang)}"><head><meta charset="utf-8">{_head(fields)}</head>'
        f"<body><main>{body}</main></body></html>"
    )


def _head(fields: Mapping[str, str]) -> str:
    title = fields.get("title", "").strip()[:300]
    metas = {name: next((fields[each] for each in keys if each in fields), "") for name, keys in _META.items()}
    written = (f'<meta property="{name}" content="{escape(value)}">' for name, value in metas.items() if value)
    return (f"<title>{escape(title)}</title>" if title else "") + "".join(written)
