"""Take the chapters of an e-book (EPUB) in the order in which they are read; each is a page of XHTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from crawler.extract.files.archive import Archive, Unreadable, attribute, join, local, texts

MAX_CHAPTERS = 5_000
_FONTS = ("font", "opentype", "truetype", "woff", ".otf", ".ttf")


def read_epub(archive: Archive) -> Iterator[dict[str, Any]]:
    """Yield the book's metadata, then each chapter's XHTML; raises Unreadable."""
    if _is_protected(archive):
        raise Unreadable("is protected against copying (DRM): it opens only in its shop's program.")
    container = archive.xml("META-INF/container.xml")
    files = container.iter() if container is not None else ()
    name = next((attribute(each, "full-path") for each in files if local(each) == "rootfile"), "")
    package = archive.xml(name) if name else None
    if package is None:
        raise Unreadable("is damaged: it does not name its chapters.")
    about = texts(package, "title", "language", "date")
    yield {"about": {**about, "created": about.get("date", "")}}
    folder = name.rpartition("/")[0]
    items = {attribute(each, "id"): each for each in package.iter() if local(each) == "item"}
    order = [each for each in package.iter() if local(each) == "itemref" and attribute(each, "linear") != "no"]
    for entry in order[:MAX_CHAPTERS]:
        item = items.get(attribute(entry, "idref"))
        if item is None or "nav" in attribute(item, "properties").split():
            continue
        body = archive.read(join(folder, unquote(attribute(item, "href"))))
        if body:
            yield {"html": _decoded(body)}


def _decoded(body: bytes) -> str:
    """Return a chapter as text: EPUB allows UTF-8 and UTF-16 alone."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def _is_protected(archive: Archive) -> bool:
    """Return whether anything but fonts is encrypted."""
    root = archive.xml("META-INF/encryption.xml")
    hidden = [
        attribute(each, "URI") for each in (root.iter() if root is not None else ()) if local(each) == "CipherReference"
    ]
    return any(not any(mark in uri.casefold() for mark in _FONTS) for uri in hidden)
