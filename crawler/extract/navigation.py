"""Remove the navigation of a page: bars, breadcrumbs, tables of contents that only link, headers and footers of a site.

An element is removed for what it is (``nav``, its role), for what its class says, if its text agrees, or for its form:
a row of links to the neighbouring pages, a list of links to the headings of the same page.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from crawler.extract.element_text import Line
from crawler.extract.html import names_of

_TAGS = frozenset({"nav", "footer"})
_FRAMES = frozenset({"header", "aside"})  #: around the content, not in it
_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar"})
_LISTED = tomllib.loads(Path(__file__).with_name("navigation.toml").read_text("utf-8"))
_CERTAIN = re.compile(rf"(?:^|[\s_])(?:{'|'.join(_LISTED['certain'])})(?:$|[\s_])")
_LIKELY = re.compile(rf"(?:^|\s)(?:{'|'.join(_LISTED['likely'])})(?:$|\s)")
_HEADER = re.compile(r"(?:^|\s)(?:page-header|header|banner|top|topbar)(?:$|\s)")
_SHORT = 400  #: characters of a header
_LINKED = 0.6  #: the least share of links in what is likely navigation
_MENU = 4  #: links of a menu
_TEXT_WORDS = 8
_TOP = 3  #: blocks that may be a menu
_MOST = 0.5  #: navigation has less of the page's text
_BAR_LINKED, _BAR_LINKS, _BAR_CHARS = 0.7, 3, 500
_STEPS, _STEP = frozenset(_LISTED["steps"].split()), frozenset(_LISTED["step"].split())
_CONTENTS = re.compile(f"(?:{'|'.join(_LISTED['contents'])}):?", re.IGNORECASE)
_TITLES = re.compile(f"{_CONTENTS.pattern}|(?:{'|'.join(_LISTED['titles'])}):?", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
#: between the steps of a breadcrumb line
_CRUMB = re.compile(r"\s*(?:[›»→▸▶❯]|>>)\s*|\s(?:[>/|·•]|::)\s")
_CRUMB_WORDS, _CRUMB_LINKED, _CRUMB_BLOCKS = 6, 0.3, 6


@dataclass(slots=True)
class Weight:
    """The text and links below an element."""

    text: int = 0  #: characters, without the space around each piece
    linked: int = 0  #: those in links
    links: int = 0

    @property
    def unlinked(self) -> int:
        """Return the characters outside of links."""
        return self.text - self.linked

    @property
    def share(self) -> float:
        """Return the share of the text that is in links."""
        return self.linked / self.text if self.text else 0.0


def weigh(root: Any) -> dict[Any, Weight]:
    """Return the weight of each element below ``root``, and its own."""
    found: dict[Any, Weight] = {}
    elements = list(root.iter())
    for element in reversed(elements):  # an element comes before all that is in it
        weight = found.setdefault(element, Weight())
        weight.text += len((element.text or "").strip())
        if element.tag == "a" and element.get("href"):
            weight.linked, weight.links = weight.text, 1
        if element is root:
            break
        above = found.setdefault(element.getparent(), Weight())
        above.text += weight.text + len((element.tail or "").strip())
        above.linked += weight.linked
        above.links += weight.links
    return found


def drop_navigation(root: Any) -> None:
    """Remove the elements below an element that are navigation by their names, in place."""
    weights = weigh(root)
    most = _MOST * weights[root].text
    waiting = list(root)
    while waiting:
        element = waiting.pop()
        weight = weights[element]
        if _is_navigation(element, weight) and weight.text <= max(most, weight.linked / _LINKED):
            element.drop_tree()
        else:
            waiting.extend(element)


def drop_menu_cells(root: Any) -> None:
    """Remove the cells of a table that link, next to the cell that holds most of the page's text, in place."""
    if root.find(".//td") is None:
        return
    weights = weigh(root)
    least = max(_SHORT, _MOST * weights[root].unlinked)
    for row in list(root.iter("tr")):
        cells = [cell for cell in row if cell.tag == "td"]
        if any(weights[cell].unlinked >= least for cell in cells):
            for cell in cells:
                if weights[cell].links >= _MENU and weights[cell].share >= _LINKED:
                    cell.drop_tree()


