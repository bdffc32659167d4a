"""Compare values of sentences: numbers, sums of money and dates.

1,000 and 1000, three and 3, 5 km and 5,000 m, 1970-01-01 and January 1970 are equal in another form. In doubt (a
rounded number, a year for a day) two values count as equal, so that no false contradiction is shown.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ValueKind = Literal["number", "money", "date"]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A unit; ``value · factor + offset`` converts to the base unit of its measure."""

    measures: str  #: "length", a currency; "" for a count
    factor: float = 1.0
    offset: float = 0.0

    @staticmethod
    def named(name: str) -> Unit:
        """Return the unit of a name that ``UNIT`` matched."""
        return _UNITS.get(name) or _FOLDED[name.casefold()]


#: the unit of a number without one
BARE = Unit(measures="")
SHARE = Unit(measures="share")

_READ = tomllib.loads(Path(__file__).with_name("units.toml").read_text("utf-8"))
_OFFSETS = _READ.pop("offsets")
_UNITS: dict[str, Unit] = {
    name: Unit(measures=measures, factor=factor, offset=_OFFSETS.get(name, 0.0))
    for measures, units in _READ.items()
    for factor, *names in units
    for name in names
}
_FOLDED = {name.casefold(): unit for name, unit in _UNITS.items()}
_CASED = sorted((name for name in _UNITS if len(name) <= 3 and name.isascii() and name.isalpha()), key=len)
_WORDS = sorted(_UNITS.keys() - set(_CASED), key=len, reverse=True)
#: the separator between a number and its unit, the unit, and its end
UNIT = re.compile(
    rf"[ \u00a0\u202f-]?((?i:{'|'.join(map(re.escape, _WORDS))})|{'|'.join(map(re.escape, reversed(_CASED)))})"
    r"(?![\w²³/])"
)


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value in ``text[start:end]``; a number or date lies between ``low`` and ``high``."""

    kind: ValueKind
    start: int
    end: int
    low: float = 0.0
    high: float = 0.0
    unit: Unit = BARE


def is_comparable(one: Value, other: Value) -> bool:
    """Return whether both have the same kind and measure."""
    return one.kind == other.kind and one.unit.measures == other.unit.measures


def may_be_equal(one: Value, other: Value) -> bool:
    """Return whether both may be the same value; never for values that cannot be compared."""
    return is_comparable(one, other) and one.low <= other.high and other.low <= one.high
