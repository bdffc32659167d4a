"""The trace of a question: its finished steps and the pages read; its costs, added up.

The field names of the details are the keys of the stored JSON: a contract.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import Cost, ModelCost, VariantKind, Verdict
from domain.published import described, published
from store.crawl import candidates
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, QuestionRow, StepRow


@dataclass(frozen=True, kw_only=True)
class LookupDetail:
    """The queries of a lookup, its hits and its cost."""

    queries: Sequence[str] = ()
    entities: Sequence[str] = ()
    question_type: str = ""
    before_fusion: Sequence[Mapping[str, Any]] = ()  #: how many hits each query found
    not_reranked: str = ""  #: why the operator's reranker did not order them
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
    step = StepRow(question_id=question.id, name=name, cycle=question.cycle, attempt=attempt, outcome=outcome)
    step.started_at, step.finished_at, step.detail = started_at, now, dict(detail)
    session.add(step)


def last(session: Session, question_id: str, name: str) -> StepRow | None:
    """Return the last step of this name in a question's trace."""
    query = select(StepRow).where(StepRow.question_id == question_id, StepRow.name == name)
    return session.scalar(query.order_by(StepRow.id.desc()).limit(1))


@published
class Step:
    """One finished step with everything that was kept of it."""

    question_id: str = described("Another's, where a run was shared.")
    name: str  #: understand, retrieve, retry, write, batch, seek, read, embed, requery, reuse, follow, feedback
    cycle: int
    attempt: int
    outcome: str
    started_at: datetime
    finished_at: datetime
    seconds: float
    detail: Mapping[str, Any] = described(
        "Queries, hits with their scores, verdict, seconds, cost; of a page: url. Of an `error`, a key with the role "
        "ask sees only the kind."
    )


@dataclass(frozen=True, kw_only=True)
class PassReplayed:
    """A lookup as the trace has it and as it is now, and how the hits differ; details are those of the trace."""

    step: str
    before: Mapping[str, Any]
    now: Mapping[str, Any]
    gained: Sequence[Mapping[str, Any]]  #: hits, each with its passage, url and rank
    lost: Sequence[Mapping[str, Any]]
    moved: Sequence[Mapping[str, Any]]  #: with the rank it had as `was`


@dataclass(frozen=True, kw_only=True)
class TraceReplayed:
    """The lookups of a question, then and now, and its answer."""

    question: str
    passes: Sequence[PassReplayed]
    answer_before: str | None
    composer_before: str | None  #: "extractive", or the model that wrote it
    outcome_before: str | None
    answer_now: str | None  #: as it is composed without a model
    outcome_now: str


def read(session: Session, question: QuestionRow) -> list[Step]:
    """Return the steps of a question and of the run it shared, by their start."""
    ids = [question.id, *([question.leader_id] if question.leader_id else [])]
    # what a reader said of the leader's answer, and what it was understood from, is its asker's
    shared = StepRow.question_id.in_(ids) & StepRow.name.not_in(("feedback", "understand"))
    shared = shared | (StepRow.question_id == question.id)
    own = session.scalars(select(StepRow).where(shared).order_by(StepRow.id))
    pages = [page for id in ids for page in candidates.of_question(session, id) if page.settled_at is not None]
    everything = (*(to_value(Step, step) for step in own), *map(_page, pages))
    return sorted(everything, key=lambda step: step.started_at)


def failed_engines(session: Session, question: QuestionRow) -> list[str]:
    """Return the search engines that failed in the question's latest round, each with the reason."""
    query = select(StepRow.detail["engines"]).where(StepRow.question_id == question.id, StepRow.name == "seek")
    if question.asked_again_at is not None:
        query = query.where(StepRow.started_at >= question.asked_again_at)
    asked = [each for engines in session.scalars(query) for each in (engines or {}).items()]
    return list(dict.fromkeys(f"{name}: {engine['error']}" for name, engine in asked if engine.get("error")))


def add_cost(session: Session, question_id: str, name: str, cost: Cost, *, started_at: datetime, now: datetime) -> None:
    """Add a cost to a question's trace, besides its own steps."""
    question = session.get_one(QuestionRow, question_id)
    add(session, question, name, outcome="read", detail={"cost": asdict(cost)}, started_at=started_at, now=now)


def total_cost(session: Session, question_id: str, *, since: datetime | None = None) -> Cost:
    """Add up the costs of the question's steps, answers included; with ``since``, of those started since then."""
    costs = select(StepRow.detail["cost"]).where(StepRow.question_id == question_id)
    if since is not None:
        costs = costs.where(StepRow.started_at >= since)
    return cost_of(session.scalars(costs))


def cost_of(costs: Iterable[Mapping[str, Any] | None]) -> Cost:
    """Add up costs as the trace stores them; a step without one cost nothing."""
    return sum((_cost(stored) for stored in costs if stored), start=Cost())


def _cost(stored: Mapping[str, Any]) -> Cost:
    return Cost(**{**stored, "by_model": tuple(ModelCost(**each) for each in stored.get("by_model", ()))})


def spent(session: Session, question_id: str) -> Cost:
    """Add up the costs of the question's steps since it was last asked."""
    since = session.scalar(select(QuestionRow.asked_again_at).where(QuestionRow.id == question_id))
    return total_cost(session, question_id, since=since)


def _page(row: CandidateRow) -> Step:
    """Return the reading of a page as a step; a known page took no time."""
    ended = row.settled_at or row.created_at
    shown = ("url", "kind", "origin", "score", "depth", "bytes", "page_id", "news", "reason")
    return to_value(
        Step,
        row,
        question_id=row.question_id or "",
        name="read",
        cycle=row.wave,
        attempt=row.attempts,
        outcome=row.outcome or "",
        started_at=ended - timedelta(seconds=row.elapsed_s),
        finished_at=ended,
        seconds=row.elapsed_s,
        detail={name: getattr(row, name) for name in shown},
    )
