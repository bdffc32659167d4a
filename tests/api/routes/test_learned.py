"""Learning over HTTP and on the command line: learn now, list, go back."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from store.learned import versions
from tests.api.cli.command import wellread
from tests.api.conftest import LOCAL, serving
from tests.workers.learning.judged_answers import put_history
from wellread import AsyncClient, Client, Refused
from wellread.learned_records import VersionOut
from workers.learning import refit
from workers.services import Services
from workers.settings import Settings, load


def run(*arguments: str) -> Result:
    return wellread("learn", *arguments)


@pytest.fixture(scope="module")
def learned_file(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path, valkey_url: str) -> Path:
    """Return a database in which feedback was given, and a first version of the judge learned from it."""
    folder = tmp_path_factory.mktemp("learned")
    shutil.copy(migrated_file, folder)
    services = Services(load(data_dir=folder, redis_url=valkey_url))
    put_history(services)
    refit.learn(services, by_hand=True)
    services.database.close()
    services.redis.close()
    return folder / migrated_file.name


@pytest.fixture
def learned(placed: Services, learned_file: Path) -> Services:
    """Put what was learned into the database of the command line."""
    with (
        closing(sqlite3.connect(learned_file)) as source,
        closing(sqlite3.connect(placed.settings.data_dir / learned_file.name)) as target,
    ):
        source.backup(target)
    return placed


def in_use(services: Services) -> list[tuple[str, int]]:
    with services.database.read() as session:
        return sorted((version.kind, version.number) for version in versions.active(session))


def test_learning_reports_what_was_refitted_and_why_the_rest_was_not(placed: Services) -> None:
    put_history(placed)
    result = run()
    assert result.exit_code == 0
    assert "judge for hashing: version 1, in use now" in result.stdout
    assert "log loss" in result.stdout
    assert "reranker: stays as it is" in result.stdout
    assert "too few answers were judged" in result.stdout
    assert in_use(placed) == [("judge", 1)]


def test_list_is_empty_before_the_first_learning(placed: Services) -> None:
    assert "Nothing learned yet" in run("list").stdout


def test_list_shows_versions_with_figures_and_which_is_in_use(learned: Services) -> None:
    output = run("list").stdout
    assert "judge 1" in output
    assert "240 examples  hashing  in use" in output
    assert "pinned AUROC" in output
    assert "Last tried:" in output


@pytest.mark.parametrize("version", [(), ("shipped",), ("0",), ("9",), ("x",)])
def test_rollback_goes_to_the_named_version_alone(learned: Services, version: tuple[str, ...]) -> None:
    result = run("rollback", "judge", *version)
    if version in ((), ("shipped",)):
        assert (result.exit_code, result.stdout) == (0, "In use of the judge: what is shipped.\n")
        assert in_use(learned) == []
        assert "rolled back; stays until" in run("list").stdout
    else:
        assert result.exit_code != 0
        assert in_use(learned) == [("judge", 1)]


def test_json_is_the_same_from_the_command_line_and_the_api(placed: Services, http: TestClient) -> None:
    put_history(placed)
    lessons = json.loads(run("--json").stdout)
    assert {lesson["kind"]: lesson["version"] for lesson in lessons} == {"judge": 1, "reranker": None, "variants": None}
    assert json.loads(run("list", "--json").stdout) == http.get("/api/learned").json()
    again: list[dict[str, Any]] = json.loads(run("rollback", "judge", "1", "--json").stdout)
    assert [(version["number"], version["active"]) for version in again] == [(1, True)]


def test_api_learns_lists_and_goes_back(services: Services, http: TestClient) -> None:
    put_history(services)
    assert [lesson["version"] for lesson in http.post("/api/learned").json()] == [1, None, None]
    (version,) = http.get("/api/learned").json()["versions"]
    assert (version["kind"], version["active"], version["examples"]) == ("judge", True, 240)
    assert version["metrics"]["en"]["log loss"]["after"] < version["metrics"]["en"]["log loss"]["before"]
    assert http.post("/api/learned/judge/rollback").json() == []
    assert [each["number"] for each in http.post("/api/learned/judge/rollback", json={"version": 1}).json()] == [1]
    missing = http.post("/api/learned/judge/rollback", json={"version": 5})
    assert (missing.status_code, missing.json()["title"]) == (404, "No such version")
    assert http.post("/api/learned/weather/rollback").status_code == 422


def test_clients_learn_list_and_go_back(app: FastAPI, services: Services) -> None:
    put_history(services)

    async def list_and_go_back(url: str) -> tuple[list[int], list[VersionOut]]:
        async with AsyncClient(url) as client:
            await client.learn()
            return [each.number for each in (await client.learned()).versions], await client.rollback("judge")

    with serving(app) as url, Client(url) as client:
        assert [lesson.version for lesson in client.learn()] == [1, None, None]
        (version,) = client.learned().versions
        assert (version.kind, version.active, version.examples) == ("judge", True, 240)
        assert client.rollback("judge", 0) == []
        assert [each.number for each in client.rollback("judge", 1)] == [1]
        with pytest.raises(Refused, match="No such version"):
            client.rollback("judge", 5)
        numbers, in_use_then = asyncio.run(list_and_go_back(url))
    assert numbers[-1] == 1
    assert [each.number for each in in_use_then] == numbers[1:][:1]


def test_learning_needs_the_role_that_operates(services: Services) -> None:
    settings = Settings(**{**services.settings.model_dump(), "api_keys": ("ask:a-key-to-ask", "operate:a-key-to-run")})
    keyed = Services(settings)
    with TestClient(create_app(keyed), base_url=LOCAL) as client:
        for method, path in (("GET", ""), ("POST", ""), ("POST", "/judge/rollback")):
            ask, operate = (
                client.request(method, f"/api/learned{path}", headers={"X-API-Key": key}).status_code
                for key in ("a-key-to-ask", "a-key-to-run")
            )
            assert (ask, operate) == (403, 404 if "rollback" in path else 200)
    keyed.database.close()
