"""Replies are stored by hash, fit their request, and come back as the API gives them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evals.model.__main__ import main
from evals.model.replay import read_missing, save_missing
from evals.model.replies import STORED, Replies, ReplyError
from evals.model.requests import KINDS, Request, request_of
from tests.evals.model.bodies import answer_body, verdict_body

ANSWER = [{"text": "It was built by Ada Ferrier.", "cites": [[0, 0, 1]]}, {"text": " When, is not said."}]
VERDICT = {"sufficient": True}


@pytest.fixture
def answer() -> Request:
    return request_of(answer_body(), {}, date(2026, 11, 26))


@pytest.fixture
def verdict() -> Request:
    return request_of(verdict_body(), {}, date(2026, 11, 26))


def test_replies_are_found_again(answer: Request, verdict: Request, tmp_path: Path) -> None:
    replies = Replies(tmp_path)
    replies.add(answer, "sea-1", ANSWER)
    replies.add(verdict, "sea-1", VERDICT)
    replies.save()
    again = Replies(tmp_path)
    assert len(again) == 2
    found, judged = again.get(answer), again.get(verdict)
    assert found
    assert judged
    assert found.text == "It was built by Ada Ferrier. When, is not said."
    assert found.parts[0].cites == ((0, 0, 1),)
    assert judged.fields == VERDICT


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param([{"text": "Yes.", "cites": [[1, 0, 1]]}], "no search result 1", id="result"),
        pytest.param([{"text": "Yes.", "cites": [[0, 1, 3]]}], "no 1 to 3", id="block"),
        pytest.param([{"text": "Yes.", "cites": [[0, 1, 1]]}], "no 1 to 1", id="no block"),
        pytest.param([{"cites": []}], "has a", id="no text"),
        pytest.param("Yes.", "list of parts", id="text alone"),
        pytest.param([], "list of parts", id="nothing"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(answer: Request, tmp_path: Path, written: Any, fault: str) -> None:
    with pytest.raises(ReplyError, match=fault):
        Replies(tmp_path).add(answer, "sea-1", written)


@pytest.mark.parametrize("written", [{}, {"sufficient": True, "sure": 1}, [], "true"])
def test_json_that_does_not_fit_is_refused(verdict: Request, tmp_path: Path, written: Any) -> None:
    with pytest.raises(ReplyError):
        Replies(tmp_path).add(verdict, "sea-1", written)


def test_what_was_missing_is_written_added_and_found(answer: Request, verdict: Request, tmp_path: Path) -> None:
    missing, into, stored = tmp_path / "missing", tmp_path / "to-write", tmp_path / "replies"
    for request in (answer, verdict):
        save_missing(request, "sea-1", missing)
    assert read_missing(missing / f"{answer.hash}.json") == (answer, "sea-1")
    where = ["--missing", str(missing), "--stored", str(stored)]
    told = CliRunner().invoke(main, ["missing", "--into", str(into), *where])
    assert answer.hash in told.output
    assert (into / f"{verdict.hash}.txt").read_text("utf-8") == verdict.readable()
    (into / f"{answer.hash}.json").write_text(json.dumps(ANSWER), "utf-8")
    (into / "others.json").write_text(json.dumps({verdict.hash: VERDICT}), "utf-8")
    assert "Stored 2 replies" in CliRunner().invoke(main, ["add", str(into), *where]).output
    assert Replies(stored).get(answer)
    assert answer.hash not in CliRunner().invoke(main, ["missing", "--into", str(into), *where]).output


def test_a_reply_that_does_not_fit_is_named_and_the_others_are_stored(
    answer: Request, verdict: Request, tmp_path: Path
) -> None:
    missing, stored = tmp_path / "missing", tmp_path / "replies"
    for request in (answer, verdict):
        save_missing(request, "sea-1", missing)
    (tmp_path / "all.json").write_text(json.dumps({answer.hash: ANSWER, verdict.hash: {}, "0" * 20: {}}), "utf-8")
    told = CliRunner().invoke(main, ["add", str(tmp_path), "--missing", str(missing), "--stored", str(stored)])
    assert told.exit_code == 1
    assert verdict.hash in told.output
    assert "no such request" in told.output
    assert len(Replies(stored)) == 1


def test_replies_that_no_run_uses_are_dropped(answer: Request, verdict: Request, tmp_path: Path) -> None:
    replies = Replies(tmp_path)
    replies.add(answer, "sea-1", ANSWER)
    replies.add(verdict, "sea-1", VERDICT)
    replies.save()
    (tmp_path / "used.json").write_text(json.dumps([answer.hash]), "utf-8")
    CliRunner().invoke(main, ["prune", "--used", str(tmp_path / "used.json"), "--stored", str(tmp_path)])
    assert Replies(tmp_path).get(answer)
    assert Replies(tmp_path).get(verdict) is None


def test_the_stored_replies_are_small() -> None:
    questions = STORED.with_name("questions.jsonl")
    files = [file for kind in KINDS if (file := STORED / f"{kind}.jsonl").is_file()]
    assert sum(file.stat().st_size for file in (questions, *files)) < 1_500_000
