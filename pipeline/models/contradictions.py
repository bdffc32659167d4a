"""Read the contradictions that a model found among pages; accept one when each quote is in its passage with its value.

A false contradiction is worse than a missed one: values that may be equal, or that the other side also gives, are no
dispute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from domain import Passage
from domain.contradiction import Dispute, Side
from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import ValueKind, is_comparable, may_be_equal
from pipeline.models.passages import PassageBlocks
from pipeline.safety.injection import is_injected
from pipeline.safety.sanitize import sanitize_line
from text.analyser import words
from text.sentences import sentence_spans

MAX_DISPUTES, MAX_SIDES = 3, 4
#: a longer text is no value
MAX_VALUE_CHARACTERS = 60
#: the sentences that hold a side's words
MAX_QUOTE_CHARACTERS = 700
_KINDS: tuple[ValueKind, ...] = ("date", "money", "number")


def read_disputes(fields: Mapping[str, Any], passages: Sequence[PassageBlocks]) -> tuple[Dispute, ...]:
    """Return the valid contradictions of a verdict, each side of another page; none from any other shape."""
    listed = fields.get("contradictions")
    found = [_dispute(item, passages) for item in (listed if isinstance(listed, list) else ())[:MAX_DISPUTES]]
    return tuple(dispute for dispute in found if dispute)


def _dispute(item: object, passages: Sequence[PassageBlocks]) -> Dispute | None:
    listed = item.get("sides") if isinstance(item, dict) else None
    sides: dict[int, tuple[Side, Passage]] = {}
    for entry in (listed if isinstance(listed, list) else ())[:MAX_SIDES]:
        for side, passage in _sides(entry, passages):
            if passage.page_id not in sides:
                sides[passage.page_id] = side, passage
                break
    if len(sides) < 2 or not all(_contradict(one, other) for one, other in combinations(sides.values(), 2)):
        return None
    return Dispute(sides=tuple(side for side, _ in sides.values()))


def _sides(item: object, passages: Sequence[PassageBlocks]) -> list[tuple[Side, Passage]]:
    """Return the sentences of each passage that hold the quote, if the quote holds the value."""
    value, quote = (item.get("value"), item.get("quote")) if isinstance(item, dict) else (None, None)
    if not isinstance(value, str) or not isinstance(quote, str):
        return []
    value = " ".join(value.split())
    if not 0 < len(value) <= MAX_VALUE_CHARACTERS or value not in " ".join(quote.split()):
        return []
    value = sanitize_line(value)
    spans = [(blocks.passage, _find_quote(quote, blocks.passage.text)) for blocks in passages]
    return [
        (
            Side(value=value, passage_id=passage.id, start=passage.start + span[0], end=passage.start + span[1]),
            passage,
        )
        for passage, span in spans
        if span
    ]


def _find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return the span of the sentences that hold the quote, white space aside; None without any, or in an injection."""
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    if found is None:
        return None
    spans = [(start, end) for start, end in sentence_spans(text) if start < found.end() and found.start() < end]
    start, end = spans[0][0], spans[-1][1]
    return (start, end) if end - start <= MAX_QUOTE_CHARACTERS and not is_injected(text, start, end) else None


def _contradict(one: tuple[Side, Passage], other: tuple[Side, Passage]) -> bool:
    """Return whether two sides give values that cannot be equal, and neither gives the other's value as well."""
    (first, first_page), (second, second_page) = one, other
    if _contains(_sentences(first, first_page), second.value) or _contains(
        _sentences(second, second_page), first.value
    ):
        return False
    return not any(
        is_comparable(left, right) and may_be_equal(left, right)
        for kind in _KINDS
        for left in values_in(first.value, kind, first_page.lang)
        for right in values_in(second.value, kind, second_page.lang)
    )


def _sentences(side: Side, passage: Passage) -> str:
    return passage.text[side.start - passage.start : side.end - passage.start]


def _contains(text: str, value: str) -> bool:
    """Return whether a text holds all the words of a value: then its page says that, too."""
    return set(words(value)) <= set(words(text))
