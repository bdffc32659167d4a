"""The trace tells every step and every page of a question: over HTTP, by the client and on the command line alike."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from api.cli.ask import trace_lines
from api.cli.main import cli
from api.cli.width import Style
from domain import Question, Status
from store.questions.trace import Step
from store.sql.tables import CandidateRow, QuestionRow
from tests.api import walk
from workers.services import Services

BEGAN = datetime(2026, 11, 3, 10, tzinfo=UTC)
HIT = {"rank": 1, "original_rank": 4, "url": "http://a.example/x", "score": 0.83, "scale": "rerank",
       "similarity": 0.71, "bm25": 12.3, "via": "graph", "query": "q"}  # fmt: skip
LOOKED = {
    "queries": ["Who built it?", "builder"],
    "top": [HIT],
    "verdict": {"sufficient": False, "confidence": 0.31, "judge": "calibrated", "reason": "thin", "missing": ["year"]},
    "seconds": {"embed": 0.01, "search": 0.02},
    "cost": {"model": "m", "input_tokens": 1200, "output_tokens": 400, "usd": 0.0032},
}
SOUGHT = {
    "engines": {"searxng": {"links": 3, "seconds": 0.5, "error": None}, "brave": {"links": 0, "error": "busy"}},
    "candidates": ["http://a.example/y"],
    "cost": {"usd": 0.0},
}
READ = {"url": "http://a.example/y", "bytes": 12345, "origin": "engine:searxng", "score": 0.5, "reason": None}


def step(name: str, outcome: str, detail: dict[str, Any], *, at_s: float = 0.0, took_s: float = 1.0) -> Step:
    started = BEGAN + timedelta(seconds=at_s)
    return Step(
        question_id="q", name=name, cycle=0, attempt=1, outcome=outcome, started_at=started,
        finished_at=started + timedelta(seconds=took_s), seconds=took_s, detail=detail,
    )  # fmt: skip


def test_terminal_shows_queries_hits_with_all_scores_pages_times_and_cost() -> None:
    steps = [
        step("retrieve", "insufficient", LOOKED),
        step("seek", "chosen", SOUGHT, at_s=2.0),
        step("read", "read", READ, at_s=3.5, took_s=0.25),
        step("write", "model failed", {"error": "it does not reply"}, at_s=4.0),
    ]
    shown = trace_lines(steps, Style(width=160))
    assert [line.strip() for line in shown] == [
        "0.00 s  retrieve  insufficient in 1.00 s, $0.0032 (1,200 + 400 tokens)",
        "queries: Who built it? | builder",
        "1. rerank 0.830, similarity 0.710, bm25 12.300, was 4, via graph http://a.example/x",
        "seconds: embed 0.010, search 0.020",
        "not sufficient, 0.31 by calibrated: thin",
        "missing: year",
        "2.00 s  seek      chosen in 1.00 s",
        "engine searxng: 3 links in 0.50 s",
        "engine brave: 0 links in 0.00 s, busy",
        "chosen: http://a.example/y",
        "3.50 s  read      read in 0.25 s http://a.example/y",
        "12,345 bytes, found by engine:searxng, score 0.50",
        "4.00 s  write     model failed in 1.00 s",
        "the model failed: it does not reply",
    ]


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_wider_than_the_terminal_nor_steers_it(width: int) -> None:
    hostile = {**LOOKED, "queries": ["a\x1b[2Jb " * 30], "top": [{**HIT, "url": "http://a.example/" + "x" * 300}]}
    shown = trace_lines([step("retrieve", "insufficient", hostile)], Style(width=width))
    assert all(len(line) <= width for line in shown)
    assert not any("\x1b" in line for line in shown)


def test_question_without_a_finished_step_says_so() -> None:
    assert trace_lines([], Style()) == ["No step is finished yet."]


def read_question(services: Services) -> Question:
    """A question with a look, a page that was read and one that waits."""
    question = walk.ask(services)
    walk.move(services, question.id, walk.insufficient(Status.RETRYING))
    now = services.now()
    with services.database.write() as session:
        for at, outcome in enumerate(("read", None)):
            session.add(
                CandidateRow(
                    question_id=question.id, url=f"http://a.example/{at}", kind="page", score=0.5, depth=0,
                    origin="link", text="", wave=0, status="SETTLED" if outcome else "WAITING", outcome=outcome,
                    bytes=100, elapsed_s=0.25, created_at=now, due_at=now, settled_at=now if outcome else None,
                )
            )  # fmt: skip
    return question


def test_pages_stand_among_the_steps(http: TestClient, services: Services) -> None:
    question = read_question(services)
    steps = http.get(f"/api/questions/{question.id}/trace").json()
    assert sorted(step["name"] for step in steps) == ["read", "retrieve"]
    page = next(step for step in steps if step["name"] == "read")
    assert (page["outcome"], page["seconds"], page["detail"]["bytes"]) == ("read", 0.25, 100)


def test_trace_includes_the_shared_run(http: TestClient, services: Services) -> None:
    leader, follower = read_question(services), walk.ask(services)
    with services.database.write() as session:
        session.get_one(QuestionRow, follower.id).leader_id = leader.id
    steps = http.get(f"/api/questions/{follower.id}/trace").json()
    assert {step["question_id"] for step in steps} == {leader.id}


def test_command_line_gives_what_the_api_gives(
    http: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(services.settings.data_dir))
    question = read_question(services)
    told = CliRunner().invoke(cli, ["trace", question.id, "--json"])
    assert json.loads(told.stdout) == http.get(f"/api/questions/{question.id}/trace").json()
    shown = CliRunner().invoke(cli, ["trace", question.id])
    assert "read in 0.25 s http://a.example/0" in shown.stdout
    unknown = CliRunner().invoke(cli, ["trace", "none"])
    assert unknown.exit_code == 1
    assert "There is no question 'none'" in unknown.stderr
