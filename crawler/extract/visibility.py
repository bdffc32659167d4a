"""Take out of a parsed page what a reader does not see: scripts, comments, hidden elements, characters without a shape.

Seen is what stands on the page or opens with a click that the page offers (``details``). What a style sheet of another
file or a script hides is not known here.
"""

from __future__ import annotations

from typing import Any

from crawler.extract.css.rules import StyleSheets
from crawler.extract.css.style import WHITE, Colour, background_of, colour_of, declarations, hides, is_same
from text.invisible import strip_invisible

_INVISIBLE_TAGS = frozenset(
    "script style template noscript iframe object embed svg canvas audio video map select button textarea input "
    "dialog datalist title base link meta math-annotation noframes noembed rp".split()
)
_ROOTS = ("html", "body", "main")
_MAX_STYLE = 2_000


def drop_hidden(tree: Any, *, spare: frozenset[str] = frozenset()) -> None:
    """Remove in place the elements of an lxml tree that are not shown; the text after them stays.

    ``spare`` names tags that stay all the same.
    """
    looks = _Styles(tree)
    for element in list(tree.iter()):
        if element.tag in spare:
            continue
        if not isinstance(element.tag, str) or element.tag in _INVISIBLE_TAGS or _is_hidden(element, looks):
            drop(element)


def drop_invisible_characters(tree: Any) -> None:
    """Remove in place the characters of an lxml tree's text that are not shown."""
    for element in tree.iter():
        if element.text:
            _show(element, "text")
        if element.tail:
            _show(element, "tail")


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


def _show(element: Any, name: str) -> None:
    text = getattr(element, name)
    if (seen := strip_invisible(text)) != text:
        setattr(element, name, seen)


class _Styles:
    """The styles of a page's elements, and the colours they stand on."""

    def __init__(self, tree: Any) -> None:
        self._sheets = StyleSheets(tree)
        self._grounds: dict[Any, Colour | str] = {}

    def style_of(self, element: Any) -> dict[str, str]:
        style = self._sheets.style_of(element)
        if own := element.get("style"):
            style = {**style, **declarations(own[:_MAX_STYLE])}
        if element.tag == "font" and (colour := element.get("color")):
            style = {"color": colour.lower(), **style}
        return style

    def ground_of(self, element: Any) -> Colour | str:
        """The colour an element stands on, "unknown" for a picture; a page that says nothing of it is white."""
        passed = []
        ground: Colour | str = WHITE
        for each in (element, *element.iterancestors()):
            if each in self._grounds:
                ground = self._grounds[each]
                break
            passed.append(each)
            if found := self._own_ground(each):
                ground = found
                break
        self._grounds.update(dict.fromkeys(passed, ground))
        return ground

    def _own_ground(self, element: Any) -> Colour | str | None:
        named = element.get("bgcolor")
        return background_of(self.style_of(element)) or (named and (colour_of(named.lower()) or "unknown"))


def _is_hidden(element: Any, looks: _Styles) -> bool:
    if element.tag in _ROOTS:  # pages hide themselves until their script has run
        return False
    attributes = element.attrib
    if attributes.get("hidden", "until-found") != "until-found" or attributes.get("aria-hidden", "") == "true":
        return True
    if "popover" in attributes:
        return True
    style = looks.style_of(element)
    return bool(style) and (hides(style) or _has_background_colour(element, style, looks))


def _has_background_colour(element: Any, style: dict[str, str], looks: _Styles) -> bool:
    """Return whether its letters have the colour of what they stand on."""
    colour = colour_of(style.get("color", ""))
    if colour is None or "background-clip" in style or "-webkit-background-clip" in style:
        return False
    ground = looks.ground_of(element)
    return not isinstance(ground, str) and is_same(colour, ground)
