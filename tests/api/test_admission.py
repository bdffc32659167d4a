"""As many questions are open as may be; further ones are refused at once, in the form of each way of asking."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import httpx2
import openai
import pytest
import redis
from anyio import to_thread
from mcp import Client
from pydantic import SecretStr
from sqlalchemy import create_engine, event, text
from starlette.testclient import TestClient

from api.app import create_app
from api.dependencies import MOST_WAITING
from domain import Status
from store.sql.database import Database, migrate
from tests.api import walk
from tests.api.conftest import LOCAL, serving
from tests.servers import valkey_server
from wellread import AsyncClient, Refused
from workers.processes.supervise import wait_until
from workers.services import Services
from workers.settings import Settings

KEYS = {"api_keys": tuple(SecretStr(f"ask:{name}") for name in ("one", "two"))}


def _limit(services: Services, **values: Any) -> Services:
    services.settings = services.settings.model_copy(update=values)
    return services


@pytest.fixture
def http(services: Services) -> Iterator[TestClient]:
    app = create_app(_limit(services, max_open_questions=3, max_open_per_caller=2))
    with TestClient(app, base_url=LOCAL, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(autouse=True)
def nobody_waits(services: Services) -> None:
    """Forget who was refused in another test."""
    for queue in services.redis.scan_iter("wellread:turns:*"):
        services.redis.delete(queue)


def _ask(http: TestClient, what: str, *, key: str = "", **others: Any) -> httpx2.Response:
    headers = {"x-api-key": key} if key else {}
    return http.post("/api/questions", json={"question": f"Who built {what}?", **others}, headers=headers)


def _answer(services: Services, asked: httpx2.Response) -> None:
    walk.move(services, asked.json()["id"], walk.answered(walk.keep_page(services)))


def test_more_questions_than_may_be_open_are_refused_until_one_ends(http: TestClient, services: Services) -> None:
    asked = [_ask(http, f"tower {n}") for n in range(3)]
    assert [each.status_code for each in asked] == [202] * 3
    refused = _ask(http, "the bridge")
    assert (refused.status_code, refused.json()["type"]) == (429, "too-many-open")
    assert refused.headers["retry-after"] == "60"  # none ended yet
    assert refused.json()["detail"] == "3 questions are open, as many as may be at a time: ask again in 60 s."
    assert len(http.get("/api/questions").json()) == 3  # nothing of it is stored
    _answer(services, asked[0])
    assert _ask(http, "tower 0").json()["status"] == "ANSWERED"
    assert _ask(http, "the bridge").status_code == 202
    again = _ask(http, "the harbour")
    assert 1 <= int(again.headers["retry-after"]) < 60, "questions end now"
    assert _ask(http, "tower 0").json()["status"] == "ANSWERED", "what is known is given all the time"


def test_who_was_refused_goes_before_who_comes_for_the_first_time(services: Services) -> None:
    with TestClient(create_app(_limit(services, max_open_questions=10)), base_url=LOCAL) as http:
        asked = [_ask(http, f"tower {n}") for n in range(10)]
        _answer(services, asked[0])
        assert _ask(http, "tower 10").status_code == 202
        refused = _ask(http, "the bridge")
        assert refused.status_code == 429
        _answer(services, asked[1])
        assert _ask(http, "the harbour").status_code == 429, "the room is kept"
        services.now = lambda: datetime.now(UTC) + timedelta(seconds=int(refused.headers["retry-after"]))  # type: ignore[method-assign]
        assert _ask(http, "the gate").status_code == 429
        assert _ask(http, "the bridge").status_code == 202
        _answer(services, asked[2])
        assert _ask(http, "the gate").status_code == 429, "it comes before its time"


def test_refusal_writes_nothing_while_others_are_refused(http: TestClient, services: Services) -> None:
    for number in range(4):
        _ask(http, f"tower {number}")
    written: list[str] = []
    event.listen(
        services.database.engine,
        "before_cursor_execute",
        lambda _c, _cursor, statement, *_: written.append(statement),
    )
    assert _ask(http, "the bridge").status_code == 429
    assert written
    assert not [statement for statement in written if not statement.startswith(("SELECT", "BEGIN"))]
    assert "BEGIN IMMEDIATE" not in written


def test_repeat_is_no_further_question(http: TestClient) -> None:
    own = {"id": "12345678123456781234567812345678"}
    assert [_ask(http, f"tower {n}", **(own if n == 0 else {})).status_code for n in range(3)] == [202] * 3
    assert _ask(http, "tower 0", **own).status_code == 200


def test_one_key_has_its_share_alone(services: Services) -> None:
    limited = _limit(services, max_open_questions=4, max_open_per_caller=2, **KEYS)
    with TestClient(create_app(limited), base_url=LOCAL) as http:
        statuses = [_ask(http, f"tower {n}", key="one").status_code for n in range(3)]
        assert statuses == [202, 202, 429]
        assert [_ask(http, f"tower {n}", key="two").status_code for n in range(3)] == [202, 202, 429]
        assert "4 questions are open" in _ask(http, "tower 9", key="two").json()["detail"]


def test_callers_at_once_open_no_more_than_may_be(services: Services) -> None:
    with (
        serving(create_app(_limit(services, max_open_questions=10))) as url,
        httpx2.Client(base_url=url, trust_env=False, timeout=60) as http,
        ThreadPoolExecutor(8) as callers,
    ):

        def ask(number: int) -> int:
            return http.post("/api/questions", json={"question": f"Who built tower {number}?"}).status_code

        statuses = list(callers.map(ask, range(24)))
    assert (statuses.count(202), statuses.count(429)) == (10, 14)


def test_failed_question_is_not_started_again_where_no_more_may_be_open(http: TestClient, services: Services) -> None:
    first, *_ = [_ask(http, f"tower {n}") for n in range(3)]
    http.post(f"/api/questions/{first.json()['id']}/cancel")
    assert _ask(http, "the bridge").status_code == 202
    assert http.post(f"/api/questions/{first.json()['id']}/replay").status_code == 429


def test_openais_client_and_assistants_are_refused_in_their_own_form(services: Services) -> None:
    with serving(create_app(_limit(services, max_open_questions=1))) as url:
        with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=20) as client:
            walk.ask(services)
            with pytest.raises(openai.RateLimitError, match="as many as may be") as refused:
                client.chat.completions.create(model="wellread", messages=[{"role": "user", "content": "Why?"}])
        assert (refused.value.code, refused.value.type) == ("too_many_open", "rate_limit_error")
        assert refused.value.response.headers["retry-after"] == "60"

        async def others() -> tuple[Any, float | None]:
            async with Client(f"{url}/mcp") as assistant, AsyncClient(url) as own:
                said = await assistant.call_tool("ask", {"question": "Why?"})
                with pytest.raises(Refused) as refused:
                    await own.ask("Why?")
                return said, refused.value.retry_after_s

        said, after_s = asyncio.run(others())
        assert said.is_error
        assert "ask again in 60 s" in said.content[0].text
        assert after_s == 60


def test_nothing_is_asked_while_redis_is_full_and_what_is_open_goes_on(settings: Settings, services: Services) -> None:
    with valkey_server() as url:
        client = redis.Redis.from_url(url)
        full = _limit(services, redis_url=url)
        for name in ("redis", "events_redis", "broker_memory", "events"):
            full.__dict__.pop(name, None)
        with TestClient(create_app(full), base_url=LOCAL) as http:
            asked = _ask(http, "the tower")
            client.config_set("maxmemory", 4_000_000)
            for number in range(2_000):
                try:
                    client.set(f"other:{number}", "x" * 10_000)
                except redis.ResponseError:
                    break
            time.sleep(1.1)  # the figure is looked up once a second
            refused = _ask(http, "the bridge")
            assert (refused.status_code, refused.json()["type"]) == (503, "no-room")
            assert "Redis is full" in refused.json()["detail"]
            assert refused.headers["retry-after"] == "30"
            _answer(full, asked)
            assert http.get(f"/api/questions/{asked.json()['id']}").json()["status"] == "ANSWERED"
            client.config_set("maxmemory", 0)
            time.sleep(1.1)
            assert _ask(http, "the bridge").status_code == 202
        full.redis.close()
        client.close()


def test_who_would_wait_long_for_a_thread_is_told_at_once(services: Services) -> None:
    go_on, asked = threading.Event(), {"question": "Who built the tower?", "wait": 0}

    async def ask() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(create_app(services))
        async with httpx2.AsyncClient(transport=transport, base_url=LOCAL) as http, anyio.create_task_group() as others:
            limiter = to_thread.current_default_thread_limiter()
            for _ in range(int(limiter.total_tokens) + MOST_WAITING):
                others.start_soon(to_thread.run_sync, go_on.wait)
            while limiter.statistics().tasks_waiting < MOST_WAITING:
                await anyio.sleep(0.01)
            try:
                with anyio.fail_after(60):
                    return [await http.post("/api/chat", json=asked)]
            finally:
                go_on.set()

    (refused,) = asyncio.run(ask())
    assert (refused.status_code, refused.json()["type"]) == (503, "no-room")
    assert refused.json()["detail"] == f"{MOST_WAITING} requests wait for their turn."
    assert refused.headers["retry-after"] == "5"


def test_full_database_is_said_so(http: TestClient, services: Services) -> None:
    engine = services.database.engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    with services.database.read() as session:
        assert session.scalar(text("PRAGMA max_page_count")) == pages
    for number in range(200):
        refused = http.post("/api/questions", json={"question": f"{number}: " + "who " * 900})
        if refused.status_code != 202:
            break
        http.post(f"/api/questions/{refused.json()['id']}/cancel")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert "is full: free some space" in refused.json()["detail"]


def test_who_waits_is_answered_in_time_also_while_the_database_stands_still(
    services: Services, empty_postgres: str
) -> None:
    migrate(empty_postgres)
    services.database.close()
    services.__dict__["database"] = Database(empty_postgres)
    released = threading.Event()
    engine = create_engine(empty_postgres)

    def is_asked() -> bool:
        with services.database.read() as session:
            return session.scalar(text("SELECT count(*) FROM questions")) > 0

    def stand_still() -> None:
        assert wait_until(is_asked, within_s=30)
        time.sleep(0.5)
        with engine.begin() as connection:
            connection.execute(text("LOCK TABLE questions IN ACCESS EXCLUSIVE MODE"))
            released.wait(60)

    with serving(create_app(services)) as url, httpx2.Client(base_url=url, trust_env=False, timeout=60) as http:
        thread = threading.Thread(target=stand_still, daemon=True)
        thread.start()
        response = http.post("/api/chat", json={"question": "Who built the tower?", "wait": 5})
        was_locked = not released.is_set()
        released.set()
        thread.join()
    assert was_locked
    assert (response.status_code, response.json()["status"]) == (202, Status.ASKED)
    engine.dispose()
