"""Flower tells the story of a question: its words, its pages, what came of each step; or, where that is hidden, ids."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.cli.demo.site_server import serve
from tests.live.test_faults import FINAL, _status
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

ASKED = "Who was the first keeper of the lighthouse, and who came after that one?"
DONE = ("retrieve", "seek", "read", "embed", "requery")


def _story(monkeypatch: pytest.MonkeyPatch, folder: Path, **settings: str) -> dict[str, list[dict[str, Any]]]:
    """Ask a question that is answered from a site; return what Flower tells of each task, by its name."""
    set_to = {"WIKIPEDIA": "false", "API_PORT": "0", "FLOWER_PORT": "0", "DATA_DIR": str(folder / "data")} | settings
    for name, value in set_to.items():
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    monkeypatch.setenv("FLOWER_UNAUTHENTICATED_API", "true")
    with (
        serve() as site,
        Stack(load()) as stack,
        httpx2.Client(base_url=stack.address.api_url, timeout=60, trust_env=False) as api,
        httpx2.Client(base_url=stack.address.flower_url, timeout=60, trust_env=False) as flower,
    ):

        def tasks() -> dict[str, list[dict[str, Any]]]:
            try:
                told = flower.get("/api/tasks", params={"limit": 500}).json().values()
            except (httpx2.HTTPError, json.JSONDecodeError):
                return {}
            done = [task for task in told if task["name"] and task["state"] == "SUCCESS"]
            return {name: [task for task in done if task["name"] == f"wellread.{name}"] for name in (*DONE, "sweep")}

        assert wait_until(lambda: bool(tasks().get("sweep")), within_s=120)  # it hears of tasks now
        api.post("/api/sources", json={"url": f"{site.origin}/", "own": True, "min_delay_s": 0.0})
        asked = api.post("/api/questions", json={"question": ASKED}).json()["id"]
        assert wait_until(lambda: _status(api, asked) in FINAL, within_s=240)
        steps = Counter(step["name"] for step in api.get(f"/api/questions/{asked}/trace").json())
        assert set(DONE) - {"read", "embed"} <= set(steps)
        assert wait_until(lambda: all(len(tasks()[name]) >= (steps[name] or 1) for name in DONE), within_s=60), tasks()
        return tasks() | {"asked": [{"id": asked, "origin": site.origin}]}


def test_flower_tells_words_urls_and_outcomes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    story = _story(monkeypatch, tmp_path)
    (asked,) = story.pop("asked")
    for name in ("retrieve", "seek", "requery"):
        assert {task["args"] for task in story[name]} == {f"{ASKED} ({asked['id']})"}
    pages = story["read"] + story["embed"]
    assert all(task["args"].startswith(asked["origin"]) for task in pages)
    assert story["retrieve"][0]["result"].startswith("'not enough: ")
    assert any(" chosen to read" in task["result"] for task in story["seek"])
    assert any("read " in task["result"] for task in story["read"])
    assert any(" passages of " in task["result"] for task in story["embed"])
    assert any(task["result"].startswith(("'answered .", "'unsure .", "'unknown: ")) for task in story["requery"])
    assert {task["result"] for task in story["sweep"]} == {"'done'"}


@pytest.mark.nightly
def test_flower_tells_ids_alone_where_words_are_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    story = _story(monkeypatch, tmp_path, FLOWER_WORDS="false")
    (asked,) = story.pop("asked")
    assert "keeper" not in json.dumps(story)
    assert asked["origin"] not in json.dumps(story)
    assert {task["result"] for done in story.values() for task in done} == {"None"}
    assert {task["args"] for task in story["retrieve"]} == {f"('{asked['id']}',)"}
