"""Equal questions asked at once cost one run and all get its answer, whoever is killed."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import func, select

from store.sql.database import Database, migrate
from store.sql.tables import CandidateRow, QuestionRow, StepRow
from tests.live.test_faults import FINAL, QUESTIONS, _stack
from workers.processes.supervise import wait_until
from workers.settings import Settings, load

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

AT_ONCE = 100


def _ask_at_once(client: httpx2.Client, question: str, count: int = AT_ONCE) -> list[str]:
    def ask(_: int) -> str:
        return str(client.post("/api/questions", json={"question": question}).json()["id"])

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(ask, range(count)))


def _records(client: httpx2.Client, ids: list[str]) -> list[dict[str, Any]]:
    return [client.get(f"/api/questions/{question_id}").json() for question_id in ids]


def _all_ended(ids: list[str]) -> bool:
    database = Database(load().database)
    with database.read() as session:
        ended = session.scalar(select(func.count()).where(QuestionRow.id.in_(ids), QuestionRow.status.in_(FINAL)))
    database.close()
    return ended == len(ids)


def _steps(settings: Settings) -> Counter[str]:
    database = Database(settings.database)
    with database.read() as session:
        counted = Counter(dict(session.execute(select(StepRow.name, func.count()).group_by(StepRow.name)).all()))
        readers = session.scalar(select(func.count(func.distinct(CandidateRow.question_id))))
    database.close()
    counted["questions that read"] = readers or 0
    return counted


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def test_a_hundred_equal_questions_at_once_cost_one_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest, kind: str
) -> None:
    if kind == "postgresql":
        url = request.getfixturevalue("empty_postgres")
        migrate(url)
        monkeypatch.setenv("WELLREAD_DATABASE_URL", url)
    with _stack(monkeypatch, tmp_path) as (_, client):
        ids = _ask_at_once(client, QUESTIONS[0])
        assert wait_until(lambda: _all_ended(ids), within_s=120)
        records, steps = _records(client, ids), _steps(load())
    assert len(set(ids)) == AT_ONCE
    assert len({(record["status"], record["answer"]) for record in records}) == 1
    assert records[0]["status"] == "ANSWERED"
    assert sum(record["shared_with"] is None for record in records) == 1
    assert (steps["retrieve"], steps["retry"], steps["questions that read"]) == (1, 1, 1)
    assert steps["follow"] == AT_ONCE - 1


@pytest.mark.nightly
def test_killed_workers_and_cancelled_leaders_leave_one_answer_for_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with _stack(monkeypatch, tmp_path) as (stack, client):
        ids = _ask_at_once(client, QUESTIONS[0])
        leader = next(record["id"] for record in _records(client, ids) if record["shared_with"] is None)
        client.post(f"/api/questions/{leader}/cancel")
        waiting = [question_id for question_id in ids if question_id != leader]
        for _ in range(3):
            time.sleep(2)
            for name in ("answer", "crawl"):
                with suppress(ProcessLookupError):
                    os.kill(stack.pids()[name], signal.SIGKILL)
        assert wait_until(lambda: _all_ended(waiting), within_s=240)
        records = _records(client, waiting)
        cancelled = client.get(f"/api/questions/{leader}").json()
        steps = _steps(load())
    assert cancelled["status"] == "CANCELLED"
    assert {(record["status"], record["answer"]) for record in records} == {("ANSWERED", records[0]["answer"])}
    assert sum(record["shared_with"] is None for record in records) == 1
    assert steps["follow"] == len(waiting) - 1