def _is_navigation(element: Any, weight: Weight) -> bool:
    if element.tag in _TAGS or element.get("role", "") in _ROLES:
        return True
    if element.tag in _FRAMES and element.getparent().tag == "body" and next(element.iter("h1"), None) is None:
        return True
    names = names_of(element)
    if names == " " or element.tag in _HEADING_TAGS:
        return False
    if _CERTAIN.search(names) is not None:
        return True
    if _LIKELY.search(names) is None or weight.links == 0 or next(element.iter("h1"), None) is not None:
        return False
    return weight.share >= _LINKED or (weight.text < _SHORT and _HEADER.search(names) is not None)


def without_bars(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that are not navigation by their form: steps to other pages, contents of this page."""
    kept: list[Line] = []
    is_above_text, has_heading = True, False
    for at, (_, group) in enumerate(groupby(lines, key=lambda line: (line.block, line.kind))):
        is_first = at < _TOP and not has_heading
        may_lead = is_above_text and at < _CRUMB_BLOCKS
        shown = (line for line in group if not _is_bar(line, is_first=is_first))
        block = [line for line in shown if not (may_lead and _is_breadcrumb(line))]
        if block and _is_contents(block, kept[-1] if kept else None):
            if kept and _TITLES.fullmatch(kept[-1].text):
                kept.pop()
        else:
            kept.extend(block)
            has_heading = has_heading or any(line.kind == "heading" for line in block)
            is_above_text = is_above_text and not any(_is_text(line) for line in block)
    # without titles of contents that were removed: no text is below them
    return [
        line
        for line, below in zip(kept, [*kept[1:], None], strict=False)
        if line.kind != "heading"
        or not _CONTENTS.fullmatch(line.text)
        or (below is not None and not 0 < below.level <= line.level)
    ]


def _is_text(line: Line) -> bool:
    return line.kind == "code" or (line.kind != "heading" and len(line.text.split()) >= _TEXT_WORDS)


def _is_breadcrumb(line: Line) -> bool:
    """Return whether a line leads from the site's first page to this one; it is above the text."""
    if not line.links or line.kind not in ("prose", "list") or len(line.text) > _BAR_CHARS:
        return False
    steps = [step for step in _CRUMB.split(line.text) if step]  # "→ https://…" is a link of the text
    is_linked = line.linked >= _CRUMB_LINKED * len("".join(line.text.split()))
    return is_linked and len(steps) >= 2 and all(len(step.split()) <= _CRUMB_WORDS for step in steps)


def _is_bar(line: Line, *, is_first: bool) -> bool:
    """Return whether a line is a bar of links: to the pages before and after, or a menu with marks between."""
    if not line.links or line.kind in ("code", "heading") or len(line.text) > _BAR_CHARS:
        return False
    words = [word.casefold() for word in _WORD.findall(line.text)]
    if all(word in _STEPS for word in words):
        return True
    steps = not _STEP.isdisjoint(words)
    named = sum(len(word) + 2 for word in words if steps and word in _STEPS)  # "Next: " is often no link
    characters = len("".join(line.text.split()))
    if line.linked < _BAR_LINKED * max(line.linked, characters - named):
        return False
    return (steps and line.links >= 2 and len(words) < 40) or (
        is_first and line.links >= _BAR_LINKS and not line.bullet and line.kind != "definition"
    )


def _is_contents(block: Sequence[Line], above: Line | None) -> bool:
    """Return whether a block only links: to parts of this page, or below a title that says so."""
    characters = sum(len("".join(line.text.split())) for line in block)
    links = sum(line.links for line in block)
    if not links or sum(line.linked for line in block) < 0.85 * characters or block[0].kind in ("heading", "code"):
        return False
    is_titled = above is not None and _CONTENTS.fullmatch(above.text) is not None
    local = sum(line.local for line in block)
    return is_titled or (len(block) >= 3 and local > 0.6 * links) or (len(block) == 2 == local == links)
