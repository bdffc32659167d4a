"""Remove from a parsed page what a reader does not see: scripts, comments, hidden elements, invisible characters.

Text that opens with a click (``details``) is visible. What a script or an external style sheet hides is not known.
"""

from __future__ import annotations

from typing import Any

from crawler.extract.css import WHITE, Colour, StyleSheets, background_of, colour_of, declarations, hides, is_same
from text.invisible import strip_invisible

_INVISIBLE_TAGS = frozenset(
    "script style template noscript iframe object embed svg canvas audio video map select button textarea input "
    "dialog datalist title base link meta math-annotation noframes noembed rp".split()
)
_ROOTS = ("html", "body", "main")
_MAX_STYLE = 2_000


def drop_hidden(tree: Any, *, spare: frozenset[str] = frozenset()) -> None:
    """Remove the hidden elements of an lxml tree in place, except tags in ``spare``; the text after them stays."""
    styles = _Styles(tree)
    for element in list(tree.iter()):
        if element.tag in spare:
            continue
        if not isinstance(element.tag, str) or element.tag in _INVISIBLE_TAGS or _is_hidden(element, styles):
            drop(element)


def drop_invisible_characters(tree: Any) -> None:
    """Remove the invisible characters of an lxml tree's text in place."""
    for element in tree.iter():
        if element.text:
            _strip(element, "text")
        if element.tail:
            _strip(element, "tail")


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


def _strip(element: Any, name: str) -> None:
    text = getattr(element, name)
    if (visible := strip_invisible(text)) != text:
        setattr(element, name, visible)


class _Styles:
    """The declarations of a page's elements, and their background colours."""

    def __init__(self, tree: Any) -> None:
        self._sheets = StyleSheets(tree)
        self._backgrounds: dict[Any, Colour | str] = {}

    def style_of(self, element: Any) -> dict[str, str]:
        style = self._sheets.style_of(element)
        if own := element.get("style"):
            style = {**style, **declarations(own[:_MAX_STYLE])}
        if element.tag == "font" and (colour := element.get("color")):
            style = {"color": colour.lower(), **style}
        return style

    def background_of_element(self, element: Any) -> Colour | str:
        """Return the colour behind an element; "unknown" for an image, white where none is set."""
        passed = []
        background: Colour | str = WHITE
        for ancestor in (element, *element.iterancestors()):
            if ancestor in self._backgrounds:
                background = self._backgrounds[ancestor]
                break
            passed.append(ancestor)
            if found := self._own_background(ancestor):
                background = found
                break
        self._backgrounds.update(dict.fromkeys(passed, background))
        return background

    def _own_background(self, element: Any) -> Colour | str | None:
        named = element.get("bgcolor")
        return background_of(self.style_of(element)) or (named and (colour_of(named.lower()) or "unknown"))


def _is_hidden(element: Any, styles: _Styles) -> bool:
    if element.tag in _ROOTS:  # pages hide these until their script has run
        return False
    attributes = element.attrib
    if attributes.get("hidden", "until-found") != "until-found" or attributes.get("aria-hidden", "") == "true":
        return True
    if "popover" in attributes:
        return True
    style = styles.style_of(element)
    return bool(style) and (hides(style) or _has_background_colour(element, style, styles))


def _has_background_colour(element: Any, style: dict[str, str], styles: _Styles) -> bool:
    """Return whether an element's letters have the colour of its background."""
    colour = colour_of(style.get("color", ""))
    if colour is None or "background-clip" in style or "-webkit-background-clip" in style:
        return False
    background = styles.background_of_element(element)
    return not isinstance(background, str) and is_same(colour, background)
