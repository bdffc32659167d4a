"""What a step adds to the trace. The field names are the keys of the stored JSON: a contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from domain import Cost, VariantKind, Verdict


@dataclass(frozen=True, kw_only=True)
class LookupDetail:
    """What a lookup searched for, found and cost."""

    queries: Sequence[str] = ()
    entities: Sequence[str] = ()
    question_type: str = ""
    hits: int = 0
    sql_hits: int = 0
    graph_hits: int = 0
    top: Sequence[Mapping[str, Any]] = ()  #: the hits with their ranks and scores, best first
    signals: Mapping[str, Sequence[float]] = field(default_factory=dict)  #: the reranker's, by passage
    ranked_by: int = 0  #: the version of the learned reranker
    rewards: Mapping[VariantKind, bool] = field(default_factory=dict)  #: kinds that earned a citation
    kept: Mapping[str, Any] | None = None  #: how many hits, and why no more
    advice: Mapping[str, Any] | None = None
    verdict: Verdict | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, kw_only=True)
class SeekDetail:
    """Which candidates were chosen, and what the search engines gave."""

    candidates: Sequence[str]
    engines: Mapping[str, Mapping[str, Any]]  #: what each engine gave, or why it was not asked
    cost: Cost
    known_links: int


StepDetail = LookupDetail | SeekDetail


def to_json(detail: StepDetail | None) -> dict[str, Any]:
    """Return the detail as the trace stores it."""
    return asdict(detail) if detail else {}
