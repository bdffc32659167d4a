"""Number the items of an ordered list as a browser does: its start, its direction, its letters or numerals."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

from crawler.extract.html import names_of

BULLET = "- "
_MAX_ITEMS = 10_000
_MAX_NUMBER = 99_999  #: of a list's start or an item's value
_INTEGER = re.compile(r"[+-]?\d{1,6}")
_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?\b(none|(?:lower|upper)-(?:alpha|latin|roman))")
#: what an attribute, a style and docutils' classes call the kinds of numbers
_KINDS = {
    "a": "a", "A": "A", "i": "i", "I": "I", "none": "none",
    "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
    "lower-roman": "i", "upper-roman": "I",
    "loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I",
}  # fmt: skip
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass
class ListNumbers:
    """The numbers of one open list."""

    kind: str  #: "1", "a", "A", "i" or "I"; "none" for bullets
    next: int
    step: int

    def mark(self, item: Any) -> str:
        """Return what stands before an item; a ``value`` of its own goes on from there."""
        if self.kind == "none":
            return BULLET
        number = _integer(item.get("value"), self.next)
        self.next = number + self.step
        return f"{_written(number, self.kind)}. "


def numbers_of(element: Any) -> ListNumbers:
    """Return the numbers of a list element."""
    if element.tag != "ol":
        return ListNumbers(kind="none", next=0, step=0)
    step, first = 1, 1
    if "reversed" in element.attrib:
        step, first = -1, sum(1 for _ in islice(element.iterchildren("li"), _MAX_ITEMS))
    return ListNumbers(kind=_kind(element), next=_integer(element.get("start"), first), step=step)


def _kind(element: Any) -> str:
    styled = _STYLE.search((element.get("style") or "")[:300].lower())
    if styled:
        return _KINDS[styled[1]]
    classes = (_KINDS[name] for name in names_of(element).split() if len(name) > 1 and name in _KINDS)
    return next(classes, _KINDS.get((element.get("type") or "").strip(), "1"))


def _integer(written: str | None, default: int) -> int:
    found = _INTEGER.fullmatch((written or "").strip())
    number = int(found[0]) if found else default
    return number if abs(number) <= _MAX_NUMBER else default


def _written(number: int, kind: str) -> str:
    if kind in "aA" and 0 < number <= 702:
        first, last = divmod(number - 1, 26)
        text = (chr(96 + first) if first else "") + chr(97 + last)
    elif kind in "iI" and 0 < number < 4000:
        text = _roman(number)
    else:
        return str(number)
    return text if kind.islower() else text.upper()


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
