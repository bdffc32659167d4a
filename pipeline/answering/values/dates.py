"""Find dates in a text, English, German or ISO: days, months, years, decades and centuries."""

import calendar
import re
from collections.abc import Iterator, Mapping
from datetime import date

from pipeline.answering.values.value import BARE, Unit, Value
from text.languages import language

_SPACE = "[ \u00a0\u202f]"
_MONTHS: Mapping[str, int] = {
    name: at
    for lang in ("en", "de")
    for names in (language(lang).months, language(lang).short_months)
    for at, month in enumerate(names, 1)
    for name in month.casefold().split("|")
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?:1\d{3}|20\d\d)"
_CENTURIES: Mapping[str, int] = {
    word: at for at, word in enumerate("twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth"
    " nineteenth twentieth".split(), 12)
} | {"twenty-first": 21}  # fmt: skip
_DATE = re.compile(
    rf"(?<![\w.,/-])(?:(?P<iso>{_YEAR})-(?P<iso_month>\d\d)(?:-(?P<iso_day>\d\d))?(?![\d-])"
    rf"|(?P<d>\d{{1,2}})\.{_SPACE}?(?P<m>\d{{1,2}})\.{_SPACE}?(?P<y>{_YEAR})(?!\d)"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? (?P<month>{_MONTH})\b\.?(?:,? (?P<year>{_YEAR})(?!\d))?"
    rf"|(?P<month2>{_MONTH})\b\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,? (?P<year2>{_YEAR})(?!\d))?"
    rf"|(?P<month3>{_MONTH})\b\.?(?: of)?,? (?P<year3>{_YEAR})(?!\d)"
    rf"|(?P<decade>{_YEAR})(?:s|er)(?!\w)"
    r"|(?P<century>\d{1,2})(?:st|nd|rd|th|\.)[ -](?:century|jahrhundert)"
    rf"|(?P<century2>{'|'.join(_CENTURIES)})[ -]century"
    rf"|(?P<plain>{_YEAR})(?![\d.,]*\d|%|[’'] ))",
    re.IGNORECASE,
)  # fmt: skip
#: in a date without a year the days are counted in this one
_ANY_YEAR = 4
_YEARLESS = Unit(measures="day of a year")


def dates_in(text: str) -> Iterator[Value]:
    """Yield each date in order; ``low`` and ``high`` are the first and last possible day (day 1: 0001-01-01)."""
    for match in _DATE.finditer(text):
        found = _date(match)
        if found is not None:
            first, last, unit = found
            yield Value(kind="date", start=match.start(), end=match.end(), low=first, high=last, unit=unit)


def _date(match: re.Match[str]) -> tuple[float, float, Unit] | None:
    """Return the first and last possible day of a date, with its unit."""
    part = {name: value for name, value in match.groupdict().items() if value}
    if "century" in part or "century2" in part:
        number = int(part["century"]) if "century" in part else _CENTURIES[part["century2"].casefold()]
        return _days(100 * number - 100, 100 * number) if 1 <= number <= 21 else None
    if "decade" in part:
        first = int(part["decade"])
        return _days(first, first + (99 if first % 100 == 0 else 9))
    if "plain" in part:
        return _days(int(part["plain"]), int(part["plain"]))
    year = next((int(part[name]) for name in ("iso", "y", "year", "year2", "year3") if name in part), None)
    month = next((part[name] for name in ("iso_month", "m", "month", "month2", "month3") if name in part), "")
    day = next((int(part[name]) for name in ("iso_day", "d", "day", "day2") if name in part), None)
    return _of_parts(year, int(month) if month.isdigit() else _MONTHS[month.casefold()], day)


def _of_parts(year: int | None, month: int, day: int | None) -> tuple[float, float, Unit] | None:
    try:
        first = date(year or _ANY_YEAR, month, day or 1)
    except ValueError:
        return None
    last = first if day else first.replace(day=calendar.monthrange(first.year, month)[1])
    return first.toordinal(), last.toordinal(), BARE if year else _YEARLESS


def _days(first_year: int, last_year: int) -> tuple[float, float, Unit]:
    return date(max(1, first_year), 1, 1).toordinal(), date(last_year, 12, 31).toordinal(), BARE
