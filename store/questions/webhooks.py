"""Deliveries to callers in SQL."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from domain.record import Delivery
from store.sql import leases
from store.sql.rows import delete_rows, to_value, update_rows
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus


def add(session: Session, question: QuestionRow, event: str, now: datetime, *, url: str = "") -> None:
    """Add a delivery of a question's event that waits to be made: to the URL, or to the question's own if it is one
    of those that go there."""
    if not url and event in (question.callback_events or (event,)):
        url = question.callback_url or ""
    if url:
        _add(session, url=url, event=event, question_id=question.id, owner=question.owner, now=now)


def add_event(
    session: Session, event: str, body: Mapping[str, Any], now: datetime, *, url: str, owner: str | None = None
) -> int:
    """Add a delivery of an event that is no question's; return its id."""
    return _add(session, url=url, event=event, body=dict(body), owner=owner, now=now)


def _add(session: Session, *, now: datetime, **values: Any) -> int:
    row = WebhookRow(status=WebhookStatus.WAITING, created_at=now, due_at=now, **values)
    session.add(row)
    session.flush()
    return row.id


def pending(session: Session, question_id: str) -> list[int]:
    """Return the waiting deliveries of a question and of those that share its run."""
    return list(session.scalars(_PENDING, {"question": question_id}))


_MINE = (QuestionRow.id == bindparam("question")) | (QuestionRow.leader_id == bindparam("question"))
_OF_MINE = WebhookRow.question_id.in_(select(QuestionRow.id).where(_MINE))
_PENDING = select(WebhookRow.id).where(_OF_MINE, WebhookRow.status == WebhookStatus.WAITING).order_by(WebhookRow.id)


def list_all(
    session: Session,
    *,
    owner: str | None = None,
    status: WebhookStatus | None = None,
    question_id: str = "",
    before: int | None = None,
    limit: int = 50,
) -> list[Delivery]:
    """Return deliveries, newest first: of an owner (None: all), in a state, of a question, before that with an id."""
    wanted = [] if owner is None else [WebhookRow.owner == owner]
    wanted += [WebhookRow.status == status] if status else []
    wanted += [WebhookRow.question_id == question_id] if question_id else []
    wanted += [WebhookRow.id < before] if before else []
    query = select(WebhookRow).where(*wanted).order_by(WebhookRow.id.desc()).limit(limit)
    return [_to_delivery(row) for row in session.scalars(query)]


def find(session: Session, webhook_id: int, owner: str | None = None) -> Delivery | None:
    """Return a delivery; None where there is none, or it is not this owner's."""
    row = session.get(WebhookRow, webhook_id)
    return None if row is None or owner not in (None, row.owner) else _to_delivery(row)


def replay(session: Session, webhook_id: int, now: datetime) -> None:
    """Have a delivery be made once more, with all its tries; one that is under way goes on."""
    values = {"status": WebhookStatus.WAITING, "attempts": 0, "due_at": now, "error": None, "delivered_at": None}
    update_rows(session, WebhookRow, WebhookRow.id == webhook_id, leases.is_unleased(WebhookRow, now), **values)


def put_off(session: Session, webhook_id: int, now: datetime, until: datetime, seen: datetime | None = None) -> None:
    """Have a delivery that waits, and that nobody is making, be due at another time, if it still is due at ``seen``."""
    waits = (WebhookRow.status == WebhookStatus.WAITING, leases.is_unleased(WebhookRow, now))
    row = (WebhookRow.id == webhook_id, WebhookRow.due_at == (seen or WebhookRow.due_at))
    update_rows(session, WebhookRow, *row, *waits, due_at=until)


def finish(session: Session, lease: leases.Lease, status: WebhookStatus, now: datetime, **tried: Any) -> bool:
    """Record that a delivery was made (DELIVERED) or given up (FAILED)."""
    delivered_at = now if status == WebhookStatus.DELIVERED else None
    return leases.release(session, lease, status=status, delivered_at=delivered_at, **tried)


def delete_ended(session: Session, before: datetime, most: int) -> list[int]:
    """Delete up to so many deliveries of no question that were made or given up before; return their ids."""
    of_none, ended = WebhookRow.question_id.is_(None), WebhookRow.status != WebhookStatus.WAITING
    query = select(WebhookRow.id).where(of_none, ended, WebhookRow.created_at < before)
    ids = list(session.scalars(query.order_by(WebhookRow.id).limit(most)))
    delete_rows(session, WebhookRow, WebhookRow.id.in_(ids))
    return ids


def without_query(url: str) -> str:
    """Return an address without its query, which may hold a secret."""
    address, _, query = url.partition("?")
    return f"{address}?…" if query else address


def _to_delivery(row: WebhookRow) -> Delivery:
    due = row.due_at if row.status == WebhookStatus.WAITING else None
    return to_value(Delivery, row, url=without_query(row.url), next_try_at=due)
