"""Commands ask the API that runs on this machine's data folder, and make one of their own where none answers."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI

from api.app import InProcess
from api.cli.connect import open_client
from tests.api.conftest import serving
from workers.services import Services
from workers.settings import Settings, load

NOBODY = "http://127.0.0.1:9"


@contextmanager
def up(settings: Settings, api_url: str) -> Iterator[None]:
    """The files of a stack that runs on the data folder."""
    settings.run_dir.mkdir(parents=True, exist_ok=True)
    address = {"pid": 1, "api_url": api_url, "flower_url": ""}
    (settings.run_dir / "up.json").write_text(json.dumps(address))
    with (settings.run_dir / "up.lock").open("ab+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, services: Services) -> None:
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(services.settings.data_dir))


def asks_itself() -> bool:
    with open_client() as client:
        assert client.sources() == []
        return isinstance(client._http._transport, InProcess)


def test_api_of_the_stack_that_runs_here_is_asked(app: FastAPI, services: Services) -> None:
    with serving(app) as url, up(services.settings, url):
        assert not asks_itself()
    assert asks_itself()


def test_api_that_does_not_answer_is_done_without(services: Services) -> None:
    with up(services.settings, NOBODY):
        assert asks_itself()


@pytest.mark.parametrize(("keys", "alone"), [("ask:a-long-secret", True), ("admin:b,ask:a", False)])
def test_key_that_may_not_do_all_does_not_bind_this_machines_commands(
    app: FastAPI, services: Services, monkeypatch: pytest.MonkeyPatch, keys: str, alone: bool
) -> None:
    monkeypatch.setenv("WELLREAD_API_KEYS", keys)
    with serving(app) as url, up(load(), url):
        assert asks_itself() == alone
