"""A question that another process enqueues with Celery, without a queue's name, is answered under the id it chose."""

from __future__ import annotations

import uuid

import pytest
from celery import Celery

from tests.live.conftest import Asked
from tests.live.test_faults import FINAL, QUESTIONS, _status
from workers.processes.supervise import wait_until

pytestmark = [pytest.mark.live, pytest.mark.timeout(600), pytest.mark.xdist_group("asked")]


def test_enqueued_question_is_answered_under_its_own_id(asked: Asked) -> None:
    named = str(uuid.uuid4())
    payload = {"id": named, "question": QUESTIONS[0], "budget": {"pages": 5}}
    for _ in range(2):  # a message may arrive twice
        Celery(broker=asked.settings.broker).send_task("wellread.ask", args=[payload])
    assert wait_until(lambda: _status(asked.client, named) in FINAL, within_s=240)
    record = asked.client.get(f"/api/questions/{named}").json()
    assert (record["id"], record["status"]) == (uuid.UUID(named).hex, "ANSWERED")
    questions = [each["question"] for each in asked.client.get("/api/questions").json()]
    assert questions.count(QUESTIONS[0]) == 1
