"""The command line: answers on stdout, progress and errors on stderr, and an exit code a script can use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from api.cli.output import EXIT_UNSURE
from domain import Status
from store.questions.listing import latest
from store.questions.state import Changes, Move
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from workers.services import Services

ROOT = Path(__file__).parents[3]


@pytest.fixture
def url(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An API that the command line is pointed at."""
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


def test_answer_goes_to_stdout_and_progress_to_stderr(url: str, services: Services) -> None:
    page_id = walk.keep_page(services)
    walk.move_soon(services, walk.insufficient(Status.RETRYING), walk.provisional(), walk.answered(page_id))
    result = wellread("ask", "Who built it?")
    assert result.exit_code == 0
    assert "Robert Tallis built it in 1871 [1]." in result.stdout
    assert walk.QUOTE in result.stdout
    assert "https://example.org/tower" in result.stdout
    assert "provisional" in result.stderr
    assert "provisional" not in result.stdout
    assert "\x1b[" not in result.output


def test_json_is_exactly_the_apis_record(url: str, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)))
    result = wellread("ask", "Who built it?", "--json")
    record = json.loads(result.stdout)
    assert record == httpx2.get(f"{url}/api/questions/{record['id']}", trust_env=False).json()


def test_exit_code_distinguishes_not_known_answered_and_error(url: str, services: Services) -> None:
    walk.move_soon(services, walk.abstained())
    result = wellread("ask", "Who wrote it?")
    assert result.exit_code == 3
    assert "That is not known." in result.stdout
    assert "all was read" in result.stdout


def test_unsure_answer_has_an_exit_code_of_its_own_and_the_nearest_passages_apart(url: str, services: Services) -> None:
    walk.move_soon(services, walk.unsure(walk.keep_page(services)))
    result = wellread("ask", "Who built it?")
    assert result.exit_code == EXIT_UNSURE == 4
    assert "Perhaps: Robert Tallis built it" in result.stdout
    answer, _, nearest = result.stdout.partition("Nearest passages, which are no part of the answer:")
    assert ("176 steps" in answer, "- The tower › Steps" in nearest) == (False, True)


def test_failed_question_is_an_error(url: str, services: Services) -> None:
    walk.move_soon(services, Move(to=Status.FAILED, outcome="failed", changes=Changes(error="the disk is full")))
    result = wellread("ask", "Who?")
    assert result.exit_code == 1
    assert "the disk is full" in result.stdout


#: arguments, exit code, a piece of what is said
WRONG = [
    (["ask", ""], 1, "empty"),
    (["ask", "x" * 100_000], 1, "100,000 characters"),
    (["ask", "Why?", "--site", "http://127.0.0.1:8123/"], 1, "--own"),
    (["ask", "Why?", "--site", "file:///etc/passwd"], 1, "file:///etc/passwd"),
    (["ask", "Why?", "--own"], 2, "--site"),
    (["ask"], 2, "Give either a QUESTION"),
    (["ask", "Why?", "--wait", "0"], 2, "--wait"),
    (["ask", "Why?", "--cycles", "99"], 2, "--cycles"),
    (["ask", "Why?", "--strategy", "guess"], 2, "--strategy"),
    (["read"], 2, "Missing argument"),
    (["read", "gopher://example.org"], 1, "gopher"),
    (["read", "./manual.pdf"], 2, "wellread add ./manual.pdf"),
    (["read", "/etc"], 2, "wellread add /etc"),
    (["read", ""], 2, "A URL is empty"),
    (["add", __file__, "--every", "5m"], 1, "--every is for a folder"),
    (["add", "/dev/null"], 1, "neither a file nor a folder"),
    (["source", "add", "http://10.0.0.1/"], 1, "not public"),
    (["source", "remove", "https://example.org"], 1, "source list"),
    (["worker", "nonsense"], 1, "answer, crawl, embed, model, upkeep"),
    (["nonsense"], 2, "No such command"),
]


@pytest.mark.parametrize(("arguments", "code", "said"), WRONG, ids=lambda value: str(value)[:40])
def test_what_cannot_be_done_is_said_in_one_line(url: str, arguments: list[str], code: int, said: str) -> None:
    result = wellread(*arguments)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        assert len(result.stderr.strip().splitlines()) == 1


#: a setting, its value, a piece of what is said
UNUSABLE = [
    ("DATABASE_URL", "nonsense", "not a URL of a database"),
    ("DATABASE_URL", "mysql://me:secret@127.0.0.1/w", "mysql is not supported"),
    ("DATABASE_URL", "postgresql://me:secret@127.0.0.1:9/w", "does not answer"),
    ("DATABASE_URL", "sqlite:////proc/nowhere/w.db", "cannot be"),
    ("REDIS_URL", "nonsense", "not a URL of a Redis"),
    ("REDIS_URL", "redis://127.0.0.1:notaport", "not a URL of a Redis"),
]


@pytest.mark.parametrize("command", ["status", "doctor"])
@pytest.mark.parametrize(("name", "value", "said"), UNUSABLE, ids=lambda value: str(value)[:40])
def test_database_or_redis_that_cannot_be_used_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, command: str, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"WELLREAD_{name}", value)
    result = wellread(command)
    assert result.exit_code == 1
    assert said in result.output
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)
    assert "secret" not in result.output
    if command != "doctor":
        assert len(result.stderr.strip().splitlines()) == 1


def test_doctor_finds_nothing_wrong_before_the_first_start_and_creates_nothing() -> None:
    seen = wellread("doctor")
    assert (seen.exit_code, "wrong" in seen.output) == (0, False)
    assert "where to read: 0 sites, 1 search engine" in seen.output
    assert not Path(os.environ["WELLREAD_DATA_DIR"], "wellread.db").exists()


