"""Write an element as text in blocks: paragraphs, headings, lists, tables, definitions, code; inline elements inline.

Blank lines separate blocks; a list's items, a table's rows, a term and its description have a line each. Items of
ordered lists keep their numbers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lxml import etree

from crawler.extract.html import is_aside, names_of
from crawler.extract.html_tables import kind_of_table, layout_tables
from domain import TABLES, Block, BlockKind

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: elements with a blank line before and after
_PARAGRAPH_TAGS = _HEADINGS.keys() | set(
    "p pre ul ol dl table blockquote figure details section article hr address fieldset quote list dt".split()
)
#: elements that begin a line
_LINE_TAGS = frozenset(
    "div li dd tr caption figcaption summary main header footer aside nav form body center legend option thead tbody "
    "tfoot menu dir hgroup search td th".split()
)
_BLOCK_TAGS = _PARAGRAPH_TAGS | _LINE_TAGS
_HOLDERS = frozenset({"div", "section", "article", "main", "td", "body", "center", "form"})
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_ITEMS = frozenset({"li", "dt", "dd"})
#: adjacent elements without a blank between them, which a style separates: a label and its value
_APART = frozenset("span b strong a small label time data".split())
_LABEL, _VALUE = re.compile(r"[^\W\d_](?:[^\W\d_]{2}|[:%])\Z"), re.compile(r"\d|[A-Z][a-z]{2}|[€$£]")
_BULLET = "- "
_MAX_ITEMS = 10_000
_MAX_NUMBER = 99_999  #: of a list's start or an item's value
_INTEGER = re.compile(r"[+-]?\d{1,6}")
_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?\b(none|(?:lower|upper)-(?:alpha|latin|roman))")
#: what an attribute, a style and docutils' classes call the kinds of numbers
_NUMBER_KINDS = {
    "a": "a", "A": "A", "i": "i", "I": "I", "none": "none",
    "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
    "lower-roman": "i", "upper-roman": "I",
    "loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I",
}  # fmt: skip
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of text, or all lines of one piece of code."""

    kind: BlockKind
    block: int  #: lines of one list, table, definition or paragraph have the same number
    gap: str  #: line breaks before it, if there is text above
    bullet: str
    text: str
    level: int = 0  #: of a heading
    linked: int = 0  #: characters in links, without spaces
    links: int = 0
    local: int = 0  #: links to a part of the same page
    holder: Any = field(default=None, repr=False, compare=False)  #: the element that holds its paragraph or list
    is_aside: bool = False  #: within an element whose class says comments, related pages, adverts


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """A text, its headings (each with those above it), blocks and places, as in ``PageText``."""

    text: str
    headings: tuple[tuple[int, str], ...] = ()
    blocks: tuple[Block, ...] = ()
    places: tuple[tuple[int, str], ...] = ()


def render(root: Any) -> Rendered:
    """Write an lxml element as text; hidden elements must be removed already."""
    return joined(lines_of(root))


def lines_of(root: Any) -> list[Line]:
    """Return an lxml element's text in lines."""
    writer = _LineWriter(layout=layout_tables(root))
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            writer.open(element)
            tail = element.text
        else:
            writer.close(element)
            tail = element.tail if element is not root else None
        if tail:
            writer.add(tail)
    writer.flush()
    return writer.lines


def joined(lines: Sequence[Line]) -> Rendered:
    """Return lines as one text, with the headings and blocks in it."""
    out: list[str] = []
    length = 0
    headings: list[tuple[int, str]] = []
    path: list[tuple[int, str]] = []
    blocks: list[Block] = []
    last: Line | None = None
    for line in lines:
        gap = line.gap if last is not None else ""
        is_prose = line.kind == "prose" and line.text[:1].islower()
        if last is not None and is_prose and last.kind in ("code", "list", *TABLES):
            gap = "\n"  # the rest of a sentence that code or a list interrupts
        start = length + len(gap)
        written = f"{gap}{line.bullet}{line.text}"
        out.append(written)
        length += len(written)
        if line.level:
            path = [*(above for above in path if above[0] < line.level), (line.level, line.text[:200])]
            headings.append((start + len(line.bullet), " › ".join(heading for _, heading in path)))
        if last is not None and line.block == last.block and line.kind == last.kind:
            start = blocks.pop().start
        blocks.append(Block(kind=line.kind, start=start, end=length))
        last = line
    return Rendered(text="".join(out), headings=tuple(headings), blocks=tuple(blocks))


