"""Parse HTML or XHTML to an lxml tree: no network, no comments, and None instead of an error."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
from lxml import etree

#: libxml2 compares each attribute of an element with all others: a hundred thousand of them take minutes
_MOST_ATTRIBUTES = 1_000
#: which a shorter document has no harmful number of
_LONG = 40_000
#: each start of a tag with its attributes, in whose quoted values < and > may stand; no character is looked at twice
_TAG = re.compile(r"<([a-zA-Z][^\s/<>]*+)((?:[^<>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)(>?)")
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
#: of every tag, decided without Python: lxml.html's own choice of a class is a call for each element, at each visit
_CLASSES = etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)


def _short(tag: re.Match[str]) -> str:
    """Return the start of a tag, without its attributes where they are too many."""
    few = (
        tag.end(2) - tag.start(2) <= 3 * _MOST_ATTRIBUTES
        or len(tag[2].split(None, _MOST_ATTRIBUTES)) <= _MOST_ATTRIBUTES
    )
    return tag[0] if few else f"<{tag[1]}>"


def parse(text: str) -> Any | None:
    """Parse a document; None for one without an element."""
    if len(text) > _LONG:
        text = _TAG.sub(_short, text)
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    parser.set_element_class_lookup(_CLASSES)
    try:
        return lxml.html.document_fromstring(_XML_DECLARATION.sub("", text).encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
