"""Recognise a page whose text is made by its scripts: it has hardly any, and shows that scripts will add more."""

from __future__ import annotations

import re
from typing import Any

from crawler.extract.charset import decode
from crawler.extract.document import CONTROL, HTML_TYPES, MAX_SOURCE
from crawler.extract.html import parse
from crawler.extract.visibility import drop_hidden

#: a page with fewer words has a title, a menu or "Loading…", and no text
FEW_WORDS = 25
#: the elements that the usual frameworks fill
_ROOT_IDS = frozenset(
    "root app __next __nuxt ___gatsby svelte main-app app-root react-root application q-app content-root".split()
)
_ROOT_TAGS = frozenset({"app-root", "my-app", "app-main", "ember-app"})
_ASKS_FOR_JAVASCRIPT = re.compile(
    r"javascript|java script|scripts?\b.{0,40}(?:enable|aktivier|activ|habilit)", re.IGNORECASE
)


def needs_javascript(body: bytes, content_type: str = "") -> bool:
    """Return whether a document is a page that has hardly any text before its scripts have run."""
    if content_type.split(";")[0].strip().lower() not in HTML_TYPES or b"<script" not in body.lower():
        return False
    tree = parse(CONTROL.sub(" ", decode(body[:MAX_SOURCE], content_type)))
    if tree is None or not any(True for _ in tree.iter("script")):
        return False
    asks = any(_ASKS_FOR_JAVASCRIPT.search("".join(element.itertext())) for element in tree.iter("noscript"))
    has_root = any(_is_root(element) for element in tree.iter())
    whole = tree.find("body")
    drop_hidden(tree)
    shown = " ".join((whole if whole is not None else tree).itertext())
    words = max(len(shown.split()), len(shown) // 12)
    return words < FEW_WORDS and (asks or has_root or words == 0)


def _is_root(element: Any) -> bool:
    """Return whether a framework would fill this element, which holds hardly anything yet."""
    if not isinstance(element.tag, str):
        return False
    is_named = element.get("id", "") in _ROOT_IDS or element.tag in _ROOT_TAGS or "data-reactroot" in element.attrib
    return is_named and len("".join(element.itertext()).split()) < FEW_WORDS
