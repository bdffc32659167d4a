"""Iterate over the entries of an XML list (a sitemap, a feed), also of a broken or hostile one.

Entities are never expanded, nothing is fetched, and only the current entry is in memory. Of a file that is cut off,
the entries before the cut are given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from io import BytesIO
from typing import Any, Final

from lxml import etree

#: & without an entity, as in URLs of hand-made files: the parser would drop it with the name that follows
_BARE_AMPERSAND: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_CDATA: Final = b"<![CDATA["
_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"


def root_name(body: bytes) -> str:
    """Return the root element's local name in lower case; "" where there is no XML."""
    for _, element in _events(body, ("start",)):
        return local_name(element)
    return ""


def entries(body: bytes, names: Collection[str]) -> Iterator[Any]:
    """Yield each element with one of these local names, in order; each is cleared before the next."""
    for _, element in _events(body, ("end",)):
        if local_name(element) in names:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]


def local_name(element: Any) -> str:
    """Return the element's name in lower case without its namespace."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def text_of(element: Any) -> str:
    """Return all text in an element, with white space as single blanks."""
    return " ".join("".join(element.itertext()).split())


def _events(body: bytes, events: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    parsing = etree.iterparse(
        BytesIO(_prepared(body)),
        events=events,
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        yield from parsing
    except etree.XMLSyntaxError:
        return  # the entries before the damage were given


def _prepared(body: bytes) -> bytes:
    """Return the body without a BOM and leading blanks, with bare ampersands escaped outside CDATA."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:4]:
        return body  # UTF-16 and UTF-32 are not compatible with ASCII
    first, *rest = body.removeprefix(_BOM).lstrip(_BLANK).split(_CDATA)
    prepared = [_escaped(first)]
    for part in rest:
        quoted, end, after = part.partition(b"]]>")
        prepared += [_CDATA, quoted, end, _escaped(after)]
    return b"".join(prepared)


def _escaped(markup: bytes) -> bytes:
    return _BARE_AMPERSAND.sub(b"&amp;", markup)
