"""Write Markdown as a page of HTML: CommonMark with tables; title, language and dates from its front matter.

HTML within it is kept: what is made of it is read as any page of the web is, of which nothing is trusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Final

from markdown_it import MarkdownIt

from crawler.extract.plain import MAX_TEXT

_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z_]+)[ \t]*[:=][ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)
#: names of front matter → those of the metadata of a page, the first that is there
_META: Final = {
    "article:published_time": ("date",),
    "article:modified_time": ("lastmod", "updated"),
}


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
