"""How much is quoted for an answer of each length, and how much a model reads and writes for it."""

from dataclasses import dataclass
from typing import Final

from domain.options import Length
from pipeline.answering.sections import FUSED, OWN


@dataclass(frozen=True, kw_only=True)
class Room:
    """What an answer has room for."""

    quotes: int = 0  #: at most, where that is more than usual
    fused: int = FUSED  #: hits of all queries together that a model reads
    own: int = OWN  #: and of each query by itself
    reads: float = 1.0  #: times the usual tokens of a section
    writes: float = 1.0  #: times the usual tokens of a reply
    sentences: int  #: that a model writes, or other blocks


ROOM: Final[dict[Length, Room]] = {
    "short": Room(sentences=8),
    "normal": Room(sentences=60),
    "long": Room(quotes=6, sentences=100),
    "report": Room(quotes=12, fused=16, own=4, reads=2.5, writes=2.0, sentences=200),
}


def most_quotes(length: Length, usual: int) -> int:
    """Return how many sentences are quoted at most, where ``usual`` ones would be."""
    return 1 if length == "short" else max(usual, ROOM[length].quotes)
