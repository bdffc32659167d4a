"""Tell what a click opens: folded panels, and the labels of the buttons and tabs that open them.

A panel is opened by a control that names it, or that is next to it; a control is seen itself and says something.
Menus, dialogs and what a form answers are no panels.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from crawler.extract.html import names_of

_NAMING = ("aria-controls", "data-target", "data-bs-target", "data-controls", "popovertarget", "for")
_TOGGLES = frozenset({"collapse", "tab", "pill", "accordion", "toggle"})
_MARKS = ("aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle", "data-accordion", "popovertarget")
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:accordion|collaps\w*|toggle\w*|expand\w*|faq|question|spoiler|disclosure|trigger|opener)(?:$|[\s_-])"
)
_NO_PANELS = re.compile(
    r"(?:^|[\s_-])(?:menu|modal|dropdown|drop-down|popup|tooltip|overlay|lightbox|cookie\w*|consent|loading|success|error)(?:$|[\s_-])"
)
_TITLES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", "legend"})
_LABEL_CHARS, _LABEL_ELEMENTS = 300, 12
_PANEL_ELEMENTS = 500  #: of a panel that are looked at
_LINKED = 0.6  #: a larger share of links is a menu
_ASKS = ("?", "？", "؟")
_LETTER = re.compile(r"[^\W\d_]")


class Controls:
    """The controls of a page, and what they open; ``is_seen`` tells which elements are."""

    def __init__(self, tree: Any, is_seen: Callable[[Any], bool]) -> None:
        self._named: set[str] = set()
        self._has_tabs = False
        for element in tree.iter("*"):
            attributes = element.attrib
            if not attributes:
                continue
            toggle = _toggle_of(element)
            names = {part.lstrip("#") for name in _NAMING for part in attributes.get(name, "").split()[:5]}
            if element.tag == "a" and (toggle or attributes.get("role") == "tab"):
                names.add(attributes.get("href", "").partition("#")[2])
            self._has_tabs = self._has_tabs or attributes.get("role") == "tab"
            if names and _opens_in_place(element) and _label_of(element) and is_seen(element):
                self._named |= names

    def open(self, panel: Any) -> bool:
        """Return whether a control opens a folded element, and what opens is text."""
        role = panel.get("role", "")
        if panel.tag in ("nav", "form", "menu") or role in ("dialog", "alertdialog", "menu", "tooltip"):
            return False
        is_opened = (
            panel.get("id", "") in self._named
            or (self._has_tabs and role == "tabpanel")
            or _opens_next(panel.getprevious())
            or _is_button(panel.getnext())
        )
        return is_opened and not _NO_PANELS.search(names_of(panel)) and _is_text(panel)


def is_label(button: Any) -> bool:
    """Return whether a button is the title of what is below it: a question, or the title of a panel."""
    label, below = _label_of(button), button.getnext()
    above = list(islice(button.iterancestors(), 2))
    if not label or not _is_button(button) or _NO_PANELS.search(names_of(button)):
        return False
    if label.endswith(_ASKS) or any(each.tag in _TITLES for each in above):
        return True
    return below is not None and below.tag != "button" and _is_marked(button) and _is_text(below)


def place_tabs(tree: Any) -> None:
    """Write the label of each tab above what it opens, in place."""
    tabs = tree.xpath("//*[@role='tab']")
    if not tabs:
        return
    panels = tree.xpath("//*[@role='tabpanel']")
    by_id = {panel.get("id"): panel for panel in tree.iter("*") if panel.get("id")}
    in_order = panels if len(panels) == len(tabs) else []
    for at, tab in enumerate(tabs):
        named = tab.get("aria-controls") or (tab.get("href") or "").partition("#")[2]
        panel = by_id.get(named, in_order[at] if in_order else None)
        label = " ".join(tab.text_content().split())
        if panel is None or not label or panel is tab or tab in panel.iterancestors():
            continue
        title = panel.makeelement("p")
        title.text, title.tail, panel.text = label, panel.text, None
        panel.insert(0, title)
        tab.text = None
        del tab[:]


def _label_of(element: Any) -> str:
    """Return the few words of an element, or its label for the blind; "" for none, and for a longer text."""
    text = "".join(islice(element.itertext(), _LABEL_ELEMENTS)).strip() or element.get("aria-label", "")
    return text if _LETTER.search(text) and len(text) <= _LABEL_CHARS else ""


def _toggle_of(element: Any) -> str:
    return str(element.get("data-toggle") or element.get("data-bs-toggle") or "")


def _opens_in_place(element: Any) -> bool:
    """Return whether an element opens what belongs to the page, and no dialog."""
    return _toggle_of(element) in ("", *_TOGGLES)


def _opens_next(element: Any) -> bool:
    """Return whether an element is a control of what follows it."""
    if element is None or element.tag == "form" or not _opens_in_place(element):
        return False
    label = _label_of(element)
    within = islice(element.iter(), _LABEL_ELEMENTS)
    return bool(label) and (label.endswith(_ASKS) or any(_is_marked(each) or _is_clicked(each) for each in within))


def _is_marked(element: Any) -> bool:
    """Return whether an element says itself that it opens something."""
    return any(mark in element.attrib for mark in _MARKS) or _NAMES.search(names_of(element)) is not None


def _is_clicked(element: Any) -> bool:
    attributes = element.attrib
    return (
        _is_button(element)
        or element.tag == "summary"
        or (element.tag == "label" and "for" in attributes)
        or "onclick" in attributes
        or attributes.get("role", "") in ("button", "tab")
        or (element.tag == "a" and attributes.get("href", "").startswith(("#", "javascript:")))
    )


def _is_button(element: Any) -> bool:
    """Return whether an element is a button that sends no form."""
    if element is None or element.tag != "button":
        return False
    above = islice(element.iterancestors(), 10)
    return element.get("type", "") == "button" or not any(each.tag == "form" for each in above)


def _is_text(panel: Any) -> bool:
    """Return whether most of an element's text is outside of links."""
    text = linked = 0
    for element in islice(panel.iter(), _PANEL_ELEMENTS):
        own = len("".join((element.text or "").split()))
        tail = len("".join((element.tail or "").split())) if element is not panel else 0
        text += own + tail
        linked += own if element.tag == "a" else 0
    return text > 0 and linked < _LINKED * text
