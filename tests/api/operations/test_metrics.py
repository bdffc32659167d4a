"""Prometheus is told what waits, what came of it and what it cost, without reading all that is stored."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from sqlalchemy import event, insert
from starlette.testclient import TestClient

from api.app import create_app
from api.operations.metrics import METRICS
from domain import Candidate, Cost, ReadOutcome, Status
from domain.flow import QUEUES, TASKS
from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.questions import webhooks
from store.questions.state import Changes, Move
from store.questions.trace import WriteDetail
from store.sql.tables import CandidateRow, QuestionRow, StepRow
from tests.api import walk
from tests.api.conftest import LOCAL
from workers.processes.heartbeat import record_sweep
from workers.services import Services, collections
from workers.settings import Settings


def scrape(http: TestClient) -> dict[str, dict[tuple[str, ...], float]]:
    """The samples by name, each with its labels' values."""
    answered = http.get("/metrics")
    assert answered.status_code == 200
    assert answered.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        family.name: {tuple(sample.labels.values()): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(answered.text)
    }


def test_every_figure_is_named_also_where_it_has_no_value(http: TestClient) -> None:
    assert set(scrape(http)) == set(METRICS)


def test_what_waits_is_counted_by_its_task_with_the_age_of_the_oldest(http: TestClient, services: Services) -> None:
    for _ in range(2):
        walk.ask(services)
    with services.database.write() as session:
        for row in session.query(QuestionRow):
            row.due_at -= timedelta(seconds=90)
        candidate = Candidate(url="https://example.org/")
        candidates.add(session, None, [candidate], wave=0, status=CandidateStatus.WAITING, now=services.now())
    found = scrape(http)
    assert found["wellread_questions"]["ASKED",] == 2
    assert found["wellread_due"]["answer", "wellread.retrieve"] == 2
    assert found["wellread_due"]["crawl", "wellread.read"] == 1
    assert found["wellread_due"][TASKS["wellread.notify"].queue, "wellread.notify"] == 0
    assert found["wellread_oldest_due_seconds"]["wellread.retrieve",] == pytest.approx(90, abs=20)
    assert found["wellread_oldest_due_seconds"]["wellread.notify",] == 0


def test_what_somebody_works_on_does_not_wait(http: TestClient, services: Services) -> None:
    asked = walk.ask(services)
    with services.database.write() as session:
        session.get_one(QuestionRow, asked.id).lease_until = services.now() + timedelta(minutes=1)
    assert scrape(http)["wellread_due"]["answer", "wellread.retrieve"] == 0


def test_questions_of_the_last_hour_are_counted_by_how_they_ended(http: TestClient, services: Services) -> None:
    page_id = walk.keep_page(services)
    detail = WriteDetail(asked=("answer",), cost=Cost(model="m", input_tokens=100, output_tokens=10, usd=0.25))
    for move in (
        walk.answered(page_id),
        walk.unsure(page_id),
        Move(to=Status.ABSTAINED, outcome="insufficient", detail=detail),
    ):
        walk.move(services, walk.ask(services).id, move)
    walk.move(services, walk.ask(services).id, Move(to=Status.FAILED, outcome="failed", changes=Changes(error="x")))
    found = scrape(http)
    assert found["wellread_questions_ended"] == {
        ("ABSTAINED",): 1, ("ANSWERED",): 2, ("CANCELLED",): 0, ("FAILED",): 1, ("TIMED_OUT",): 0
    }  # fmt: skip
    assert found["wellread_outcomes"] == {("answered",): 1, ("unsure",): 1, ("unknown",): 1}
    assert found["wellread_dead_questions"] == {(): 1}
    assert found["wellread_spent_usd"][()] == pytest.approx(0.45)
    assert found["wellread_spent_tokens"] == {(): 122}
    assert found["wellread_step_seconds"].keys() == {("0.5", "retrieve"), ("0.95", "retrieve")}
    with services.database.write() as session:
        for row in session.query(QuestionRow):
            row.due_at -= timedelta(hours=2)
        for step in session.query(StepRow):
            step.finished_at -= timedelta(hours=2)
    found = scrape(http)
    assert set(found["wellread_questions_ended"].values()) == {0}
    assert found["wellread_spent_usd"] == {(): 0}
    assert found["wellread_dead_questions"] == {(): 1}  # until it is replayed


def test_what_came_of_pages_is_counted_when_they_are_settled(http: TestClient, services: Services) -> None:
    long_ago = services.now() - timedelta(days=1)
    found = [Candidate(url=f"https://example.org/{number}") for number in range(3)]
    with services.database.write() as session:
        candidates.add(session, None, found, wave=0, status=CandidateStatus.WAITING, now=long_ago)
        for row in session.query(CandidateRow).limit(2):
            outcome = CandidateOutcome(outcome=ReadOutcome.FORBIDDEN, reason="robots.txt")
            candidates._finish(session, CandidateRow.id == row.id, outcome, services.now())
    assert scrape(http)["wellread_crawl_outcomes"] == {("forbidden",): 2}


