"""Compare values of sentences: numbers, sums of money, dates and names.

1,000 and 1000, three and 3, 5 km and 5,000 m, 1970-01-01 and January 1970 are equal in another form. In doubt (a
rounded number, a year for a day) two values count as equal, so that no false contradiction is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipeline.answering.values.units import BARE, Unit

ValueKind = Literal["number", "money", "date", "name"]


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value in ``text[start:end]``; a number or date lies between ``low`` and ``high``."""

    kind: ValueKind
    start: int
    end: int
    low: float = 0.0
    high: float = 0.0
    unit: Unit = BARE
    names: frozenset[str] = frozenset()  #: the words of a name, folded


def is_comparable(one: Value, other: Value) -> bool:
    """Return whether both have the same kind and measure."""
    return one.kind == other.kind and one.unit.measures == other.unit.measures


def may_be_equal(one: Value, other: Value) -> bool:
    """Return whether both may be the same value; never for values that cannot be compared."""
    if not is_comparable(one, other):
        return False
    if one.kind == "name":
        return not one.names.isdisjoint(other.names)
    return one.low <= other.high and other.low <= one.high