@dataclass
class _ListNumbers:
    """The numbers of one open list, as a browser counts: its start, its direction, its letters or numerals."""

    kind: str  #: "1", "a", "A", "i" or "I"; "none" for bullets
    next: int
    step: int

    def mark(self, item: Any) -> str:
        """Return the mark before an item; numbering continues from an item's own ``value``."""
        if self.kind == "none":
            return _BULLET
        number = _integer(item.get("value"), self.next)
        self.next = number + self.step
        return f"{_written(number, self.kind)}. "


def _numbers_of(element: Any) -> _ListNumbers:
    if element.tag != "ol":
        return _ListNumbers(kind="none", next=0, step=0)
    step, first = 1, 1
    if "reversed" in element.attrib:
        step, first = -1, sum(1 for _ in islice(element.iterchildren("li"), _MAX_ITEMS))
    styled = _STYLE.search((element.get("style") or "")[:300].lower())
    named = (name for name in names_of(element).split() if len(name) > 1 and name in _NUMBER_KINDS)
    name = styled[1] if styled else next(named, (element.get("type") or "").strip())
    kind = _NUMBER_KINDS.get(name, "1")
    return _ListNumbers(kind=kind, next=_integer(element.get("start"), first), step=step)


def _integer(written: str | None, default: int) -> int:
    found = _INTEGER.fullmatch((written or "").strip())
    number = int(found[0]) if found else default
    return number if abs(number) <= _MAX_NUMBER else default


def _written(number: int, kind: str) -> str:
    if kind in "aA" and 0 < number <= 702:
        first, last = divmod(number - 1, 26)
        text = (chr(96 + first) if first else "") + chr(97 + last)
    elif kind in "iI" and 0 < number < 4000:
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    else:
        return str(number)
    return text if kind.islower() else text.upper()