def test_owed_webhooks_are_counted(http: TestClient, services: Services) -> None:
    asked = walk.ask(services)
    with services.database.write() as session:
        row = session.get_one(QuestionRow, asked.id)
        webhooks.add(session, row, url="https://example.org/", event="question.answered", now=services.now())
    found = scrape(http)
    assert found["wellread_webhooks"] == {("waiting",): 1, ("failed",): 0}
    assert found["wellread_due"][TASKS["wellread.notify"].queue, "wellread.notify"] == 1


def test_all_collections_count_together(http: TestClient, services: Services) -> None:
    collections.add(services, "research")
    walk.ask(services)
    walk.ask(services.of("research"))
    assert scrape(http)["wellread_due"]["answer", "wellread.retrieve"] == 2


def test_sweep_disk_and_redis_are_told(http: TestClient, services: Services) -> None:
    assert scrape(http)["wellread_sweep_seconds"] == {}
    record_sweep(services, 0.125)
    found = scrape(http)
    assert found["wellread_sweep_seconds"] == {(): 0.125}
    assert 0 <= found["wellread_sweep_age_seconds"][()] < 30
    assert 0 < found["wellread_disk_free_bytes"][()] < found["wellread_disk_bytes"][()]
    assert found["wellread_redis_memory_bytes"][()] > 100_000
    assert found["wellread_messages"].keys() == {(queue,) for queue in QUEUES}
    assert set(found["wellread_workers"].values()) == {0}


def test_without_redis_the_rest_is_told(services: Services, settings: Settings) -> None:
    walk.ask(services)
    services.settings = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"})
    services.__dict__.pop("redis", None)
    with TestClient(create_app(services), base_url=LOCAL) as http:
        found = scrape(http)
    assert found["wellread_up"] == {("database",): 1, ("redis",): 0}
    assert found["wellread_questions"]["ASKED",] == 1
    assert found["wellread_messages"] == {}


def test_without_tables_the_rest_is_told(http: TestClient, services: Services) -> None:
    with services.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE webhooks")
    found = scrape(http)
    assert found["wellread_up"] == {("database",): 0, ("redis",): 1}
    assert found["wellread_questions"] == {}  # none rather than some
    assert found["wellread_redis_memory_bytes"][()] > 0


def test_figures_need_an_operators_key_for_all_collections(services: Services, settings: Settings) -> None:
    keys = [SecretStr(pair) for pair in ("ask:a", "operate:b", "operate@research:c")]
    services.settings = settings.model_copy(update={"api_keys": tuple(keys)})
    with TestClient(create_app(services), base_url=LOCAL) as http:
        answers = {key: http.get("/metrics", headers={"authorization": f"Bearer {key}"}).status_code for key in "abcd"}
    assert answers == {"a": 403, "b": 200, "c": 403, "d": 401}


def test_figures_are_read_from_indexes_however_much_is_stored(http: TestClient, services: Services) -> None:
    asked = walk.ask(services)
    walk.move(services, asked.id, walk.insufficient(Status.RETRYING))
    old = services.now() - timedelta(days=30)
    with services.database.write() as session:
        question, step = session.get_one(QuestionRow, asked.id), session.query(StepRow).one()
        many = [
            _copy(question, id=f"{n:032x}", status=Status.ANSWERED, due_at=old, finished_at=old) for n in range(20_000)
        ]
        session.execute(insert(QuestionRow), many)
        session.execute(insert(StepRow), [_copy(step, id=None, finished_at=old) for _ in range(20_000)])
    plans: list[str] = []
    engine = services.database.engine

    @event.listens_for(engine, "before_cursor_execute")
    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        if statement.startswith("SELECT"):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.extend(f"{row[3]}: {statement}" for row in cursor.fetchall())

    scrape(http)
    event.remove(engine, "before_cursor_execute", explain)
    scans = [plan for plan in plans if plan.startswith("SCAN") and "collections" not in plan]
    # the latest steps are the table's end, read backwards and with a limit
    assert [plan for plan in scans if "ORDER BY steps.id DESC" not in plan and "SCAN anon" not in plan] == []


def _copy(row: Any, **changed: Any) -> dict[str, Any]:
    values = {column.key: getattr(row, column.key) for column in row.__mapper__.columns} | changed
    return {name: value for name, value in values.items() if (name, value) != ("id", None)}
