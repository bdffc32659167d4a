"""Keys have limits: what is used is counted exactly, said in headers, and refused beyond."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from domain import Status
from store import usage
from store.sql.database import Database
from store.usage import QuotaSpent
from tests.api import walk
from tests.api.conftest import LOCAL
from workers.questions.step import step
from workers.services import Services

ADMIN = {"x-api-key": "boss"}
NOW = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)


@pytest.fixture
def http(services: Services) -> Any:
    services.settings = services.settings.model_copy(update={"api_keys": (SecretStr("admin:boss"),)})
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def key(http: TestClient) -> Callable[..., dict[str, str]]:
    """Makes a key with limits; returns the header that uses it."""

    def make(name: str = "team", **limits: float) -> dict[str, str]:
        made = http.post("/api/keys", json={"name": name, "limits": limits}, headers=ADMIN)
        assert made.status_code == 201, made.text
        return {"x-api-key": made.json()["secret"]}

    return make


def ask(http: TestClient, key: dict[str, str], question: str, **options: Any) -> Any:
    return http.post("/api/questions", json={"question": question, **options}, headers=key)


def test_question_beyond_the_quota_is_refused_and_a_repeat_is_none(http: TestClient, key: Any) -> None:
    team = key(questions_per_day=2)
    own = "0" * 31 + "1"
    first = ask(http, team, "Who is first?", id=own)
    assert first.headers["ratelimit-policy"] == '"day";q=2;w=86400'
    assert first.headers["ratelimit"].startswith('"day";r=1;t=')
    assert ask(http, team, "Who is second?").headers["ratelimit"].startswith('"day";r=0;')
    refused = ask(http, team, "Who is third?")
    assert (refused.status_code, refused.json()["type"]) == (429, "quota-spent")
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    assert ask(http, team, "Who is first?", id=own).status_code == 200
    bulk = http.post("/api/questions/bulk", json={"questions": [{"question": "Who?"}]}, headers=team).json()
    assert bulk["questions"][0]["problem"]["type"] == "quota-spent"


def test_question_that_is_refused_for_another_reason_is_not_counted(http: TestClient, key: Any) -> None:
    team = key(questions_per_day=1)
    assert ask(http, team, "").status_code == 422
    assert ask(http, team, "Who?").status_code == 202


def test_quota_of_none_refuses_all(http: TestClient, key: Any) -> None:
    assert ask(http, key(questions_per_month=0), "Who?").status_code == 429


def test_limits_are_changed_and_taken_back(http: TestClient, key: Any) -> None:
    team = key(questions_per_day=0, weight=2)
    limits = http.patch("/api/keys/team", json={"questions_per_day": None}, headers=ADMIN).json()["limits"]
    assert limits == {"weight": 2}
    assert ask(http, team, "Who?").status_code == 202
    assert http.patch("/api/keys/team", json={"weight": 0}, headers=ADMIN).status_code == 422


def test_key_may_have_so_many_questions_open(http: TestClient, key: Any) -> None:
    team = key(open_questions=1)
    assert ask(http, team, "Who?").status_code == 202
    assert ask(http, team, "Who else?").json()["type"] == "too-many-open"


def test_key_may_send_so_many_requests_a_minute(http: TestClient, key: Any) -> None:
    team = key(requests_per_minute=2)
    assert [http.get("/api/questions", headers=team).status_code for _ in range(3)] == [200, 200, 429]


def test_step_has_what_its_key_has_left(http: TestClient, services: Services, key: Any) -> None:
    """Also that of a question that was asked, or is asked again, before it was used up."""
    team = key(pages_per_day=3, tokens_per_month=1_000, usd_per_day=0.01)
    question_id = ask(http, team, "Who?").json()["id"]
    services.spend(walk.question(services, question_id).owner, pages=3, tokens=400)
    with step(services, question_id, Status.ASKED) as work:
        assert work is not None
        assert (work.question.budget.pages, work.question.budget.tokens, work.question.budget.usd) == (0, 600, 0.01)
    assert walk.question(services, question_id).budget.pages == 20


def test_usage_says_what_was_asked_and_what_it_cost(http: TestClient, services: Services, key: Any) -> None:
    team = key(questions_per_day=5)
    key("other")
    question_id = ask(http, team, "Who built it?").json()["id"]
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))  # which cost 6 tokens and 10 cents
    (own,) = http.get("/api/usage", headers=team).json()
    assert own["key"] == "team"
    assert own["day"] == own["month"] == {"questions": 1, "pages": 0, "tokens": 6, "usd": 0.1}
    http.delete(f"/api/questions/{question_id}", headers=ADMIN)
    names = [each["key"] for each in http.get("/api/usage", headers=ADMIN).json()]
    assert names == ["other", "team"]
    assert http.get("/api/usage", headers=team).json() == [own]


@pytest.mark.parametrize("name", ["questions", "pages"])
def test_quota_is_exact_under_many_callers_at_once(database: Database, name: str) -> None:
    def take(_: int) -> bool:
        try:
            with database.write() as session:
                usage.take(session, "key:1", {f"{name}_per_day": 20}, NOW, name)
        except QuotaSpent:
            return False
        return True

    with ThreadPoolExecutor(64) as callers:
        assert sum(callers.map(take, range(64))) == 20
    with database.read() as session:
        assert getattr(usage.used(session, "key:1", NOW)["day"], name) == 20


def test_days_and_months_end_at_midnight_utc(database: Database) -> None:
    limits = {"questions_per_day": 1, "questions_per_month": 2}
    with database.write() as session:
        usage.take(session, "key:1", limits, NOW.replace(day=29))
        usage.take(session, "key:1", limits, NOW)
        with pytest.raises(QuotaSpent, match="1 questions a day") as refused:
            usage.take(session, "key:1", limits, NOW)
        assert refused.value.retry_after_s == 3_601
        assert usage.resets_at("month", NOW) == datetime(2026, 12, 1, tzinfo=UTC)
        usage.take(session, "key:1", limits, NOW.replace(month=12, day=1))
