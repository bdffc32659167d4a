"""A question that another process enqueues with Celery, without a queue's name, is answered under the id it chose."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from celery import Celery

from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]


def test_enqueued_question_is_answered_under_its_own_id(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = str(uuid.uuid4())
    with _stack(monkeypatch, tmp_path) as (_, client):
        payload = {"id": asked, "question": QUESTIONS[0], "budget": {"pages": 5}}
        for _ in range(2):  # a message may arrive twice
            Celery(broker=load().broker).send_task("wellread.ask", args=[payload])
        assert wait_until(lambda: _status(client, asked) in FINAL, within_s=240)
        record = client.get(f"/api/questions/{asked}").json()
        assert (record["id"], record["status"]) == (uuid.UUID(asked).hex, "ANSWERED")
        assert len(client.get("/api/questions").json()) == 1
