"""Learning over HTTP and on the command line: learn now, show it, go back to what is shipped."""

from __future__ import annotations

import asyncio
import json

from click.testing import Result
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from tests.api.cli.command import wellread
from tests.api.conftest import LOCAL, serving
from tests.workers.judged_answers import put_history
from wellread import AsyncClient, Client
from workers.services import Services
from workers.settings import Settings


def run(*arguments: str) -> Result:
    result = wellread("learn", *arguments)
    assert result.exit_code == 0, result.output
    return result


def test_command_says_that_there_is_nothing_to_learn_from(placed: Services) -> None:
    assert "Nothing to learn from yet" in run().stdout


def test_command_learns_and_shows_how_and_resets(placed: Services) -> None:
    put_history(placed)
    put_history(placed, 3, lang="de")
    lines = run().stdout.splitlines()
    assert lines[0].startswith("de (de), hashing: too few")
    english = next(at for at, line in enumerate(lines) if line == "en (en), hashing: in use")
    (learned,) = placed.learned.now().values()
    assert " wrong, " in lines[english + 1]
    assert lines[english + 2] == f"    intercept {learned.intercept:+.2f}, slope {learned.slope:.2f}"
    assert lines[english + 3].startswith("    log loss 0.")
    assert "en (en), hashing: reset" in run("--reset").stdout
    assert "too few" in run().stdout.splitlines()[-3]


def test_json_is_the_same_from_the_command_line_and_the_api(placed: Services, http: TestClient) -> None:
    put_history(placed)
    assert json.loads(run("--json").stdout) == http.get("/api/learned").json()
    assert json.loads(run("--reset", "--json").stdout) == http.get("/api/learned").json()


def test_api_learns_shows_and_resets(services: Services, http: TestClient) -> None:
    put_history(services)
    (learned,) = http.post("/api/learned").json()
    assert http.get("/api/learned").json() == [learned]
    assert (learned["right"] + learned["wrong"], learned["said"]) == (240, "in use")
    assert learned["loss_after"] < learned["loss_before"]
    (reset,) = http.delete("/api/learned").json()
    assert (reset["intercept"], reset["slope"], reset["said"]) == (0, 1, "reset")


def test_clients_learn_show_and_reset(app: FastAPI, services: Services) -> None:
    put_history(services)

    async def learn_and_reset(url: str) -> list[str]:
        async with AsyncClient(url) as client:
            seen = await client.learn(), await client.learned(), await client.reset_learned()
            return [each.said for (each,) in seen]

    with serving(app) as url, Client(url) as client:
        assert asyncio.run(learn_and_reset(url)) == ["in use", "in use", "reset"]
        (reset,) = client.learned()
        assert reset.since is not None


def test_learning_needs_the_role_that_operates(services: Services) -> None:
    settings = Settings(**{**services.settings.model_dump(), "api_keys": ("ask:a-key-to-ask", "operate:a-key-to-run")})
    keyed = Services(settings)
    with TestClient(create_app(keyed), base_url=LOCAL) as client:
        for method in ("GET", "POST", "DELETE"):
            ask, operate = (
                client.request(method, "/api/learned", headers={"X-API-Key": key}).status_code
                for key in ("a-key-to-ask", "a-key-to-run")
            )
            assert (ask, operate) == (403, 200)
    keyed.database.close()
