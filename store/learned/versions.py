"""Store learned versions; at most one of each kind and embedder is in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from domain.errors import WellreadError
from store.sql.rows import dialect_insert, to_value
from store.sql.tables import LearnedRow, LearningRow

Kind = Literal["judge", "reranker", "variants"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class UnknownVersion(WellreadError):
    """There is no such learned version."""


@dataclass(frozen=True, kw_only=True)
class Version:
    """One learned version."""

    kind: Kind
    number: int  #: counts from 1 within its kind
    embedder: str  #: whose hits it judges; "" where that does not matter
    parameters: Mapping[str, Any]
    metrics: Mapping[str, Any]  #: part → figure → before and after
    examples: int
    active: bool
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Try:
    """The last attempt to learn a kind."""

    kind: Kind
    embedder: str
    held: bool  #: an operator rolled it back: it is learned again on command alone
    tried_at: datetime | None
    said: str


def list_all(session: Session) -> list[Version]:
    """Return all versions, of each kind the latest first."""
    rows = session.scalars(select(LearnedRow).order_by(LearnedRow.kind, LearnedRow.number.desc()))
    return [to_value(Version, row) for row in rows]


def active(session: Session) -> list[Version]:
    """Return the versions in use."""
    return [to_value(Version, row) for row in session.scalars(select(LearnedRow).where(LearnedRow.active))]


def active_ids(session: Session) -> tuple[int, ...]:
    """Return the ids of the versions in use: a cheap check for changes."""
    return tuple(session.scalars(select(LearnedRow.id).where(LearnedRow.active).order_by(LearnedRow.id)))


def in_use(session: Session, kind: Kind, embedder: str = "") -> Version | None:
    """Return the version of a kind in use; None: the shipped one."""
    mine = select(LearnedRow).where(LearnedRow.kind == kind, LearnedRow.embedder == embedder, LearnedRow.active)
    row = session.scalar(mine)
    return None if row is None else to_value(Version, row)


def add(
    session: Session,
    kind: Kind,
    *,
    embedder: str = "",
    parameters: Mapping[str, Any],
    metrics: Mapping[str, Any],
    examples: int,
    now: datetime,
) -> Version:
    """Save a new version and use it; the caller has locked the kind (:func:`lock`)."""
    last = session.scalar(select(func.max(LearnedRow.number)).where(LearnedRow.kind == kind)) or 0
    row = LearnedRow(
        kind=kind,
        number=last + 1,
        embedder=embedder,
        parameters=dict(parameters),
        metrics=dict(metrics),
        examples=examples,
        active=False,
        created_at=now,
    )
    session.add(row)
    session.flush()
    _use(session, row)
    return to_value(Version, row)


def rollback(session: Session, kind: Kind, number: int | None) -> list[Version]:
    """Use an earlier version (0: the shipped one, None: the one before the active one); return what is active then.

    Another embedder's judge stays, unless 0 is given. Raises UnknownVersion.
    """
    rows = list(session.scalars(select(LearnedRow).where(LearnedRow.kind == kind).order_by(LearnedRow.number)))
    if number is None:
        _use_the_one_before(session, rows, kind)
    elif number == 0:
        _use_shipped(session, rows)
    else:
        row = next((row for row in rows if row.number == number), None)
        if row is None:
            raise UnknownVersion(f"There is no version {number} of the {kind}: `wellread learn list` shows them.")
        _use(session, row)
    session.flush()
    return [version for version in active(session) if version.kind == kind]


def lock(session: Session, kind: Kind, embedder: str = "") -> LearningRow:
    """Lock a kind against other learners until the session ends; return its last try."""
    new = dialect_insert(session, LearningRow).values(kind=kind, embedder=embedder, held=False, tried_at=None, said="")
    session.execute(new.on_conflict_do_nothing())
    mine = select(LearningRow).where(LearningRow.kind == kind, LearningRow.embedder == embedder)
    return session.scalars(mine.with_for_update().execution_options(populate_existing=True)).one()


def tries(session: Session) -> list[Try]:
    """Return the last attempt to learn each kind."""
    rows = session.scalars(select(LearningRow).order_by(LearningRow.kind, LearningRow.embedder))
    return [to_value(Try, row) for row in rows]


def _use_the_one_before(session: Session, rows: Sequence[LearnedRow], kind: Kind) -> None:
    """Replace the latest version in use by the one before it for its embedder, or by the shipped one."""
    used = [row for row in rows if row.active]
    if not used:
        raise UnknownVersion(f"The shipped version is in use for the {kind}: there is no earlier one.")
    of_embedder = [row for row in rows if row.embedder == used[-1].embedder]
    earlier = of_embedder[: of_embedder.index(used[-1])]
    if earlier:
        _use(session, earlier[-1])
    else:
        _use_shipped(session, of_embedder)


def _use_shipped(session: Session, rows: Sequence[LearnedRow]) -> None:
    for row in rows:
        row.active = False
    session.flush()


def _use(session: Session, row: LearnedRow) -> None:
    mine = update(LearnedRow).where(LearnedRow.kind == row.kind, LearnedRow.embedder == row.embedder)
    session.execute(mine.values(active=LearnedRow.id == row.id).execution_options(synchronize_session=False))
    session.refresh(row)
