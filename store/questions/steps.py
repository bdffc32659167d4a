"""Add steps to a question's trace. The field names of the details are the keys of the stored JSON: a contract."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import Cost, VariantKind, Verdict
from store.sql.tables import QuestionRow, StepRow


@dataclass(frozen=True, kw_only=True)
class LookupDetail:
    """The queries of a lookup, its hits and its cost."""

    queries: Sequence[str] = ()
    entities: Sequence[str] = ()
    question_type: str = ""
    before_fusion: Sequence[Mapping[str, Any]] = ()  #: how many hits each query found
    hits: int = 0
    sql_hits: int = 0
    graph_hits: int = 0
    top: Sequence[Mapping[str, Any]] = ()  #: the hits with their ranks and scores, best first
    rewards: Mapping[VariantKind, bool] = field(default_factory=dict)  #: kinds that earned a citation
    kept: Mapping[str, Any] | None = None  #: how many hits, and why no more
    advice: Mapping[str, Any] | None = None
    verdict: Verdict | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SeekDetail:
    """The chosen candidates and the results of the search engines."""

    candidates: Sequence[str]
    pages: int  #: of the candidates, without sitemaps and feeds
    engines: Mapping[str, Mapping[str, Any]]  #: what each engine gave, or why it was not asked
    cost: Cost
    known_links: int


@dataclass(frozen=True, kw_only=True)
class WriteDetail:
    """What a model was asked for, and what the check of its sentences found."""

    asked: Sequence[str]  #: variants, rewrite, verdict, answer, check or form, in order
    sections: int = 0  #: parts of pages that it read
    tokens: int = 0  #: of these, about
    findings: Sequence[Mapping[str, Any]] = ()
    error: str = ""
    kind: str = ""  #: of the error
    cost: Cost = field(default_factory=Cost)


StepDetail = LookupDetail | SeekDetail | WriteDetail


def to_json(detail: StepDetail | None) -> dict[str, Any]:
    """Return the detail as the trace stores it."""
    return asdict(detail) if detail else {}


def for_asker(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Return a detail that names a model's failure only by its kind: its message names hosts and settings."""
    return {**detail, "error": detail.get("kind") or "ModelError"} if detail.get("error") else dict(detail)


def add(
    session: Session,
    question: QuestionRow,
    name: str,
    *,
    outcome: str,
    detail: Mapping[str, Any],
    started_at: datetime,
    now: datetime,
    attempt: int = 1,
) -> None:
    """Add a finished step to the trace of a question, in its current cycle."""
    session.add(
        StepRow(
            question_id=question.id,
            name=name,
            cycle=question.cycle,
            attempt=attempt,
            outcome=outcome,
            started_at=started_at,
            finished_at=now,
            detail=detail,
        )
    )


def last(session: Session, question_id: str, name: str) -> StepRow | None:
    """Return the last step of this name in a question's trace."""
    query = select(StepRow).where(StepRow.question_id == question_id, StepRow.name == name)
    return session.scalar(query.order_by(StepRow.id.desc()).limit(1))
