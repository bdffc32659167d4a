"""How an answer is to be: how long, and in which language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from domain.options import Length, Overrides
from pipeline.answering.sections import FUSED, OWN

#: the most quotes of a long answer, and of a report
LONG_QUOTES, REPORT_QUOTES = 6, 12


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much a model may read and write for an answer."""

    fused: int = FUSED  #: hits of all queries together that are read
    own: int = OWN  #: and of each query by itself
    reads: float = 1.0  #: times the usual tokens of sections
    writes: float = 1.0  #: times the usual tokens of a reply
    sentences: int  #: or other blocks of the answer


ROOM: Final[dict[Length, Room]] = {
    "short": Room(sentences=8),
    "normal": Room(sentences=60),
    "long": Room(sentences=100),
    "report": Room(fused=16, own=4, reads=2.5, writes=2.0, sentences=200),
}


@dataclass(frozen=True, kw_only=True)
class Style:
    """The wish of one question's asker."""

    length: Length = "normal"
    lang: str = ""  #: ISO 639-1, of what a model writes; "": the question's
    verbatim: bool = False  #: whether it is in the pages' words only
    instructions: str = ""  #: the operator's, for a model
    asked_for: str = ""  #: the asker's instructions: data, not to be trusted

    def quotes(self, usual: int) -> int:
        """Return how many sentences are quoted at most, where ``usual`` ones would be."""
        most = {"short": 1, "long": max(usual, LONG_QUOTES), "report": max(usual, REPORT_QUOTES)}
        return most.get(self.length, usual)

    @property
    def is_full(self) -> bool:
        """Return whether the answer is to say all that was found."""
        return self.length in ("long", "report")


USUAL: Final = Style()


def style_of(own: Overrides, *, verbatim: bool, instructions: str) -> Style:
    """Return the style of a question with these options; ``verbatim`` and ``instructions`` are the operator's."""
    return Style(
        length=own.length,
        lang=own.answer_language or "",
        verbatim=verbatim if own.verbatim is None else own.verbatim,
        instructions=instructions,
        asked_for=own.instructions,
    )
