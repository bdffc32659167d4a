"""Write an element as text: blank lines between paragraphs, lines for list items and table rows, code unchanged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: elements with a blank line before and after
_PARAGRAPH_TAGS = frozenset(
    (
        *"p pre ul ol dl table blockquote figure details section article hr address fieldset quote list dt".split(),
        *_HEADINGS,
    )
)
#: elements that begin a line
_LINE_TAGS = frozenset(
    "div li dd tr caption figcaption summary main header footer aside nav form body center legend option thead tbody "
    "tfoot menu dir hgroup search".split()
)
_BLOCK_TAGS = _PARAGRAPH_TAGS | _LINE_TAGS
_SPACE = re.compile(r"\s+")
_MAX_CHARS = 2_000_000
_MAX_EVENTS = 1_500_000


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """A text and its headings, as in ``PageText``: each with those above it."""

    text: str
    headings: tuple[tuple[int, str], ...]


def render(root: Any) -> Rendered:
    """Write an lxml element as text; hidden elements must be removed already."""
    writer = _Writer(layout=_layout_tables(root))
    for count, (event, element) in enumerate(etree.iterwalk(root, events=("start", "end"))):
        if count > _MAX_EVENTS or writer.length > _MAX_CHARS:
            break
        if not isinstance(element.tag, str):
            tail = element.tail if event == "end" else None
        elif event == "start":
            writer.open(element)
            tail = element.text
        else:
            writer.close(element)
            tail = element.tail if element is not root else None
        if tail:
            writer.add(tail)
    writer.flush()
    return Rendered(text="".join(writer.out), headings=tuple(writer.headings))


@dataclass
class _Writer:
    """The text so far, and the line being written."""

    layout: set[Any]  #: tables for layout: their cells are blocks
    out: list[str] = field(default_factory=list)
    length: int = 0
    line: list[str] = field(default_factory=list)
    gap: str = ""  #: line breaks before the next line
    headings: list[tuple[int, str]] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)
    heading: int = 0  #: the level of the heading being written
    pre: int = 0
    lists: int = 0
    bullet: str = ""
    cells: int = 0  #: depth of data-table cells, whose blocks are written on one line

    def open(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
            self.line.append("\n" if self.pre else " ") if self.cells else self.line_break()
        elif tag in ("td", "th") and not self._lays_out(element):
            self.cells += 1
        elif self.cells:
            self.line.append(" ") if tag in _BLOCK_TAGS else None
        elif tag in _BLOCK_TAGS or tag in ("td", "th"):
            self._block(tag)
        if tag == "pre" and not self.cells:
            self.pre += 1
        elif tag in ("ul", "ol"):
            self.lists += 1
        elif tag in _HEADINGS and not self.cells:
            self.heading = _HEADINGS[tag]

    def close(self, element: Any) -> None:
        tag = element.tag
        if tag in ("td", "th") and not self._lays_out(element):
            self.cells -= 1
            self.line.append(" | ")
        elif self.cells:
            self.line.append(" ") if tag in _BLOCK_TAGS else None
        elif tag in _BLOCK_TAGS or tag in ("td", "th"):
            self._end_block(tag)
        if tag in ("ul", "ol"):
            self.lists -= 1

    def _block(self, tag: str) -> None:
        self.flush()
        if tag == "li":
            self.bullet = "  " * (self.lists - 1) + "- "
            self._due("\n")
        elif tag in _PARAGRAPH_TAGS and not self.bullet and not (tag in ("ul", "ol") and self.lists):
            self._due("\n\n")
        else:
            self._due("\n")

    def _end_block(self, tag: str) -> None:
        self.flush()
        if tag == "pre":
            self.pre -= 1
        self.heading = 0
        if tag == "li":
            self.bullet = ""
        inner = tag == "dt" or (tag in ("ul", "ol") and self.lists > 1)
        self._due("\n\n" if tag in _PARAGRAPH_TAGS and not inner else "\n")

    def add(self, text: str) -> None:
        self.line.append(text if self.pre else _SPACE.sub(" ", text))

    def line_break(self) -> None:
        if self.pre:
            self.line.append("\n")
        else:
            self.flush()
            self._due("\n")

    def flush(self) -> None:
        """Write the line."""
        text = _code("".join(self.line)) if self.pre else _prose("".join(self.line))
        self.line.clear()
        if not text:
            return
        start = self.length + (len(self.gap) if self.out else 0) + len(self.bullet)
        if self.heading:
            self._add_heading(start, text)
        written = (self.gap if self.out else "") + self.bullet + text
        self.gap = self.bullet = ""
        self.out.append(written)
        self.length += len(written)

    def _due(self, gap: str) -> None:
        self.gap = max(self.gap, gap, key=len)

    def _add_heading(self, start: int, text: str) -> None:
        while self.path and self.path[-1][0] >= self.heading:
            self.path.pop()
        self.path.append((self.heading, text[:200]))
        self.headings.append((start, " › ".join(heading for _, heading in self.path)))

    def _lays_out(self, cell: Any) -> bool:
        row = cell.getparent()
        for _ in range(3):
            if row is None or row.tag == "table":
                break
            row = row.getparent()
        return row is None or row in self.layout


def _prose(line: str) -> str:
    return _SPACE.sub(" ", line).strip().removesuffix(" |").rstrip()


def _code(block: str) -> str:
    return "\n".join(line.rstrip() for line in block.expandtabs(4).strip("\r\n").splitlines()).rstrip()


def _layout_tables(root: Any) -> set[Any]:
    """Return the tables for layout: with tables, headings, code or much text in a cell."""
    found: set[Any] = set()
    for element in root.iter("table", "pre", "h1", "h2", "h3"):
        above = element.getparent()
        while above is not None and above not in found:
            if above.tag == "table":
                found.add(above)
            above = above.getparent()
    for cell in root.iter("td"):
        if len(cell) and sum(map(len, cell.itertext())) > 800:
            table = next(cell.iterancestors("table"), None)
            if table is not None and table not in found:
                found.add(table)
    return found