def test_doctor_names_a_misspelt_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_API_PROT", "9000")
    assert "WELLREAD_API_PROT is not a setting; did you mean WELLREAD_API_PORT?" in " ".join(
        wellread("doctor").output.split()
    )


def test_up_and_the_doctor_say_that_the_redis_they_were_given_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_REDIS_URL", "redis://127.0.0.1:9")
    seen = wellread("doctor")
    assert (seen.exit_code, "correct WELLREAD_REDIS_URL" in seen.output) == (1, True)
    result = wellread("up", "--port", "0", "--no-flower")
    assert result.exit_code == 1
    *waited, said = result.stderr.strip().splitlines()
    assert "Redis at redis://127.0.0.1:9 does not answer" in said
    assert "Starting: Redis …" in waited


def test_nobody_at_the_address_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_API_URL", "http://127.0.0.1:9")
    result = wellread("ask", "Why?")
    assert result.exit_code == 1
    assert "wellread up" in result.stderr


def test_wrong_key_says_which_setting_is_meant(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic import SecretStr

    from api.app import create_app

    services.settings = services.settings.model_copy(update={"api_keys": (SecretStr("ask:right"),)})
    with serving(create_app(services)) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        monkeypatch.setenv("WELLREAD_API_KEY", "wrong")
        result = wellread("ask", "Why?")
    assert result.exit_code == 1
    assert "WELLREAD_API_KEYS" in result.stderr


def test_a_setting_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_API_PORT", "many")
    result = wellread("status")
    assert result.exit_code == 1
    assert "WELLREAD_API_PORT" in result.stderr


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_API_PORT", "many")
    assert "Traceback" in wellread("--debug", "status").stderr


def test_source_is_added_listed_and_removed_in_this_database(here: Services) -> None:
    assert wellread("source", "add", "http://127.0.0.1:8123", "--own", "--delay", "0.5").exit_code == 0
    assert "http://127.0.0.1:8123/" in wellread("source", "list").stdout
    assert wellread("source", "remove", "http://127.0.0.1:8123").exit_code == 0
    assert "8123" not in wellread("source", "list").stdout


def test_keys_of_the_api_do_not_lock_the_operator_of_this_machine_out(
    here: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLREAD_API_KEYS", "ask:secret")
    monkeypatch.setenv("WELLREAD_API_HOST", "0.0.0.0")
    assert wellread("source", "add", "http://127.0.0.1:8123", "--own").exit_code == 0


def test_error_in_this_database_is_said_in_one_line(here: Services) -> None:
    result = wellread("reads", "show", "77")
    assert result.exit_code == 1
    assert result.stderr.strip() == "wellread: There is no site read 77: `wellread reads list` shows them."


def test_failed_questions_are_listed_and_started_again(here: Services) -> None:
    question = walk.ask(here, "What broke?")
    walk.move(here, question.id, Move(to=Status.FAILED, outcome="failed", changes=Changes(error="no page")))
    listed = wellread("dead").stdout
    assert question.id in listed
    assert "no page" in listed
    assert wellread("replay", "0" * 32).exit_code == 1
    assert "is ASKED again" in wellread("replay", question.id).stdout


def test_question_that_is_answered_is_not_started_again(here: Services) -> None:
    question = walk.ask(here, "What stays?")
    walk.move(here, question.id, walk.answered(walk.keep_page(here)))
    assert f"{question.id} stays ANSWERED" in wellread("replay", question.id).stdout


def test_status_shows_what_was_asked_last(here: Services) -> None:
    walk.ask(here, "What was asked?")
    result = wellread("status")
    assert result.exit_code == 0, result.output
    assert "What was asked?" in result.stdout


def test_migrate_makes_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(tmp_path / "new"))
    migrated = wellread("migrate")
    assert (migrated.exit_code, migrated.stdout.split(",")[0]) == (0, "The tables are at the latest revision")
    assert (tmp_path / "new" / "wellread.db").is_file()


def test_api_without_a_key_serves_no_other_address(here: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_API_HOST", "0.0.0.0")
    result = wellread("api")
    assert result.exit_code == 1
    assert "WELLREAD_API_KEYS" in result.stderr


def test_port_in_use_is_said_with_the_setting_that_changes_it(
    here: Services, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLREAD_API_PORT", url.rpartition(":")[2])
    result = wellread("api")
    assert result.exit_code == 1
    assert "WELLREAD_API_PORT" in result.stderr


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, api.cli.main; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {
        "celery",
        "fastapi",
        "httpx2",
        "lancedb",
        "numpy",
        "pydantic",
        "redis",
        "scipy",
        "sklearn",
        "sqlalchemy",
        "workers",
        "pipeline",
    }
    assert not heavy & set(loaded.stdout.split())


@pytest.mark.parametrize("arguments", [["--help"], ["version"], ["source", "list"]])
def test_closed_pipe_prints_no_error(here: Services, arguments: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "api", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert done.stderr == ""


def test_interrupt_stops_the_question_and_ends_quietly(url: str, services: Services) -> None:
    command = [sys.executable, "-X", "faulthandler", "-m", "api", "ask", "Who waits?"]
    # a shell that starts the tests in the background has them, and so their children, ignore Ctrl-C
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as asking:
        signal.signal(signal.SIGINT, kept)
        assert asking.stderr is not None
        assert "phase 1" in asking.stderr.readline()
        asking.send_signal(signal.SIGINT)
        try:
            _, said = asking.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            asking.send_signal(signal.SIGABRT)  # faulthandler tells where it hangs
            pytest.fail(asking.communicate()[1])
    assert asking.returncode == 130
    assert said.strip() == ""
    with services.database.read() as session:
        assert latest(session)[0].status == Status.CANCELLED
