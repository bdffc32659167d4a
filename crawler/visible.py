"""Take out of a parsed page what a reader does not see: scripts, comments, hidden elements."""

from __future__ import annotations

import re
from typing import Any

_UNSEEN = frozenset(
    "script style template noscript iframe object embed svg canvas audio video map select button textarea input "
    "dialog datalist head math-annotation".split()
)
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0+(?:\.0+)?(?:[a-z%]+)?\s*(?:;|!|$)"
    r"|opacity\s*:\s*0+(?:\.0+)?\s*(?:;|!|$)|text-indent\s*:\s*-\s*\d{3,}|(?:left|top)\s*:\s*-\s*\d{4,}",
    re.IGNORECASE,
)
_ROOTS = ("html", "body", "main")


def drop_unseen(tree: Any) -> None:
    """Remove in place the elements of an lxml tree that are not shown; the text after them stays."""
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.tag in _UNSEEN or _is_hidden(element):
            drop(element)


def drop(element: Any) -> None:
    """Remove one element from its tree and keep the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    parent.remove(element)


def _is_hidden(element: Any) -> bool:
    if element.tag in _ROOTS:  # pages hide themselves until their script has run
        return False
    attributes = element.attrib
    if attributes.get("hidden", "until-found") != "until-found" or attributes.get("aria-hidden", "") == "true":
        return True
    style = attributes.get("style")
    return style is not None and _HIDING.search(style[:1000]) is not None
