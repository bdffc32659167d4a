"""Tell a page whose text only its scripts make: hardly anything is written in it, and it shows that more will be."""

from __future__ import annotations

import re
from typing import Any

from crawler.extract.visibility import drop_hidden

#: fewer words than this are a title, a menu or "Loading…", not a page
FEW_WORDS = 25
#: where the usual frameworks put what they make
_ROOT_IDS = frozenset(
    "root app __next __nuxt ___gatsby svelte main-app app-root react-root application q-app content-root".split()
)
_ROOT_TAGS = frozenset({"app-root", "my-app", "app-main", "ember-app"})
_ASKS_FOR_JAVASCRIPT = re.compile(
    r"javascript|java script|scripts?\b.{0,40}(?:enable|aktivier|activ|habilit)", re.IGNORECASE
)


def lacks_text_without_scripts(tree: Any) -> bool:
    """Return whether a parsed page has hardly any text and looks as if its scripts would make it; changes the tree."""
    if not any(True for _ in tree.iter("script")):
        return False
    asks = any(_ASKS_FOR_JAVASCRIPT.search("".join(each.itertext())) for each in tree.iter("noscript"))
    has_root = any(_is_root(element) for element in tree.iter())
    body = tree.find("body")
    drop_hidden(tree)
    shown = " ".join((body if body is not None else tree).itertext())
    words = max(len(shown.split()), len(shown) // 12)
    return words < FEW_WORDS and (asks or has_root or words == 0)


def _is_root(element: Any) -> bool:
    """Return whether a framework would fill this element: hardly anything is in it yet."""
    if not isinstance(element.tag, str):
        return False
    is_named = element.get("id", "") in _ROOT_IDS or element.tag in _ROOT_TAGS or "data-reactroot" in element.attrib
    return is_named and len("".join(element.itertext()).split()) < FEW_WORDS
