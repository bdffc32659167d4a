"""The record of a question is sent to a task of its asker's own service, through the broker, to allowed queues only."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from pydantic import ValidationError
from sqlalchemy import select, update

from domain.options import ReplyTo
from store.questions.new_questions import NewQuestion
from store.sql import leases
from store.sql.tables import QuestionRow, WebhookRow
from tests.own_stack import until
from tests.workers.conftest import Outbox
from workers import messages
from workers.messages import MessageRefused
from workers.questions import replies, submit, webhooks
from workers.questions.replies import ReplyRefused
from workers.services import Services
from workers.services.dispatch import Dispatcher
from workers.settings import SettingsError, load

TO = {"queue": "orders.answers", "task": "orders.answered"}

_OTHER_SERVICE = """
import json, os
from celery import Celery
app = Celery(broker=os.environ["BROKER"])
@app.task(name="orders.answered", bind=True)
def answered(self, record):
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(json.dumps([self.request.id, self.request.wellread_event, record]) + "\\n")
"""


def allow(services: Services, *queues: str) -> None:
    services.settings = services.settings.model_copy(update={"reply_queues": queues})


def ended(services: Services, address: str = "celery://orders.answers/orders.answered") -> tuple[str, int]:
    """A question that ended, and the delivery that is owed for it."""
    question, _ = submit.submit(services, NewQuestion(text="Who built the lighthouse?", callback_url=address))
    submit.cancel(services, question.id)
    with services.database.read() as session:
        return question.id, session.scalars(select(WebhookRow.id).where(WebhookRow.question_id == question.id)).one()


def delivery(services: Services) -> tuple[str, str | None]:
    with services.database.read() as session:
        row = session.scalars(select(WebhookRow)).one()
        return row.status, row.error


@contextmanager
def other_service(broker: str, folder: Path) -> Iterator[Path]:
    """A worker of another service on the same Valkey; yields the file of what it was sent."""
    (folder / "orders_app.py").write_text(_OTHER_SERVICE)
    seen = folder / "seen"
    seen.touch()
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "orders_app", "worker", "-P", "solo", "-Q", TO["queue"]],
        cwd=folder,
        env={"BROKER": broker, "SEEN": str(seen), "PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield seen
    finally:
        worker.terminate()
        worker.wait(timeout=20)


def test_worker_of_another_service_gets_the_record(services: Services, tmp_path: Path) -> None:
    """A process of its own takes some seconds to start: what it gets is what the broker and Celery make of it."""
    allow(services, "orders.*")
    question_id, webhook_id = ended(services)
    services.__dict__["dispatcher"] = Dispatcher(Celery(broker=services.settings.broker))
    with other_service(services.settings.broker, tmp_path) as seen:
        for _ in range(2):  # the message to us came twice
            webhooks.deliver(services, webhook_id)
        until(seen.read_text)
    ((task_id, event, record),) = map(json.loads, seen.read_text().splitlines())
    assert (task_id, event) == (f"msg_{question_id}_{webhook_id}", "question.cancelled")
    assert (record["id"], record["status"], record["question"]) == (
        question_id,
        "CANCELLED",
        "Who built the lighthouse?",
    )
    assert delivery(services) == ("DELIVERED", None)


def test_reply_is_tried_again_while_the_broker_is_away(services: Services) -> None:
    allow(services, "orders.*")
    _, webhook_id = ended(services)
    away = Celery(broker="redis://127.0.0.1:1/0")
    away.conf.broker_transport_options = {"max_retries": 1, "interval_start": 0, "interval_max": 0}
    services.__dict__["dispatcher"] = Dispatcher(away)
    webhooks.deliver(services, webhook_id)
    status, error = delivery(services)
    assert (status, bool(error)) == ("WAITING", True)
    services.__dict__["dispatcher"] = Dispatcher(Celery(broker=services.settings.broker))
    with services.database.write() as session:
        session.execute(update(WebhookRow).values(due_at=services.now() - timedelta(seconds=1)))
    webhooks.deliver(services, webhook_id)
    assert delivery(services)[0] == "DELIVERED"
    assert services.redis.llen(TO["queue"]) == 1


def test_reply_is_tried_again_while_nobody_consumes_its_queue(services: Services) -> None:
    allow(services, "orders.*")
    _, webhook_id = ended(services)
    services.__dict__["dispatcher"] = Dispatcher(Celery(broker=services.settings.broker))
    services.redis.rpush(TO["queue"], *["{}"] * (replies.MOST_MESSAGES + 1))
    webhooks.deliver(services, webhook_id)
    status, error = delivery(services)
    assert (status, "has more than 10,000 messages" in (error or "")) == ("WAITING", True)
    services.redis.delete(TO["queue"])
    with services.database.write() as session:
        session.execute(update(WebhookRow).values(due_at=services.now() - timedelta(seconds=1)))
    webhooks.deliver(services, webhook_id)
    assert (delivery(services)[0], services.redis.llen(TO["queue"])) == ("DELIVERED", 1)


def test_queue_that_is_no_longer_allowed_gets_nothing(services: Services) -> None:
    allow(services, "orders.*")
    _, webhook_id = ended(services)
    allow(services)
    for _ in range(leases.MAX_ATTEMPTS):
        webhooks.deliver(services, webhook_id)
        with services.database.write() as session:
            session.execute(update(WebhookRow).values(due_at=services.now() - timedelta(seconds=1)))
    status, error = delivery(services)
    assert status == "FAILED"
    assert "WELLREAD_REPLY_QUEUES" in (error or "")


@pytest.mark.parametrize(
    ("allowed", "address", "why"),
    [
        ((), "celery://orders/orders.answered", "WELLREAD_REPLY_QUEUES"),
        (("orders",), "celery://orders2/orders.answered", "WELLREAD_REPLY_QUEUES"),
        (("*",), "celery://answer/orders.answered", "Wellread's own"),
        (("*",), "celery://orders/wellread.ask", "Wellread's own"),
        (("*",), "celery://unacked_index/x", "Wellread's own"),
        (("*",), "celery://orders", "QUEUE/TASK"),
        (("*",), "celery://or\x06\x163ders/x", "QUEUE/TASK"),
    ],
)
def test_queue_that_is_not_allowed_is_refused_at_once(
    services: Services, allowed: tuple[str, ...], address: str, why: str
) -> None:
    allow(services, *allowed)
    with pytest.raises(ReplyRefused, match=why):
        submit.submit(services, NewQuestion(text="Why?", callback_url=address))


def test_message_names_the_task_that_gets_the_answer(services: Services, outbox: Outbox) -> None:
    allow(services, "orders.*")
    payload: dict[str, Any] = {"question": "Why?", "reply_to": TO}
    question = messages.accept(services, payload)
    with services.database.read() as session:
        address = session.get_one(QuestionRow, question.id).callback_url
    assert address == ReplyTo(**TO).address
    assert replies.check(services.settings, str(address)) == (TO["queue"], TO["task"])
    with pytest.raises(MessageRefused, match="either callback_url or reply_to"):
        messages.accept(services, payload | {"callback_url": "https://example.org/"})
    with pytest.raises(MessageRefused, match="WELLREAD_REPLY_QUEUES"):
        messages.accept(services, payload | {"reply_to": TO | {"queue": "billing"}})


def test_names_are_those_of_celery() -> None:
    for wrong in ({"queue": "a b"}, {"queue": ""}, {"task": "x/y"}, {"task": ""}):
        with pytest.raises(ValidationError):
            ReplyTo.model_validate(TO | wrong)


@pytest.mark.parametrize("queues", ["answer", "orders,model", "or ders", "a:b"])
def test_setting_names_no_queue_of_wellread_and_no_other_key(queues: str) -> None:
    with pytest.raises(SettingsError, match="WELLREAD_REPLY_QUEUES"):
        load(reply_queues=queues)
