"""Equal questions in progress share one run: the first leads, the others follow and get its answer when it comes.

This module says who leads and who follows. A follower's row says FOLLOWING and names its leader; it moves only in the
transaction that moves the leader, so that no death of a process can part them.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, select, text
from sqlalchemy.orm import Session, aliased

from domain import Status
from domain.flow import COMPLETED, STEPS
from domain.question import LAST_PRIORITY
from store.questions import trace
from store.sql.tables import QuestionRow
from text.terms import fold

#: what a follower's record takes over from the run it shared
SHARED = ("lang", "queries", "variants", "missing", "cycle", "waves", "crawl_reason", "stop_reason", "crawl_started_at")

#: equal questions with a run of their own that are looked at, the oldest first
LOOKED_AT = 20


def equal_key(question: str, conditions: Mapping[str, Any]) -> str:
    """Return a key that is the same for questions that must get the same answer; lists are compared as sets."""
    folded = " ".join(fold(question).split()).rstrip(" ?!.")
    plain = {name: sorted(set(v)) if isinstance(v, list | tuple) else v for name, v in conditions.items()}
    return hashlib.blake2b(json.dumps([folded, plain], sort_keys=True).encode(), digest_size=16).hexdigest()


def lock_key(session: Session, key: str) -> None:
    """Lock the key until the session ends (SQLite has one writer at a time anyway)."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": int(key[:15], 16)})


def leader_for(session: Session, row: QuestionRow) -> QuestionRow | None:
    """Return the unfinished question that this one can follow, locked: an equal one with the same budget."""
    oldest = session.scalars(_LEADERS, {"key": row.equal_key, "but": row.id}).all()
    return next((leader for leader in oldest if leader.budget == row.budget), None)


_LEADERS = (
    select(QuestionRow)
    .where(QuestionRow.equal_key == bindparam("key"), QuestionRow.cached_from.is_(None))  # none that is open is one
    .where(QuestionRow.status.in_(STEPS), QuestionRow.id != bindparam("but"), QuestionRow.leader_id.is_(None))
    .order_by(QuestionRow.created_at)
    .limit(LOOKED_AT)
    .with_for_update()
)


def join(row: QuestionRow, leader: QuestionRow) -> None:
    """Make a question follow; its leader gets at least its priority, and waits for no batch unless it does, too."""
    row.status, row.leader_id = Status.FOLLOWING, leader.id
    if leader.priority == LAST_PRIORITY != row.priority:
        leader.due_at = row.due_at
    leader.priority = max(leader.priority, row.priority)


def followers(session: Session, leader_id: str) -> list[QuestionRow]:
    """Return the questions that wait for this one's answer, locked, the longest waiting first."""
    return list(session.scalars(_FOLLOWERS, {"leader": leader_id}))


_WAITS = (QuestionRow.leader_id == bindparam("leader")) & (QuestionRow.status == Status.FOLLOWING)
_FOLLOWERS = select(QuestionRow).where(_WAITS).order_by(QuestionRow.created_at, QuestionRow.id).with_for_update()


def copy_result(session: Session, follower: QuestionRow, leader: QuestionRow, now: datetime) -> None:
    """Copy the result of the shared run to a follower's record and trace."""
    for name in SHARED:
        setattr(follower, name, getattr(leader, name))
    understand_as(follower, leader)
    at: dict[str, Any] = {"started_at": follower.asked_again_at or follower.created_at, "now": now}
    trace.add(session, follower, "follow", outcome=leader.status.lower(), detail={"leader": leader.id}, **at)


def understand_as(row: QuestionRow, other: QuestionRow | Row[Any]) -> None:
    """Have a question mean what an equal one does, which a model may have completed since."""
    asked = row.asked or row.text
    if other.asked and fold(other.asked) == fold(asked):
        row.text, row.asked = other.text, asked


def promote(session: Session, leader_id: str) -> QuestionRow | None:
    """Make the longest waiting follower the leader of the others; None when nobody waits."""
    waiting = followers(session, leader_id)
    if not waiting:
        return None
    heir, *others = waiting
    heir.leader_id = None
    heir.priority = max(row.priority for row in waiting)
    for other in others:
        other.leader_id = heir.id
    return heir


def next_leader(session: Session, question_id: str) -> tuple[str, int, str | None] | None:
    """Return the question that leads since this one ended, with its priority and owner; None: there is none."""
    ended = session.get_one(QuestionRow, question_id)
    if not ended.equal_key or ended.status in COMPLETED:
        return None
    query = select(QuestionRow.id, QuestionRow.priority, QuestionRow.owner).where(
        QuestionRow.equal_key == ended.equal_key,
        QuestionRow.cached_from.is_(None),
        QuestionRow.status == Status.ASKED,
        QuestionRow.updated_at == ended.updated_at,  # both were set at once
        QuestionRow.id != question_id,
    )
    heir = session.execute(query.limit(1)).first()
    return (heir.id, heir.priority, heir.owner) if heir else None


def orphans(session: Session, *among: str) -> list[str]:
    """Return followers whose leader is final or missing; there are none unless the tables were changed by hand."""
    leader = aliased(QuestionRow)
    query = (
        select(QuestionRow.id)
        .outerjoin(leader, (leader.id == QuestionRow.leader_id) & leader.status.in_(STEPS))
        .where(QuestionRow.status == Status.FOLLOWING, leader.id.is_(None))
    )
    return list(session.scalars(query.where(QuestionRow.id.in_(among)) if among else query))
