"""Contradictions that Claude finds among pages: believed where each side's quote stands in its passage, and says so.

Better none than a false one: values that may mean the same, or that the other side gives as well, are no dispute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from domain import Passage
from domain.contradiction import Dispute, Side
from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import ValueKind, comparable, same
from pipeline.claude.passages import Given
from pipeline.safety.injection import stands_in_order
from pipeline.safety.sanitize import harmless_line
from text.analyser import words
from text.sentences import sentence_spans

MAX_DISPUTES, MAX_SIDES = 3, 4
#: of what was asked; a longer one is no value
MAX_VALUE_CHARACTERS = 60
#: what a side is quoted with: the sentences its words stand in
MAX_QUOTE_CHARACTERS = 700
_KINDS: tuple[ValueKind, ...] = ("date", "money", "number")


def read_disputes(fields: Mapping[str, Any], given: Sequence[Given]) -> tuple[Dispute, ...]:
    """Return the contradictions of a verdict whose sides stand, each side of another page; of any other shape none."""
    listed = fields.get("contradictions")
    found = [_dispute(item, given) for item in (listed if isinstance(listed, list) else ())[:MAX_DISPUTES]]
    return tuple(dispute for dispute in found if dispute)


def _dispute(item: object, given: Sequence[Given]) -> Dispute | None:
    listed = item.get("sides") if isinstance(item, dict) else None
    sides: dict[int, tuple[Side, Passage]] = {}
    for each in (listed if isinstance(listed, list) else ())[:MAX_SIDES]:
        for side, passage in _sides(each, given):
            if passage.page_id not in sides:
                sides[passage.page_id] = side, passage
                break
    if len(sides) < 2 or not all(_apart(one, other) for one, other in combinations(sides.values(), 2)):
        return None
    return Dispute(sides=tuple(side for side, _ in sides.values()))


def _sides(item: object, given: Sequence[Given]) -> list[tuple[Side, Passage]]:
    """Every passage's sentences that hold the quote, which holds the value."""
    value, quote = (item.get("value"), item.get("quote")) if isinstance(item, dict) else (None, None)
    if not isinstance(value, str) or not isinstance(quote, str):
        return []
    value = " ".join(value.split())
    if not 0 < len(value) <= MAX_VALUE_CHARACTERS or value not in " ".join(quote.split()):
        return []
    value = harmless_line(value)
    spans = [(each.passage, _stands(quote, each.passage.text)) for each in given]
    return [
        (
            Side(value=value, passage_id=passage.id, start=passage.start + span[0], end=passage.start + span[1]),
            passage,
        )
        for passage, span in spans
        if span
    ]


def _stands(quote: str, text: str) -> tuple[int, int] | None:
    """Where the sentences stand that hold the quote, white space apart; None where none does, or one is an order."""
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    if found is None:
        return None
    held = [(start, end) for start, end in sentence_spans(text) if start < found.end() and found.start() < end]
    start, end = held[0][0], held[-1][1]
    return (start, end) if end - start <= MAX_QUOTE_CHARACTERS and not stands_in_order(text, start, end) else None


def _apart(one: tuple[Side, Passage], other: tuple[Side, Passage]) -> bool:
    """Return whether two sides give values that cannot mean the same, and neither gives the other's as well."""
    (first, first_page), (second, second_page) = one, other
    told, also_told = _sentence(first, first_page), _sentence(second, second_page)
    if _contains(told, second.value) or _contains(also_told, first.value):
        return False
    return not any(
        comparable(left, right) and same(left, right)
        for kind in _KINDS
        for left in values_in(first.value, kind, first_page.lang)
        for right in values_in(second.value, kind, second_page.lang)
    )


def _sentence(side: Side, passage: Passage) -> str:
    return passage.text[side.start - passage.start : side.end - passage.start]


def _contains(text: str, value: str) -> bool:
    """Return whether all the words of a value stand in a text: then its page says that, too."""
    return set(words(value)) <= set(words(text))
