"""Learning over HTTP and on the command line: learn now, list, go back."""

from __future__ import annotations

import asyncio
import json
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
from workers.services import Services
from workers.settings import Settings


def run(*arguments: str) -> Result:
    return wellread("learn", *arguments)


def in_use(services: Services) -> list[tuple[str, int]]:
    with services.database.read() as session:
        return sorted((version.kind, version.number) for version in versions.active(session))


def test_learning_says_what_was_refitted_and_what_was_not_and_why(placed: Services) -> None:
    put_history(placed)
    said = run()
    assert said.exit_code == 0
    assert "judge for hashing: version 1, in use now" in said.stdout
    assert "log loss" in said.stdout
    assert "reranker: stays as it is" in said.stdout
    assert "too few answers were judged" in said.stdout
    assert in_use(placed) == [("judge", 1)]


def test_list_shows_versions_with_figures_and_which_is_in_use(placed: Services) -> None:
    assert "Nothing was learned yet" in run("list").stdout
    put_history(placed)
    run()
    listed = run("list").stdout
    assert "judge 1" in listed
    assert "240 examples  hashing  in use" in listed
    assert "pinned AUROC" in listed
    assert "Last tried:" in listed


@pytest.mark.parametrize("version", [(), ("shipped",), ("0",), ("9",), ("x",)])
def test_rollback_goes_to_what_is_named_and_to_nothing_else(placed: Services, version: tuple[str, ...]) -> None:
    put_history(placed)
    run()
    said = run("rollback", "judge", *version)
    if version in ((), ("shipped",)):
        assert (said.exit_code, said.stdout) == (0, "In use of the judge: what is shipped.\n")
        assert in_use(placed) == []
        assert "stays as it was put back" in run("list").stdout
    else:
        assert said.exit_code != 0
        assert in_use(placed) == [("judge", 1)]


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
