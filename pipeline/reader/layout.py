"""Lay a question and a passage out as tokens: [CLS] question [SEP] title [SEP] passage [SEP].

Without a title its part is left out. A passage that is too long is laid out in overlapping windows. The reader's
training lays its examples out by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from text.encoder.runtime import CLS, SEP

QUESTION_TOKENS: Final = 48
TITLE_TOKENS: Final = 24
MOST_TOKENS: Final = 320
#: tokens that a window shares with the one before it
OVERLAP: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One run of the model: the tokens, and which of the passage's tokens are in it."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]  #: 0 for the question, 1 for the rest
    base: int  #: place of the first token of the passage in ``ids``
    first: int  #: which token of the passage that is
    count: int  #: tokens of the passage in this window


def windows_of(question: Sequence[int], title: Sequence[int], passage: Sequence[int]) -> Iterator[Window]:
    """Yield the windows of a passage, given the tokens of its parts without marks; one at least."""
    asked = (CLS, *question[:QUESTION_TOKENS], SEP)
    above = (*title[:TITLE_TOKENS], SEP) if title else ()
    base = len(asked) + len(above)
    room = MOST_TOKENS - base - 1
    first = 0
    while True:
        part = tuple(passage[first : first + room])
        yield Window(
            ids=(*asked, *above, *part, SEP),
            segments=(0,) * len(asked) + (1,) * (len(above) + len(part) + 1),
            base=base,
            first=first,
            count=len(part),
        )
        if first + room >= len(passage):
            return
        first += room - OVERLAP
