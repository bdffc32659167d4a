"""WELLREAD_EVENTS_REDIS_URL puts events of progress into another Redis, or another database of the same one."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import redis
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.operations.doctor import diagnose
from tests.api import walk
from tests.api.conftest import serving
from tests.servers import valkey_server
from wellread import Client
from workers.settings import Settings, load


@pytest.fixture(params=["server", "database"])
def other(request: pytest.FixtureRequest, valkey_url: str) -> Iterator[str]:
    if request.param == "server":
        with valkey_server() as url:
            yield url
    else:
        yield f"{valkey_url}?db=1"


@pytest.fixture
def settings(other: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("WELLREAD_EVENTS_REDIS_URL", other)
    return load(data_dir=settings.data_dir, redis_url=settings.redis_url)


def _keys(url: str) -> list[str]:
    with redis.Redis.from_url(url, decode_responses=True) as client:
        return [*client.scan_iter("wellread:events:*")]


def test_events_are_there_and_not_in_the_broker_and_are_streamed_from_there(
    app: FastAPI, valkey_url: str, other: str
) -> None:
    services = app.state.services
    services.redis.flushall()
    question = walk.ask(services)
    with serving(app) as url, Client(url) as client:
        events = client.events(question.id)
        kinds = [next(events).kind]
        for move in (walk.provisional(), walk.answered()):
            walk.move(services, question.id, move)
        kinds += [event.kind for event in events]
    assert kinds == ["status", "status", "provisional", "status", "final"]
    assert (_keys(other), _keys(valkey_url)) == ([f"wellread:events:{question.id}"], [])


def test_readyz_and_the_doctor_look_at_its_memory(app: FastAPI, http: TestClient, other: str) -> None:
    services = app.state.services
    services.redis.zadd("wellread:alive:answer", {"here:1": time.time()})
    with redis.Redis.from_url(other) as client:
        allowed = client.config_get("maxmemory")["maxmemory"]
        client.config_set("maxmemory", client.info("memory")["used_memory"])
        try:
            response = http.get("/readyz")
            (found,) = diagnose(services, "events")
        finally:
            client.config_set("maxmemory", allowed)
            services.redis.delete("wellread:alive:answer")
    (said,) = [check for check in response.json()["checks"] if check["name"] == "events"]
    assert (response.status_code, said["ok"], said["detail"][:5]) == (503, False, "full:")
    assert (found.level, found.fix) == ("wrong", said["what_to_do"])
