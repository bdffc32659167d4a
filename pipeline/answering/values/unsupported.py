"""Find numbers and dates of a sentence that its source does not give.

A model may write a number in another form (1,000 for one thousand, 3 October for 1990-10-03, 5 p.m. for 17:00) or round
it. A number that the source gives in no form, with another unit, or less exactly is made up.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, partial

from pipeline.answering.values.dates import dates_in
from pipeline.answering.values.find import values_in
from pipeline.answering.values.numbers import numbers_in
from pipeline.answering.values.value import BARE, Value, ValueKind, is_comparable
from text.languages import language

_KINDS: tuple[ValueKind, ...] = ("date", "money", "number")
_DIGITS = re.compile(r"\w*\d\w*(?:[.,:-]\w*\d\w*)*")
_CLOCK = re.compile(
    r"(?<!\d)\d\d?(?:[:.]| ?h )\d\d(?!\d)|\b\d\d?\s?(?:[ap]\.?m\b|uhr|heures?|h\b|o['’]clock)", re.IGNORECASE
)
_HALF_PAST = re.compile(r"half past|\bhalb\b|\bdemie?\b", re.IGNORECASE)
#: "one of the largest" and "the two" are no counts
_COUNTED_ABOVE = 2.5
#: words that are seldom numbers where they stand by themselves: "une", "neuf" (new), "once"
_NO_NUMBER = frozenset({"un", "une", "neuf", "once"})
#: languages whose months are read
_DATED = frozenset({"en", "de"})
#: languages that write decimals behind a point; the others are read as German
_WITH_POINT = frozenset({"en", "zh", "ja", "ko", "th", "und", ""})


def unsupported(sentence: str, source: str, *, lang: str, source_lang: str) -> str:
    """Return the first number or date of a sentence that the source does not hold; "" for none."""
    sentence, source = readable(sentence, lang), readable(source, source_lang)
    known = _known(source, {_reading(lang), _reading(source_lang)})
    readings: dict[int, list[Value]] = defaultdict(list)
    for value in figures_in(sentence, lang):
        readings[value.start].append(value)
    counts = {count_of(value) for value in known if value.kind != "date"}
    for values in readings.values():
        text = sentence[values[0].start : values[0].end].strip(" .,-−")
        is_number = any(char.isdigit() for char in text) or any(_is_counted(value) for value in values)
        if not is_number or _is_in(text, source):
            continue
        if any(_holds(value, other) for value in values for other in known):
            continue
        if not any(_is_time(sentence, value, source, counts) for value in values if value.kind != "date"):
            return text
    return next(_unread(sentence, readings, source), "")


def readable(text: str, lang: str) -> str:
    """Return a text with digits for its numbers in words and English months; German is read as it is."""
    if lang != "de" and language(lang).ones:
        text = _number_words(lang).sub(partial(_in_digits, lang=lang), text)
    for names, english in zip(language(lang).months, language("en").months, strict=False):
        text = re.sub(rf"\b(?:{names})\b", english, text, flags=re.IGNORECASE) if lang not in _DATED else text
    return text


def figures_in(text: str, lang: str) -> list[Value]:
    """Return the dates and numbers of a readable text, both ends of a range; a year is read as a number, too."""
    dates = list(dates_in(text))
    named = [day for day in dates if day.unit != BARE or not text[day.start : day.end].isdigit()]
    numbers = [
        number
        for number in numbers_in(text, _reading(lang))
        if not any(day.start < number.end and number.start < day.end for day in named)
    ]
    return sorted((*dates, *numbers), key=lambda value: value.start)


def _known(source: str, langs: set[str]) -> list[Value]:
    """Return the values of a source, and those of its ranges."""
    return [
        value
        for lang in langs
        for value in (*figures_in(source, lang), *(each for kind in _KINDS for each in values_in(source, kind, lang)))
    ]


def _reading(lang: str) -> str:
    return "en" if lang in _WITH_POINT else "de"


def count_of(value: Value) -> float:
    """Return the number as it is written, whatever its unit."""
    return _bounds(value)[0] + (_bounds(value)[1] - _bounds(value)[0]) / 2


def _bounds(value: Value) -> tuple[float, float]:
    return (value.low - value.unit.offset) / value.unit.factor, (value.high - value.unit.offset) / value.unit.factor


def _is_counted(value: Value) -> bool:
    return value.high > _COUNTED_ABOVE * value.unit.factor


def _holds(value: Value, source: Value) -> bool:
    """Return whether a value, with its own precision, equals the source's; one of them may lack its unit."""
    if is_comparable(value, source):
        return value.low <= (source.low + source.high) / 2 <= value.high
    if "date" in (value.kind, source.kind) or BARE not in (value.unit, source.unit):
        return False
    low, high = _bounds(value)
    return low <= count_of(source) <= high


def _is_time(sentence: str, value: Value, source: str, counts: set[float]) -> bool:
    """Return whether a value is an hour, or the half of one, that the source gives in another way."""
    times = [found.span() for found in _CLOCK.finditer(sentence)]
    if not any(start <= value.start < end for start, end in times):
        return False
    number = count_of(value)
    return not {number + 12, number - 12}.isdisjoint(counts) or (
        number == 0 or (number == 30 and bool(_HALF_PAST.search(source)))
    )


def _unread(sentence: str, readings: dict[int, list[Value]], source: str) -> Iterator[str]:
    """Yield what has digits, is no number that can be read (a version, a name), and is not in the source."""
    spans = [(value.start, value.end) for values in readings.values() for value in values]
    for digits in _DIGITS.finditer(sentence):
        is_read = any(start < digits.end() and digits.start() < end for start, end in spans)
        if not is_read and not _is_in(digits[0], source):
            yield digits[0]


def _is_in(text: str, source: str) -> bool:
    """Return whether a text is in the source verbatim, and not as a part of a longer number or word.

    The first parts of a version count: 3.11 for 3.11.2.
    """
    longer = r"[.,]\d{3}(?!\d)" if "." in text else r"[.,]\d"
    return re.search(rf"(?<![\w.,]){re.escape(text)}(?!\w|{longer})", source, re.IGNORECASE) is not None


def _in_digits(found: re.Match[str], lang: str) -> str:
    """Return a number in words, such as "one hundred and twenty" or "quatre-vingt-dix-sept", in digits."""
    words = [word[1].casefold() for word in _number_word(lang).finditer(found[0])]
    if (len(words) == 1 and words[0] in _NO_NUMBER) or (lang == "en" and " and " not in found[0]):
        return found[0]
    whole, part = 0, 0
    for value in map(_values_of_words(lang).__getitem__, words):
        if value == 1000:
            whole, part = whole + max(part, 1) * value, 0
        else:
            part = max(part, 1) * value if value == 100 else part + value
    return str(whole + part)


@cache
def _number_words(lang: str) -> re.Pattern[str]:
    word = _number_word(lang).pattern
    return re.compile(rf"\b{word}(?:(?:[- ]|(?<=hundred) and | et (?=une?\b|onze\b)){word})*\b", re.IGNORECASE)


@cache
def _number_word(lang: str) -> re.Pattern[str]:
    return re.compile(rf"({'|'.join(sorted(_values_of_words(lang), key=len, reverse=True))})s?", re.IGNORECASE)


@cache
def _values_of_words(lang: str) -> dict[str, int]:
    of = language(lang)
    ones, tens = dict(zip(of.ones, range(20), strict=True)), dict(zip(of.tens, range(20, 100, 10), strict=True))
    return (
        ones
        | tens
        | {word: int(value) for word, value in {**of.numbers, **of.scales}.items() if value in (1, 100, 1000)}
    )
