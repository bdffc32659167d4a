"""Old questions are deleted in the background: a bit at a time, in nobody's way, and not where all is kept."""

from __future__ import annotations

import time
from datetime import timedelta
from threading import Event, Thread

from sqlalchemy import func, insert, select

from store.questions import webhooks
from store.sql.rows import update_rows
from store.sql.tables import QuestionRow, WebhookRow
from tests.api import walk
from workers import deletion
from workers.services import Services


def _fill(services: Services, count: int) -> None:
    """Questions that ended 400 days ago, as rows."""
    question = walk.ask(services)
    long_ago = services.now() - timedelta(days=400)
    with services.database.write() as session:
        row = session.get_one(QuestionRow, question.id)
        row.status, row.created_at, row.finished_at = "ANSWERED", long_ago, long_ago
        session.flush()
        values = {column.key: getattr(row, column.key) for column in QuestionRow.__table__.columns}
        session.execute(insert(QuestionRow), [values | {"id": f"{at:032x}"} for at in range(count - 1)])


def _count(services: Services) -> int:
    with services.database.read() as session:
        return session.scalar(select(func.count()).select_from(QuestionRow)) or 0


def test_a_run_deletes_what_is_too_old_with_its_events(services: Services) -> None:
    _fill(services, 120)
    assert services.redis.keys("wellread:events:*")
    assert deletion.expire(services) == 120
    assert _count(services) == 0
    assert services.redis.keys("wellread:events:*") == []


def test_nothing_goes_where_all_is_kept(services: Services) -> None:
    _fill(services, 3)
    object.__setattr__(services.settings, "keep_days", 0)
    assert deletion.expire(services) == 0
    assert _count(services) == 3


def test_a_run_is_short_and_others_write_meanwhile(services: Services) -> None:
    _fill(services, 3_000)
    waited, stop = [], Event()

    def write() -> None:
        while not stop.is_set():
            began = time.monotonic()
            walk.ask(services)
            waited.append(time.monotonic() - began)

    writer = Thread(target=write)
    writer.start()
    began, deleted = time.monotonic(), 0
    while time.monotonic() - began < 60 and (done := deletion.expire(services)):
        deleted += done
    stop.set()
    writer.join()
    assert deleted == 3_000
    assert len(waited) > 20  # questions were taken in between the batches


def test_deliveries_of_no_question_are_kept_for_two_weeks(services: Services) -> None:
    now = services.now()
    with services.database.write() as session:
        for days in (1, 20, 21):
            event = {"page": {"url": "https://example.org/"}}
            webhooks.add_event(session, "page.added", event, now - timedelta(days=days), url="https://example.org/hook")
        update_rows(session, WebhookRow, WebhookRow.created_at < now - timedelta(days=20.5), status="DELIVERED")
    deletion.expire(services)
    assert len(services.read(webhooks.list_all)) == 2, "what waits is kept"
