"""Find the values of one kind in a text; a range is one value."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from pipeline.answering.values.dates import dates_in
from pipeline.answering.values.numbers import numbers_in
from pipeline.answering.values.value import BARE, Value, ValueKind

_RANGE = re.compile(r"\s?(?:[-–—]|to|bis|and|und)\s?$")
_BETWEEN = re.compile(r"(?:between|from|zwischen|von|vom) (?:the )?$", re.IGNORECASE)
#: characters before a range in which "between" can stand
_BEFORE = 20


def values_in(text: str, kind: ValueKind, lang: str) -> list[Value]:
    """Return the values of one kind in order; a range is one value. ``lang`` decides how to read "1.000"."""
    dates = list(dates_in(text))
    if kind == "date":
        return _joined(text, dates)
    numbers = _joined(text, list(numbers_in(text, lang)))
    taken = [value for value in dates if value.unit != BARE or text[value.start : value.end].strip("0123456789")]
    free = [number for number in numbers if number.kind == "money" or not _overlaps(number, taken)]
    return [number for number in free if number.kind == kind]


def _overlaps(value: Value, others: Sequence[Value]) -> bool:
    """Return whether a value overlaps one of the others, which are in order and apart."""
    at = bisect_right(others, value.start, key=lambda other: other.end)
    return at < len(others) and others[at].start < value.end


def _joined(text: str, values: list[Value]) -> list[Value]:
    """Merge the two ends of each range into one value."""
    joined: list[Value] = []
    for value in values:
        if joined and _is_range(text, joined[-1], value):
            joined[-1] = replace(value, start=joined[-1].start, low=_low_end(joined[-1], value))
        else:
            joined.append(value)
    return joined


def _is_range(text: str, one: Value, other: Value) -> bool:
    between = text[one.end : other.start]
    if not _RANGE.fullmatch(between) or one.unit not in (other.unit, BARE) or _low_end(one, other) > other.high:
        return False
    before = max(0, one.start - _BEFORE)
    return between.strip() not in {"and", "und"} or _BETWEEN.search(text, before, one.start) is not None


def _low_end(one: Value, other: Value) -> float:
    """Return the lower end of a range in the unit of the upper one: "5 to 10 km"."""
    return one.low if one.unit == other.unit else one.low * other.unit.factor + other.unit.offset
