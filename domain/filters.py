"""Conditions on what a program says of its documents, as ``team=support|ops``, ``team!=sales`` or ``year>=2020``.

A name, one of ``= != < <= > >=``, and a value; ``=`` and ``!=`` take several with ``|`` between them. A value that has
``|`` in it, or blanks at its ends, is written as a JSON string: ``"a|b"``. Texts are compared as they are written,
numbers by ``<`` and the like as numbers. Of a list of values one must fit. What lacks the name fits only ``!=``.
"""

import json
import math
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from domain.storable import check_json

Operator = Literal["=", "!=", "<", "<=", ">", ">="]
#: what metadata may have
Value = str | int | float | bool | list[str]

#: characters of a text that filters find; a longer one is only kept
MAX_VALUE: Final = 500
#: of metadata, as JSON
MAX_BYTES: Final = 4_096
MAX_FILTERS: Final = 20
#: the tag of every document's passages; those of its metadata have a "=" in them
DOCUMENT: Final = "document"

_NAME: Final = r"[^\W\d][\w.-]{0,63}"
_CONDITION: Final = re.compile(rf"\s*({_NAME})\s*(!=|>=|<=|=|>|<)\s*(\S.*?)\s*", re.DOTALL)
_ONE: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^|"][^|]*?)\s*(\||$)', re.DOTALL)
_NUMBER: Final = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?", re.ASCII)
_COMPARE: Final[Mapping[str, Any]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition on one name."""

    name: str
    operator: Operator
    values: tuple[str, ...]

    @property
    def number(self) -> float | None:
        """Return the value as a number; None if it is none."""
        return _number(self.values[0])

    def has(self, value: str) -> bool:
        """Return whether a value is what is asked for, or with ``!=`` what is not."""
        if self.operator in ("=", "!="):
            return value in self.values
        left, right = (value, self.values[0]) if self.number is None else (_number(value), self.number)
        return left is not None and bool(_COMPARE[self.operator](left, right))


def parse(text: str) -> Condition:
    """Return the condition that is written; raises ValueError."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is no condition: write it as team=support, team!=sales or year>=2020")
    name, operator, written = found.groups()
    values, at = list[str](), 0
    while one := _ONE.match(written, at):
        values.append(json.loads(one[1], strict=False) if one[1].startswith('"') else one[1])
        at = one.end()
        if not one[2]:
            break
    else:
        raise ValueError(f'{text[:100]!r} has a value that cannot be read: write it as {name}=a|b or {name}="a|b"')
    if len(values) > 1 and operator not in ("=", "!="):
        raise ValueError(f"{text[:100]!r} has several values: only = and != take those")
    check_json({name: values})  # an escape may write what the text itself does not have
    return Condition(name=name, operator=operator, values=tuple(values))  # type: ignore[arg-type]


def checked(text: str) -> str:
    """Return the text of a condition that can be read; raises ValueError."""
    parse(text)
    return text.strip()


def check_metadata(given: Mapping[str, Value]) -> dict[str, Value]:
    """Return metadata; raises ValueError for a name that no condition could have, and for what is too long."""
    for name in given:
        if not re.fullmatch(_NAME, name):
            raise ValueError(
                f"{name[:80]!r} is no name: use a letter, then letters, digits, _, - and dots (at most 64)"
            )
    if (size := len(json.dumps(given, ensure_ascii=False).encode())) > MAX_BYTES:
        raise ValueError(f"it has {size:,} bytes as JSON, and {MAX_BYTES:,} are kept at most")
    return dict(given)


def values_of(metadata: Mapping[str, Any]) -> list[tuple[str, str, float | None]]:
    """Return each value under its name: as a text, and as a number if it is one."""
    found: dict[tuple[str, str], float | None] = {}
    for name, given in metadata.items():
        for value in given if isinstance(given, list) else [given]:
            text = value if isinstance(value, str) else json.dumps(_shortest(value))
            if len(text) > MAX_VALUE:
                continue
            found[name, text] = _number(text)
    return [(name, text, number) for (name, text), number in found.items()]


def tags_of(metadata: Mapping[str, Any]) -> list[str]:
    """Return the tags of a document's passages, by which a search is filtered."""
    return [DOCUMENT, *(f"{name}={text}" for name, text, _ in values_of(metadata))]


def fits(tags: Iterable[str], conditions: Iterable[str]) -> bool:
    """Return whether a page with these tags fits all conditions."""
    values = [tag.split("=", 1) for tag in tags if "=" in tag]
    return all(
        any(name == each.name and each.has(value) for name, value in values) != (each.operator == "!=")
        for each in map(parse, conditions)
    )


def may_be_without_metadata(conditions: Iterable[str]) -> bool:
    """Return whether pages without metadata, as those of the web are, can fit these conditions."""
    return all(parse(text).operator == "!=" for text in conditions)


def _number(text: str) -> float | None:
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def _shortest(value: float) -> float:
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value
