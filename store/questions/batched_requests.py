"""Keep the requests to a model that wait for a batch, and its replies, until the step that made them is over.

A request's name is a hash of its question and its body, so that it is sent once however often its step begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, delete, exists, func, select
from sqlalchemy.orm import Session

from domain import Status
from store.sql.rows import add_missing, update_rows
from store.sql.tables import BatchedRequestRow, QuestionRow, RequestState

_AWAITED = BatchedRequestRow.state.in_((RequestState.WAITING, RequestState.SENDING, RequestState.SENT))
_TO_COME = _AWAITED | (BatchedRequestRow.state == RequestState.DROPPED)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """Requests that were sent together."""

    sent_at: datetime
    batch_id: str | None  #: None: the service has not said it, or that was not stored
    size: int
    is_awaited: bool = True  #: whether any of them is

    @property
    def rows(self) -> ColumnElement[bool]:
        """Return the condition that its rows fulfil."""
        return BatchedRequestRow.batch_id.is_not_distinct_from(self.batch_id) & (
            BatchedRequestRow.sent_at == self.sent_at
        )


def add(session: Session, name: str, question_id: str, body: Mapping[str, Any]) -> None:
    """Have a request sent with the next batch, unless it is known."""
    values = {"question_id": question_id, "body": body, "state": RequestState.WAITING}
    add_missing(session, BatchedRequestRow, BatchedRequestRow.name, name=name, **values)


def any_to_come(session: Session) -> bool:
    """Return whether any request has no reply yet."""
    return session.scalar(select(BatchedRequestRow.name).where(_TO_COME).limit(1)) is not None


def take(session: Session, most: int, now: datetime) -> dict[str, Any]:
    """Mark up to ``most`` waiting requests as being sent; return their bodies by their names."""
    waiting = select(BatchedRequestRow).where(BatchedRequestRow.state == RequestState.WAITING)
    rows = session.scalars(waiting.limit(most).with_for_update()).all()
    for row in rows:
        row.state, row.sent_at = RequestState.SENDING, now
    return {row.name: row.body for row in rows}


def sent(session: Session) -> list[Sent]:
    """Return what was sent and has no reply yet, the oldest first."""
    by, awaited = (BatchedRequestRow.sent_at, BatchedRequestRow.batch_id), func.sum(case((_AWAITED, 1), else_=0))
    query = select(*by, func.count(), awaited).where(_TO_COME, BatchedRequestRow.sent_at.is_not(None))
    groups = session.execute(query.group_by(*by).order_by(BatchedRequestRow.sent_at))
    return [
        Sent(sent_at=at, batch_id=id, size=n, is_awaited=bool(open)) for at, id, n, open in groups if at is not None
    ]


def note_batch(session: Session, sent_at: datetime, batch_id: str | None) -> None:
    """Store which batch requests went with; None: they went with none and wait again."""
    state = RequestState.SENT if batch_id else RequestState.WAITING
    rows = (BatchedRequestRow.batch_id.is_(None), BatchedRequestRow.sent_at == sent_at)
    is_dropped = BatchedRequestRow.state == RequestState.DROPPED
    if batch_id is None:
        session.execute(delete(BatchedRequestRow).where(*rows, is_dropped))
    new_state = case((is_dropped, RequestState.DROPPED), else_=state)
    new = {"state": new_state, "batch_id": batch_id, "sent_at": sent_at if batch_id else None}
    update_rows(session, BatchedRequestRow, *rows, **new)


def settle(
    session: Session, which: ColumnElement[bool], replies: Mapping[str, Any], now: datetime
) -> list[BatchedRequestRow]:
    """Store replies by name, have requests without one asked singly, and make their questions due.

    Return these requests; those that were dropped are deleted. The questions are locked first, as by whoever ends
    their step.
    """
    ids = select(BatchedRequestRow.question_id).where(which, _TO_COME)
    lock = select(QuestionRow.id).where(QuestionRow.id.in_(ids)).order_by(QuestionRow.id).with_for_update()
    session.scalars(lock).all()
    rows = session.scalars(select(BatchedRequestRow).where(which, _TO_COME)).all()
    for row in rows:
        if row.state == RequestState.DROPPED:
            session.delete(row)
            continue
        row.reply = replies.get(row.name)
        row.state = RequestState.REPLIED if row.reply else RequestState.SINGLE
    session.flush()
    make_due(session, [row.question_id for row in rows], now)
    return list(rows)


def make_due(session: Session, question_ids: Sequence[str], now: datetime) -> None:
    """Make those questions due whose requests have all been replied to."""
    awaits = exists().where(BatchedRequestRow.question_id == QuestionRow.id, _AWAITED)
    waits = (QuestionRow.id.in_(question_ids), QuestionRow.status == Status.WRITING, QuestionRow.due_at > now)
    update_rows(session, QuestionRow, *waits, ~awaits, due_at=now)


def forget(session: Session, which: ColumnElement[bool], *, is_paid: bool) -> None:
    """Delete requests and their replies; a name stays until its reply has come and what it cost is noted.

    ``is_paid`` says that the cost of the replies which came is noted with their step.
    """
    open_states = (RequestState.SENDING, RequestState.SENT, *(() if is_paid else (RequestState.REPLIED,)))
    is_open = BatchedRequestRow.state.in_(open_states)
    update_rows(session, BatchedRequestRow, which, is_open, state=RequestState.DROPPED, body={})
    session.execute(delete(BatchedRequestRow).where(which, BatchedRequestRow.state != RequestState.DROPPED))
