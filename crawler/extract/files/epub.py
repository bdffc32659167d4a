"""Take the chapters of an e-book (EPUB) in the order in which they are read; each is a page of XHTML."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any
from urllib.parse import unquote, urldefrag

from crawler.extract.bounded_process import Unreadable
from crawler.extract.charset import decode
from crawler.extract.files.zip_document import ZipDocument, attribute, elements, join, texts

MAX_CHAPTERS = 5_000
_MOST_FALLBACKS = 10
#: a note that a program shows with a click
_HIDDEN_NOTE = re.compile(r"""(<(?:aside|section|div|li)\b[^>]{0,200}?note[^>]{0,200}?)\shidden(?:=["']\w*["'])?""")
_SVG = re.compile(r"(?:\s*<[?!][^>]*>)*\s*<(?:svg:)?svg\b")
_FONTS = ("font", "opentype", "truetype", "woff", ".otf", ".ttf")
_TEXTS = ("html", "dtbook", "svg", "xml", "oeb1")


def read_epub(archive: ZipDocument) -> Iterator[dict[str, Any]]:
    """Yield the book's metadata, then each chapter's XHTML, notes that are not in the text last; raises Unreadable."""
    encrypted = elements(archive.xml("META-INF/encryption.xml"), "CipherReference")
    named = (attribute(each, "URI").casefold() for each in encrypted)
    if any(not any(mark in name for mark in _FONTS) for name in named):
        raise Unreadable("is protected against copying (DRM): it opens only in its shop's program.")
    files = elements(archive.xml("META-INF/container.xml"), "rootfile")
    name = next((attribute(each, "full-path") for each in files), "")
    package = archive.xml(name) if name else None
    if package is None:
        raise Unreadable("is damaged: it does not name its chapters.")
    about = texts(package, "title", "language", "date")
    yield {"about": {**about, "created": about.get("date", "")}}
    folder = name.rpartition("/")[0]
    items = {attribute(each, "id"): each for each in elements(package, "item")}
    order = [each for each in elements(package, "itemref") if attribute(each, "idref") in items]
    order.sort(key=lambda entry: attribute(entry, "linear") == "no")
    found = [_readable(items, attribute(entry, "idref")) for entry in order]
    chapters = [item for item in found if item is not None and "nav" not in attribute(item, "properties").split()]
    parts = dict.fromkeys(join(folder, unquote(urldefrag(attribute(item, "href")).url)) for item in chapters)
    for part in list(parts)[:MAX_CHAPTERS]:
        html = _HIDDEN_NOTE.sub(r"\1", decode(archive.read(part)))
        if _SVG.match(html):
            said = (" ".join("".join(each.itertext()).split()) for each in elements(archive.xml(part), "text"))
            html = "".join(f"<p>{escape(text)}</p>" for text in said)
        yield {"html": html}
    pictures = found.count(None)
    unread = [f"{pictures} page{'s' * (pictures > 1)} of pictures"] if pictures else []
    if len(parts) > MAX_CHAPTERS:
        unread.append(f"chapters {MAX_CHAPTERS + 1:,} to {len(parts):,}")
    yield {"missing": unread}


def _readable(items: Mapping[str, Any], name: str) -> Any | None:
    for _ in range(_MOST_FALLBACKS):
        item = items.get(name)
        if item is None:
            return None
        kind = attribute(item, "media-type")
        if not kind or any(mark in kind for mark in _TEXTS):
            return item
        name = attribute(item, "fallback")
    return None
