"""Parse HTML or XHTML to an lxml tree: no network, no comments, and None instead of an error."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
from lxml import etree

#: libxml2 compares each attribute with all others: a hundred thousand take minutes
_LONG_TAG = re.compile(r"<([a-zA-Z][\w:-]*)[^<>]{20000,}>")
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def parse(text: str) -> Any | None:
    """Parse a document; None for one without an element."""
    text = _LONG_TAG.sub(r"<\1>", text)
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        return lxml.html.document_fromstring(_XML_DECLARATION.sub("", text).encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
