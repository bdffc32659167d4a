"""`wellread ask` goes on in a conversation, and takes a form for the answer from a file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi import FastAPI

from api.cli import ask_flow
from api.cli.main import cli
from domain.options import Overrides
from store.questions.listing import latest
from store.questions.state import find
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from wellread.options import Terms
from workers.services import Services

SCHEMA = {"properties": {"builder": {"type": "string"}}}


@pytest.fixture
def url(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An API that the command line is pointed at."""
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


def records(text: str) -> list[dict[str, Any]]:
    """The JSON objects that follow each other in a text."""
    found, at = [], 0
    while (at := text.find("{", at)) >= 0:
        record, at = json.JSONDecoder().raw_decode(text, at)
        found.append(record)
    return found


class Submitted:
    """A client that keeps the terms of what is asked."""

    def submit(self, question: str, **terms: Any) -> str:
        self.terms = terms
        return "an id"

    def events(self, question_id: str) -> Iterator[Any]:
        return iter(())

    def get(self, question_id: str) -> None:
        return None


def test_watched_question_keeps_the_default_deadline() -> None:
    """Its later rounds have the deadline of the first, and nobody waits for them."""
    for watch, sent in ((True, None), (False, 5.0)):
        client = Submitted()
        ask_flow.ask(client, ask_flow.Asking(question="Who?", wait_s=5.0, terms=Terms(watch=watch)), print)
        assert client.terms.get("deadline") == sent


def test_sign_of_a_meaning_without_one_asks_the_same_again() -> None:
    asked = ask_flow.next_question(ask_flow.Asking(question="Who?"), " = ", SimpleNamespace(id="1", thread=None))
    ask_flow.check(asked)
    assert (asked.question, "question_as_understood" in asked.terms) == ("Who?", False)


def test_next_question_of_a_chat_follows_the_one_before(url: str, services: Services) -> None:
    page_id = walk.keep_page(services)
    for text in ("Who built the lighthouse of Skagen?", "When was the lighthouse built (Skagen)?"):
        walk.move_soon(services, walk.answered(page_id), text=text)
    arguments = ["ask", "Who built the lighthouse of Skagen?", "--json", "--chat"]
    result = CliRunner().invoke(cli, arguments, input="And when was it built?\n\n")
    assert result.exit_code == 0, result.output
    first, second = records(result.stdout)
    assert (first["question_as_understood"], second["question"]) == (None, "And when was it built?")
    assert second["question_as_understood"] == "When was the lighthouse built (Skagen)?"
    walk.move_soon(services, walk.answered(page_id), text="Why was the lighthouse built (Skagen)?")
    third = json.loads(wellread("ask", "Why?", "--after", second["id"], "--json").stdout)
    assert third["thread"] == second["thread"] is not None


def test_completed_question_is_shown_and_can_be_said_otherwise(url: str, services: Services) -> None:
    page_id = walk.keep_page(services)
    asked = ("Who built the lighthouse?", "When was the lighthouse built?", "When was the mill built?")
    for text in asked:
        walk.move_soon(services, walk.answered(page_id), text=text)
    lines = "And when was it built?\n= When was the mill built?\n\n"
    result = CliRunner().invoke(cli, ["ask", asked[0], "--thread", "new", "--chat"], input=lines)
    assert result.exit_code == 0, result.output
    said = [line for line in result.stdout.splitlines() if line.startswith("Understood as")]
    assert said == [f"Understood as: {text}" for text in asked[1:]]
    with services.database.read() as session:
        rows = latest(session)
    assert [row.asked for row in rows] == ["And when was it built?"] * 2 + [None]
    assert len({row.thread_id for row in rows}) == 1


def test_batch_is_not_waited_for_unless_that_is_said(url: str, services: Services) -> None:
    accepted = wellread("ask", "Who built the mill?", "--batch")
    assert accepted.exit_code == 0, accepted.output
    question_id = accepted.stdout.strip()
    assert f"wellread export question {question_id}" in accepted.stderr
    with services.database.read() as session:
        question = find(session, question_id)
    assert (question.status, question.overrides.batch) == ("ASKED", True)
    assert json.loads(wellread("ask", "Who built the inn?", "--batch", "--json").stdout)["status"] == "ASKED"
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text="Who built the barn?")
    waited = wellread("ask", "Who built the barn?", "--batch", "--wait", "60")
    assert "Answered in" in waited.stdout


def test_option_says_what_is_to_be_looked_up(url: str, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text="Who built the mill?")
    record = json.loads(wellread("ask", "And who?", "--understood", "Who built the mill?", "--json").stdout)
    assert (record["question"], record["question_as_understood"]) == ("And who?", "Who built the mill?")
    assert wellread("ask", "Who?", "--understood", " ").exit_code == 1


