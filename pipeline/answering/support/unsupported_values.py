"""Find numbers and dates of a sentence that its sources do not give.

A model may write a number in another form (1,000 for one thousand, 3 October for 1990-10-03) or round it. A number that
the source gives in no form, or less exactly, is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import Value, ValueKind, is_comparable

_KINDS: tuple[ValueKind, ...] = ("date", "money", "number")
_DIGITS = re.compile(r"\w*\d\w*(?:[.,:-]\w*\d\w*)*")
#: "one of the largest" and "the two" are no counts
_COUNTED_ABOVE = 2.5


def unsupported_values(sentence: str, sources: Sequence[str], *, langs: Sequence[str] = ("en",)) -> list[str]:
    """Return the numbers and dates of a sentence that no source holds; ``langs`` are the languages to read numbers in.

    A sum or difference computed by the sentence counts as made up.
    """
    source = " \n ".join(sources)
    if sentence in source:
        return []
    known = [value for lang in langs for kind in _KINDS for value in values_in(source, kind, lang)]
    found = list(_values(sentence, langs))
    wrong = [text for text, readings in found if not _is_in(text, source) and not _any_known(readings, known)]
    covered = [(value.start, value.end) for _, readings in found for value in readings]
    loose = [
        digits[0]
        for digits in _DIGITS.finditer(sentence)
        if not any(start < digits.end() and digits.start() < end for start, end in covered)
    ]
    return wrong + [digits for digits in loose if not _is_in(digits, source)]


def _values(sentence: str, langs: Sequence[str]) -> Iterator[tuple[str, list[Value]]]:
    """Yield each value's text with its possible readings."""
    readings: dict[tuple[int, int], list[Value]] = {}
    for lang in langs:
        for kind in _KINDS:
            for value in values_in(sentence, kind, lang):
                readings.setdefault((value.start, value.end), []).append(value)
    for (start, end), values in readings.items():
        text = sentence[start:end]
        if any(char.isdigit() for char in text) or any(_is_counted(value) for value in values):
            yield text, values


def _is_counted(value: Value) -> bool:
    return value.high > _COUNTED_ABOVE * value.unit.factor


def _any_known(readings: Sequence[Value], known: Sequence[Value]) -> bool:
    return any(_holds(value, other) for value in readings for other in known)


def _holds(value: Value, source: Value) -> bool:
    """Return whether a value, with its own precision, equals the source's."""
    return is_comparable(value, source) and value.low <= (source.low + source.high) / 2 <= value.high


def _is_in(text: str, source: str) -> bool:
    """Return whether a text is in the source verbatim, and not as a part of a longer number or word.

    The first parts of a version count: 3.11 for 3.11.2.
    """
    longer = r"[.,]\d{3}(?!\d)" if "." in text else r"[.,]\d"
    return re.search(rf"(?<![\w.,]){re.escape(text)}(?!\w|{longer})", source, re.IGNORECASE) is not None
