"""The forms in which a sentence gives a time, a sum, a number, a place, a reason or a way, by language.

English and German are read alike, and so are languages without forms of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from text.languages import pattern_of

_NAMES: Final = ("number", "time", "units", "money", "free", "place", "reason", "way")


@dataclass(frozen=True, kw_only=True)
class Forms:
    """The patterns of what a sentence gives."""

    number: re.Pattern[str]  #: in words
    time: re.Pattern[str]  #: its one group holds the digits, too
    money: re.Pattern[str]
    free: re.Pattern[str]  #: an amount without a number
    place: re.Pattern[str]
    reason: re.Pattern[str]
    way: re.Pattern[str]


@cache
def forms_of(lang: str) -> Forms:
    """Return the forms of a sentence in the language (ISO 639-1); those of English and German where it has none."""
    number, time, units, money, free, place, reason, way = (pattern_of("forms", name, lang) for name in _NAMES)
    return Forms(
        number=_words(number),
        time=re.compile(rf"\b({time}|\d{{3,4}}|\d{{1,2}}[:h]\d\d|\d+(?:[.,:]\d+)? ?(?:{units}))(?!\w)", re.IGNORECASE),
        money=re.compile(rf"[£$€¥]|\b(?:{money}|{free})(?!\w)", re.IGNORECASE),
        free=_words(free),
        place=_words(place),
        reason=_words(reason),
        way=re.compile(rf"\w\(|\w\.\w+|>>>|\b(?:{way})(?!\w)", re.IGNORECASE),
    )


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)