def test_flags_set_their_options(url: str, services: Services, tmp_path: Path) -> None:
    (file := tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    set_ = {
        "--site": "https://example.org/", "--lang": "en", "--thread": "new", "--understood": "Who built the mill?",
        "--exclude": "https://example.org/forum/", "--published-after": "2020-01-31", "--length": "long",
        "--answer-language": "de", "--threshold": "0.5", "--variants": "0", "--top-k": "7", "--schema": str(file),
        "--cycles": "2", "--strategy": "testing", "--wait": "60", "--instructions": "In short steps.",
    }  # fmt: skip
    walk.move_soon(services, walk.answered(walk.keep_page(services)))
    result = wellread(
        "ask",
        "Who?",
        "--json",
        "--no-crawl",
        "--verbatim",
        "--strict",
        *(part for pair in set_.items() for part in pair),
    )
    with services.database.read() as session:
        question = find(session, json.loads(result.stdout)["id"])
    assert question.overrides == Overrides(
        exclude_sites=["https://example.org/forum/"], published_after=datetime(2020, 1, 31, tzinfo=UTC),
        length="long", answer_language="de", threshold=0.5, variants=0, top_k=7, verbatim=True,
        strict=True, instructions="In short steps.",
    )  # fmt: skip
    assert (question.sites, question.langs, question.strategy) == (("https://example.org/",), ("en",), "testing")
    assert (question.text, question.asked, question.answer_schema) == ("Who built the mill?", "Who?", SCHEMA)
    assert (question.crawl_enabled, question.budget.cycles, bool(question.thread_id)) == (False, 2, True)
    assert question.deadline - question.created_at == timedelta(seconds=60)


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [("--variants", "1", "'0', '2', '3'"), ("--top-k", "21", "1<=x<=20"), ("--threshold", "2", "0<=x<=1")],
)
def test_value_that_a_flag_does_not_take_is_refused_before_anything_is_asked(
    url: str, services: Services, flag: str, value: str, said: str
) -> None:
    result = wellread("ask", "Who?", flag, value)
    assert (result.exit_code, flag in result.stderr, said in result.stderr) == (2, True, True)
    with services.database.read() as session:
        assert latest(session) == []


def test_schema_is_read_from_a_file_and_sent(url: str, services: Services, tmp_path: Path) -> None:
    (file := tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    walk.move_soon(services, walk.answered(walk.keep_page(services)))
    record = json.loads(wellread("ask", "Who built it?", "--schema", str(file), "--json").stdout)
    with services.database.read() as session:
        assert find(session, record["id"]).answer_schema == SCHEMA


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("[]", 2, "no JSON object"),
        ("{", 2, "not JSON"),
        ("\xff", 2, "not JSON"),
        ("{}", 1, "no field"),
        ('{"properties": {"x": {"type": "elephant"}}}', 1, "answer_schema/x/type"),
    ],
)
def test_schema_that_nobody_can_fill_says_what_is_wrong(
    url: str, tmp_path: Path, content: str, code: int, said: str
) -> None:
    (file := tmp_path / "schema.json").write_text(content, encoding="latin-1")
    result = wellread("ask", "Who built it?", "--schema", str(file))
    assert (result.exit_code, said in result.stderr, result.stdout) == (code, True, "")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("named", [(), ("--collection", "apart")])
def test_site_of_ones_own_that_was_mistyped_can_be_taken_out_by_the_command_that_is_named(
    url: str, services: Services, named: tuple[str, ...]
) -> None:
    wellread("collections", "add", "apart")
    walk.move_soon(services.of("apart") if named else services, walk.abstained())
    result = wellread("ask", "Who wrote it?", "--site", "http://127.0.0.1:9/manul?a=1&b=2", "--own", *named)
    assert result.exit_code == 3
    [command] = re.findall("`(wellread source remove [^`]+)`", result.stderr)
    assert "manul" in wellread("source", "list", *named).stdout
    assert wellread(*shlex.split(command)[1:]).exit_code == 0
    assert "manul" not in wellread("source", "list", *named).stdout


def test_site_of_ones_own_that_was_read_before_is_not_doubted(url: str, services: Services) -> None:
    walk.keep_page(services)
    walk.move_soon(services, walk.abstained())
    result = wellread("ask", "Who wrote it?", "--site", "https://example.org/", "--own")
    assert (result.exit_code, "source remove" in result.stderr) == (3, False)


def test_file_of_a_schema_that_is_not_there_is_named(url: str) -> None:
    result = wellread("ask", "Who built it?", "--schema", "/nowhere.json")
    assert (result.exit_code, "/nowhere.json" in result.stderr) == (2, True)
