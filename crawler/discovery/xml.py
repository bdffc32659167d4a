"""Iterate over the entries of an XML list (a sitemap, a feed), also of a broken or hostile one.

Entities are never expanded, nothing is fetched, and only the current entry is in memory. Of a file that is cut off,
the entries before the cut are given.
"""

import re
from collections.abc import Collection, Iterator
from io import BytesIO
from itertools import islice
from typing import Any, Final

from lxml import etree

from crawler.extract.charset import decode

#: & without an entity, as in URLs of hand-made files: the parser would drop it with the name that follows
_BARE_AMPERSAND: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_CDATA: Final = b"<![CDATA["
#: of ampersands and CDATA sections, each of which becomes a node; a file of 50,000 addresses has fewer
_MOST_MARKS: Final = 400_000
#: of tags that never close: each is kept as an error, and takes the parser the longer the more there are
_MOST_BROKEN: Final = 2_000
#: of all elements: only the entries are cleared
_MOST_ELEMENTS: Final = 1_000_000
_MARK: Final = re.compile(rb"&|<!\[CDATA\[")
_BROKEN: Final = re.compile(rb"<(?!!\[CDATA\[)[^<>]*+(?=<)")
_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>")
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
        yield from islice(parsing, _MOST_ELEMENTS)
    except etree.XMLSyntaxError:
        return  # the entries before the damage were given


def _prepared(body: bytes) -> bytes:
    """Return the body without a BOM and leading blanks, with bare ampersands escaped outside CDATA."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:4]:  # UTF-16, which is not compatible with ASCII
        body = _DECLARATION.sub("", decode(body)).encode()
    for marks, most in ((_MARK, _MOST_MARKS), (_BROKEN, _MOST_BROKEN)):
        if (last := next(islice(marks.finditer(body), most, None), None)) is not None:
            body = body[: last.start()]
    first, *rest = body.removeprefix(_BOM).lstrip(_BLANK).split(_CDATA)
    prepared = [_escaped(first)]
    for part in rest:
        quoted, end, after = part.partition(b"]]>")
        prepared += [_CDATA, quoted, end, _escaped(after)]
    return b"".join(prepared)


def _escaped(markup: bytes) -> bytes:
    return _BARE_AMPERSAND.sub(b"&amp;", markup)