@dataclass
class _LineWriter:
    layout: set[Any]  #: tables for layout: their cells are blocks
    lines: list[Line] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    gap: str = ""  #: line breaks before the next line
    heading: int = 0  #: the level of the heading being written
    pre: int = 0
    lists: list[_ListNumbers] = field(default_factory=list)  #: the open ones
    within: list[str] = field(default_factory=list)  #: the open items and descriptions: li, dt, dd
    bullet: str = ""
    row: bool = False
    tables: list[BlockKind] = field(default_factory=list)  #: the kinds of the open ones
    cells: int = 0  #: depth of data-table cells, whose blocks are written on one line
    closed: bool = False  #: an element within the line has just ended
    touches: bool = False  #: and another one begun directly behind it
    described: bool = False  #: the next paragraph describes the term above
    block: int = 0
    anchor: int = 0  #: depth of links
    holders: list[Any] = field(default_factory=list)  #: the open elements that hold paragraphs
    asides: list[Any] = field(default_factory=list)  #: the outermost open element of boilerplate
    linked: int = 0
    links: int = 0
    local: int = 0

    def open(self, element: Any) -> None:
        tag = element.tag
        self.touches = tag in _APART and (self.closed or self.touches)
        self.closed = False
        if not self.asides and is_aside(element):
            self.asides.append(element)
        if tag == "a" and (href := element.get("href")):
            self.anchor += 1
            self.links += 1
            self.local += href.startswith("#")
        elif tag == "br":
            self._line_break()
        elif tag in ("td", "th") and not self._lays_out(element):
            self.cells += 1
            self.row = True
        elif self.cells:
            self.line.append(" ") if tag in _BLOCK_TAGS else None
        elif tag in _BLOCK_TAGS:
            self._begin(tag, element)

    def close(self, element: Any) -> None:
        tag = element.tag
        self.closed = tag in _APART
        if tag == "a" and element.get("href"):
            self.anchor -= 1
        elif tag in ("td", "th") and not self._lays_out(element):
            self.cells -= 1
            self.line.append(" | ")
        elif self.cells:
            self.line.append(" ") if tag in _BLOCK_TAGS else None
        elif tag in _BLOCK_TAGS:
            self._end(tag)
        if self.asides and element is self.asides[0]:
            self.flush()
            self.asides.clear()

    def add(self, text: str) -> None:
        if self.anchor:
            self.linked += len("".join(text.split()))
        if self.touches and not self.pre and self.line and _LABEL.search(self.line[-1][-20:]) and _VALUE.match(text):
            self.line.append(" ")
        self.closed = self.touches = False
        self.line.append(text)

    def flush(self) -> None:
        """Write the line."""
        text = "".join(self.line)
        if self.pre:
            text = "\n".join(line.rstrip() for line in text.expandtabs(4).strip("\r\n").splitlines()).rstrip()
        else:
            text = " ".join(text.split()).removesuffix(" |").rstrip()
        self.line.clear()
        if text:
            kind = self._kind()
            if kind not in ("list", "definition", *TABLES) and (not self.lines or self.gap == "\n\n"):
                self.block += 1
            line = Line(
                kind=kind,
                block=self.block,
                gap=self.gap,
                bullet=self.bullet,
                text=text,
                level=self.heading if kind == "heading" else 0,
                linked=self.linked,
                links=self.links,
                local=self.local,
                holder=self.holders[-1] if self.holders else None,
                is_aside=bool(self.asides),
            )
            self.lines.append(line)
            self.gap = self.bullet = ""
        self.linked = self.links = self.local = 0

    def _begin(self, tag: str, element: Any) -> None:
        self.flush()
        if tag in _HOLDERS:
            self.holders.append(element)
        next_term = tag == "dt" and (self.described or self.within[-1:] == ["dt"])
        inner = self.bullet or (tag in _LISTS and self.lists) or next_term or (tag == "p" and self.described)
        self._due("\n\n" if tag in _PARAGRAPH_TAGS and not inner else "\n")
        if tag == "li":
            mark = self.lists[-1].mark(element) if self.lists else _BULLET
            self.bullet = "  " * (len(self.lists) - 1) + mark
        elif tag in _LISTS:
            self.lists.append(_numbers_of(element))
        elif tag == "table":
            self.tables.append(kind_of_table(element))
        elif tag == "pre":
            self.pre += 1
        elif tag in _HEADINGS:
            self.heading = _HEADINGS[tag]
        elif tag == "tr":
            self.row = False
        if tag in _ITEMS:
            self.within.append(tag)
        if (tag in ("ul", "ol", "table") and not (len(self.lists) > 1 or self.within)) or (
            tag == "dt" and not next_term
        ):
            self.block += 1

    def _end(self, tag: str) -> None:
        self.flush()
        if tag in _HOLDERS:
            self.holders.pop()
        if tag == "pre":
            self.pre = max(0, self.pre - 1)
        elif tag in _LISTS:
            self.lists.pop()
        elif tag == "table":
            self.tables.pop()
        elif tag in _ITEMS:
            self.within.pop()
            self.bullet = ""
            self.described = tag == "dt"
        elif tag == "tr":
            self.row = False
        self.heading = 0
        inner = tag == "dt" or (tag in _LISTS and self.lists) or self.within[-1:] == ["dt"]
        self._due("\n\n" if tag in _PARAGRAPH_TAGS and not inner else "\n")

    def _kind(self) -> BlockKind:
        within = self.within[-1] if self.within else ""
        described, self.described = self.described, False
        if self.pre:
            return "code"
        if self.heading:
            return "heading"
        if self.row:
            return self.tables[-1] if self.tables else "rows"
        if within == "li":
            return "list"
        return "definition" if within == "dt" or (within == "dd" and described) else "prose"

    def _line_break(self) -> None:
        if self.cells:
            self.line.append(" ")
        elif self.pre:
            self.line.append("\n")
        else:
            is_second = not "".join(self.line).strip() and self.gap == "\n" and bool(self.lines)
            self.flush()
            self._due("\n\n" if is_second else "\n")

    def _due(self, gap: str) -> None:
        self.gap = max(self.gap, gap, key=len)

    def _lays_out(self, cell: Any) -> bool:
        around = list(islice(cell.iterancestors(), 4))
        table = next((above for above in around if above.tag == "table"), None)
        return table in self.layout if table is not None else len(around) < 4
