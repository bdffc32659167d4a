"""Remove from a parsed page what a reader does not see or is to disregard: scripts, hidden elements, struck-out text.

Text that opens with a click is visible (:mod:`crawler.extract.folded`). What a script or an external style sheet hides
is not known.
"""

import re
from itertools import islice
from typing import Any

from lxml import etree

from crawler.extract.bounded_process import TooMuchWork
from crawler.extract.css import WHITE, Colour, StyleSheets, background_of, colour_of, hides, is_same, pixels
from crawler.extract.folded import Controls, is_label
from crawler.extract.html import names_of
from text.invisible import strip_invisible

_INVISIBLE_TAGS = frozenset(
    "script style template noscript iframe object embed svg canvas audio video map select button textarea input "
    "dialog datalist title base link meta math-annotation noframes noembed rp".split()
)
_TAKEN_OUT = "taken-out"  #: the name of elements without content
_DEPTH = 40  #: elements around a control that may hide it
_ROOTS = ("html", "body", "main")
#: declarations that fold a panel until a click
_FOLDING = frozenset("display visibility content-visibility opacity height max-height".split())
_STRUCK_TAGS = frozenset({"s", "del", "strike"})
_STRUCK = re.compile(r"(?:^|\s)(?:line-through|strike-?through|text-(?:strike|decoration-line-through))(?:\s|$)")
_RAISING = {"super": "sup", "sub": "sub"}
_SMALL = frozenset({"smaller", "small", "x-small", "xx-small"})
#: pixels: of usual letters, and how far raised ones are moved; half as far if they are smaller
_LETTERS, _RAISED = 16.0, 4.0
#: elements within a line, which such a style raises or sets apart
_INLINE = frozenset("span font small b strong i em a label".split())
_INLINE_PARENTS = _INLINE | {"h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", "legend", "p"}
_APART = frozenset("block flex grid table list-item inline-block inline-flex inline-grid table-cell flow-root".split())


def drop_hidden(tree: Any, *, spare: frozenset[str] = frozenset()) -> None:
    """Remove the hidden elements of a tree in place, but tags in ``spare``; keep what follows. Raises TooMuchWork."""
    try:
        styles = _Styles(tree)
        controls = Controls(tree, styles.is_seen)
        for element in list(tree.iter()):
            if element.tag in spare:
                continue
            if _is_invisible(element):
                take_out(element)
                continue
            style = styles.style_of(element)
            if not style and not element.keys() and element.tag not in _STRUCK_TAGS:
                continue
            line = style.get("text-decoration-line") or style.get("text-decoration")
            is_struck = element.tag in _STRUCK_TAGS or _STRUCK.search(names_of(element)) is not None
            if ("line-through" in line if line else is_struck) or _is_hidden(element, style, styles, controls):
                take_out(element)
            elif element.tag in _INLINE and style:
                _set(element, style)
    except RecursionError as error:
        raise TooMuchWork("has styles that nest too deep to be applied: they may hide text.") from error
    etree.strip_elements(tree, _TAKEN_OUT, with_tail=False)


def take_out(element: Any) -> None:
    """Put an element without content, which ``drop_hidden`` removes, in the place of one.

    To move the text after each takes the square of their number.
    """
    if (parent := element.getparent()) is not None:
        empty = parent.makeelement(_TAKEN_OUT)
        empty.tail, element.tail = element.tail, None
        parent.replace(element, empty)


def drop_invisible_characters(tree: Any) -> None:
    """Remove the invisible characters of an lxml tree's text in place."""
    for element in tree.iter():
        for name, text in (("text", element.text), ("tail", element.tail)):
            if text and (visible := strip_invisible(text)) != text:
                setattr(element, name, visible)


class _Styles:
    def __init__(self, tree: Any) -> None:
        self._sheets = StyleSheets(tree)
        self._backgrounds: dict[Any, Colour | str] = {}

    def style_of(self, element: Any) -> dict[str, str]:
        style = self._sheets.style_of(element)
        if element.tag == "font" and (colour := element.get("color")):
            style = {"color": colour.lower(), **style}
        return style

    def is_seen(self, element: Any) -> bool:
        """Return whether nothing hides an element or what is around it."""
        around = (element, *islice(element.iterancestors(), _DEPTH))
        return not any(_is_folded(each) or hides(self.style_of(each)) for each in around if each.tag not in _ROOTS)

    def background_of_element(self, element: Any) -> Colour | str:
        """Return the colour behind an element; "unknown" for an image, white if none is set."""
        passed = []
        found: Colour | str | None = None
        for around in (element, *element.iterancestors()):
            if around in self._backgrounds:
                found = self._backgrounds[around]
                break
            passed.append(around)
            named = around.get("bgcolor")
            found = background_of(self.style_of(around)) or (named and (colour_of(named.lower()) or "unknown"))
            if found:
                break
        self._backgrounds.update(dict.fromkeys(passed, found or WHITE))
        return found or WHITE


def _is_invisible(element: Any) -> bool:
    """Return whether an element's text is never shown; the label of a button and a text to copy are."""
    if element.tag == "button" and is_label(element):
        element.tag = "span" if element.getparent().tag in _INLINE_PARENTS else "p"
    elif element.tag == "textarea" and ("readonly" in element.attrib or "disabled" in element.attrib):
        element.tag = "pre"
    return element.tag in _INVISIBLE_TAGS


def _is_hidden(element: Any, style: dict[str, str], styles: _Styles, controls: Controls) -> bool:
    if element.tag in _ROOTS:  # pages hide these until their script has run
        return False
    if _is_folded(element) or (style and hides(style)):
        shown = {name: value for name, value in style.items() if name not in _FOLDING}
        if hides(shown) or not controls.open(element):
            return True
    # letters in the colour of their background, but none that the background image fills
    colour = colour_of(style.get("color", ""))
    if colour is None or "background-clip" in style or "-webkit-background-clip" in style:
        return False
    background = styles.background_of_element(element)
    return not isinstance(background, str) and is_same(colour, background)


def _is_folded(element: Any) -> bool:
    attributes = element.attrib
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden", "") == "true"
        or "popover" in attributes
    )


def _set(element: Any, style: dict[str, str]) -> None:
    """Keep what a style says of an element within a line: that it is raised, or set apart."""
    if (tag := _raising_tag(element, style)) and element.tag != "a":
        element.tag = tag
    elif (display := style.get("display", "")) in _APART:
        element.text = f" {element.text or ''}"
        if not element.tail or "inline" not in display:
            element.tail = f" {element.tail or ''}"


def _raising_tag(element: Any, style: dict[str, str]) -> str:
    """Return the tag of raised or lowered text for an element with such a style; "" for any other."""
    size, aligned = style.get("font-size", ""), style.get("vertical-align", "")
    is_small = element.tag == "small" or size in _SMALL or 0 < (pixels(size) or 0) < _LETTERS
    up = pixels(aligned) or 0
    if is_small and style.get("position") == "relative":
        up -= pixels(style.get("top", "")) or -(pixels(style.get("bottom", "")) or 0)
    if abs(up) >= (_RAISED / 2 if is_small else _RAISED):
        return "sup" if up > 0 else "sub"
    return _RAISING.get(aligned, "")
