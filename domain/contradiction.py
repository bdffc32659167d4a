"""Define contradictions between pages: as found in passages, and as shown in an answer."""

from dataclasses import dataclass, field

from domain.published import described


@dataclass(frozen=True, kw_only=True)
class Side:
    """The value that one page gives, in ``page.text[start:end]``."""

    value: str
    passage_id: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """Sides that contradict each other, each of another page; at least two."""

    sides: tuple[Side, ...]


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Citations that give different values for what was asked."""

    citations: tuple[int, ...]
    values: tuple[str, ...] = field(metadata=described("What each of them says."))
