"""How an answer is to be: how long, and in which language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from domain.options import Length

#: the most quotes of a long answer
LONG_QUOTES: Final = 6


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much a model may read and write for an answer."""

    reads: float  #: times the usual tokens of passages
    writes: int  #: tokens, its thinking included
    sentences: int  #: or other blocks


ROOM: Final[dict[Length, Room]] = {
    "short": Room(reads=1.0, writes=2_048, sentences=8),
    "normal": Room(reads=1.0, writes=4_096, sentences=60),
    "long": Room(reads=1.5, writes=4_096, sentences=100),
}
_NOTES: Final[dict[Length, str]] = {
    "short": "Answer in one sentence.",
    "long": "Answer fully, in up to eight sentences: also give conditions, exceptions and examples that were found.",
}


@dataclass(frozen=True, kw_only=True)
class Style:
    """The wish of one question's asker."""

    length: Length = "normal"
    lang: str = ""  #: ISO 639-1, of what a model writes; "": the question's

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the instructions for a model."""
        return (note,) if (note := _NOTES.get(self.length)) else ()

    def quotes(self, usual: int) -> int:
        """Return how many sentences are quoted at most, where ``usual`` ones would be."""
        return {"short": 1, "long": max(usual, LONG_QUOTES)}.get(self.length, usual)


USUAL: Final = Style()
