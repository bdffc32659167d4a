"""What is stored is listed, shown, exported, taken over and deleted on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import select

from domain import ReadOutcome
from store.pages import history, pages
from store.sql.tables import PageRow
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import indexed, serving
from wellread import Client
from workers.services import Services


@pytest.fixture(autouse=True)
def url(app: FastAPI, monkeypatch: pytest.MonkeyPatch, services: Services) -> object:
    """An API that the command line is pointed at, with the services' own data folder."""
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(services.settings.data_dir))
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


def test_version_is_printed_in_either_way() -> None:
    assert wellread("--version").stdout == wellread("version").stdout
    assert wellread("--version").stdout.startswith("wellread ")


def test_pages_are_listed_with_their_state_and_how_to_go_on(services: Services) -> None:
    walk.keep_page(services, "https://example.org/a")
    with services.database.write() as session:
        session.scalars(select(PageRow)).one().state = "INDEXED"
    said = wellread("pages", "list").stdout
    assert said.startswith("held ")
    assert "https://example.org/a  The tower" in said
    assert "More: --after https://example.org/a" in wellread("pages", "list", "--limit", "1").stdout
    assert "None match" in wellread("pages", "list", "--after", "https://example.org/a").stdout
    assert "None match" in wellread("pages", "list", "--not-read").stdout
    assert "None match" in wellread("pages", "list", "--kind", "file", "--since", "2020-01-01").stdout
    (page,) = json.loads(wellread("pages", "list", "--site", "example.org", "--json").stdout)
    assert (page["url"], page["state"]) == ("https://example.org/a", "held")
    unknown = wellread("pages", "list", "--source", "example.org")
    assert (unknown.exit_code, "not among the sources" in unknown.stderr) == (1, True)


def test_page_that_the_last_look_did_not_read_is_listed_with_since_when_and_why(services: Services) -> None:
    page_id, now = walk.keep_page(services), services.now()
    walk.keep_page(services, "https://example.org/held")
    with services.database.write() as session:
        for row in session.scalars(select(PageRow)):
            row.state, row.duplicate_of = "INDEXED", None
        pages.mark_missed(session, page_id, now, ReadOutcome.WALL, due_at=None)
        history.add(
            session,
            page_id,
            outcome=ReadOutcome.WALL,
            status=200,
            content_hash="h",
            reason="not read: login page",
            now=now,
        )
    listed = wellread("pages", "list", "--stale").stdout
    assert listed.startswith("stale ")
    assert ("/tower" in listed, "/held" in listed) == (True, False)
    (page,) = json.loads(wellread("pages", "list", "--stale", "--json").stdout)
    assert (page["state"], page["reason"], page["stale_since"]) == ("stale", "not read: login page", page["checked_at"])
    for said in (listed, wellread("pages", "show", "example.org/tower").stdout):
        assert re.search(r"not read since \d{4}-\d\d-\d\d \d\d:\d\d: login page", said)


def test_versions_of_a_page_are_listed_and_shown(services: Services) -> None:
    walk.keep_page(services)
    assert "   1  read " in wellread("pages", "versions", "example.org/tower").stdout
    shown = wellread("pages", "show", "example.org/tower", "--version", "1").stdout
    assert "text number 1" in shown
    assert walk.QUOTE in shown
    missing = wellread("pages", "show", "example.org/tower", "--version", "2")
    assert (missing.exit_code, "Text 2 of page 1 is not kept" in missing.stderr) == (1, True)


def test_answer_is_exported_to_the_terminal_or_a_file(services: Services, tmp_path: Path) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.answered(walk.keep_page(services)))
    assert walk.QUOTE in wellread("export", "question", question.id).stdout
    target = tmp_path / "answer.html"
    assert wellread("export", "question", question.id, "--format", "html", "--output", str(target)).stdout == ""
    assert target.read_text().startswith("<!doctype html>")
    nowhere = wellread("export", "question", question.id, "--output", str(tmp_path / "no" / "x.md"))
    assert (nowhere.exit_code, "No such file" in nowhere.stderr) == (1, True)
    unknown = wellread("export", "question", "0" * 32)
    assert (unknown.exit_code, "no question" in unknown.stderr) == (1, True)


def test_thread_is_exported_to_the_terminal_or_a_file(services: Services, tmp_path: Path) -> None:
    thread = "0123456789abcdef" * 2
    for question in ("Who built the lighthouse?", "And the mill?"):
        walk.ask_in(services, thread, question)
    said = wellread("export", "thread", thread).stdout
    assert said.index("## Who built the lighthouse?") < said.index("## And the mill?")
    target = tmp_path / "thread.html"
    assert wellread("export", "thread", thread, "--format", "html", "--output", str(target)).stdout == ""
    assert "<h2>And the mill?</h2>" in target.read_text()
    unknown = wellread("export", "thread", "0" * 32)
    assert (unknown.exit_code, "no thread" in unknown.stderr) == (1, True)


def test_what_is_known_is_exported_and_taken_over(services: Services, tmp_path: Path) -> None:
    walk.keep_page(services)
    target = str(tmp_path / "known.zip")
    assert "0 sources and 1 page." in wellread("export", "knowledge", target, "--site", "example.org").stdout
    with indexed(services, 1):
        assert wellread("delete", "https://example.org/tower").exit_code == 0
    assert "pages: 1 new, 0 with a later text, 0 known already" in wellread("import", target).stdout
    assert "pages: 0 new, 0 with a later text, 1 known already" in wellread("import", target).stdout
    Path(target).write_bytes(b"x")
    refused = wellread("import", target)
    assert (refused.exit_code, "was not written by `wellread export`" in refused.stderr) == (1, True)
    missing = wellread("import", "/nowhere")
    assert (missing.exit_code, "cannot be read" in missing.stderr) == (1, True)


def test_threads_are_listed_searched_shown_renamed_and_deleted(url: str) -> None:
    assert "No thread found" in wellread("threads", "list").stdout
    with Client(url) as client:
        thread_id = client.get(client.submit("Who built the lighthouse?", thread="new")).thread or ""
        client.submit("And the harbour?", thread=thread_id)
    assert wellread("threads", "list").stdout.split()[0] == thread_id
    assert "No thread found" in wellread("threads", "list", "--words", "submarine").stdout
    shown = wellread("threads", "show", thread_id).stdout
    assert "2 questions" in shown
    assert "  = Who built the harbour?" in shown
    assert "is called: Towers" in wellread("threads", "rename", thread_id, "Towers").stdout
    assert json.loads(wellread("threads", "list", "--words", "Towers", "--json").stdout)[0]["title"] == "Towers"
    assert wellread("threads", "delete", thread_id).exit_code == 1
    assert "is deleted" in wellread("threads", "delete", thread_id, "--yes").stdout
    gone = wellread("threads", "show", thread_id)
    assert (gone.exit_code, "`wellread threads list`" in gone.stderr) == (1, True)
