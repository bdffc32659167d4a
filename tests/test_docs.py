"""What the documents show is run or parsed, and what they say of the code is compared with it."""

from __future__ import annotations

import ast
import hashlib
import hmac
import json
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import httpx2
import pytest
from fastapi import FastAPI

from api import reference
from api.app import create_app
from api.cli import cli
from evals.__main__ import main as evals
from store.database import migrate
from store.tables import QuestionRow
from store.types import Status
from tests.api import walk
from tests.api.conftest import serving
from workers.app import QUEUES
from workers.intake import Payload
from workers.notify import sign
from workers.services import Services
from workers.settings import Settings, load

ROOT = Path(__file__).parent.parent
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))}

API = "http://127.0.0.1:8484"
BROKER = "redis://127.0.0.1:6379/0"
#: what stands before a command in a line of shell
ASSIGNED = re.compile(r"[A-Z_]+=.*")
#: names that look like environment variables and are none
NOT_VARIABLES = {"QUESTION_ID", "TIMED_OUT"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def blocks(*languages: str) -> list[Block]:
    """All fenced blocks in one of the languages."""
    found = []
    for name, path in PAGES.items():
        text = path.read_text("utf-8")
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(name, line, match[1], match[2]))
    return [block for block in found if block.language in languages]


def commands(block: Block) -> Iterator[list[str]]:
    """The commands of a block of shell, without comments and assignments before them."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["export"]:
            assert all(ASSIGNED.fullmatch(word) for word in words[1:]), line
            continue
        while words and ASSIGNED.fullmatch(words[0]):
            words = words[1:]
        if words:
            yield words


def every_command(program: str) -> list[Any]:
    found = [(block, words) for block in blocks("sh") for words in commands(block) if words[0] == program]
    return [pytest.param(words, id=f"{block} {' '.join(words[:3])}") for block, words in found]


# What is generated


def test_generated_parts_are_what_the_code_says_now() -> None:
    parts = reference.every_part()
    stale = [name for name, path in PAGES.items() if reference.filled(text := path.read_text("utf-8"), parts) != text]
    assert stale == [], "run `make docs`"


def test_every_generated_part_has_its_place() -> None:
    placed = [
        name
        for path in PAGES.values()
        for name in re.findall(r"<!-- generated: (\w+) -->\n[^<]", path.read_text("utf-8"))
    ]
    assert sorted(placed) == sorted(reference.every_part())


def test_generated_parts_do_not_depend_on_the_settings_of_whoever_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    before = reference.every_part()
    for name, value in (("API_HOST", "0.0.0.0"), ("API_KEYS", "admin:my-own"), ("MAX_PAGES", "7"), ("DATA_DIR", "/x")):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    assert reference.every_part() == before


def test_a_part_that_nobody_writes_is_an_error() -> None:
    with pytest.raises(reference.UnknownPart, match="'weather'"):
        reference.filled("<!-- generated: weather -->\n<!-- end -->", {"settings": "…"})


def test_table_shows_every_setting_with_its_default_and_bounds() -> None:
    rows = reference.settings_table(Settings).splitlines()[2:]
    assert len(rows) == len(Settings.model_fields)
    assert "| `WELLREAD_API_PORT` | whole number, ≥ 0, ≤ 65,535 | `8484` |" in next(r for r in rows if "API_PORT" in r)
    assert "| secret |" in next(r for r in rows if "ANTHROPIC_API_KEY" in r)


def test_command_reference_holds_every_command() -> None:
    written = reference.command_reference(cli, "wellread")
    for name, command in cli.commands.items():
        assert f"## `wellread {name}`" in written
        assert (command.help or "").split(".")[0][:40] in " ".join(written.split())


# Shell


def test_shell_blocks_hold_only_programs_that_are_checked() -> None:
    programs = {words[0] for block in blocks("sh") for words in commands(block)}
    assert programs == {"wellread", "make", "curl", "pip", "docker", "python"}


@pytest.mark.parametrize("words", every_command("wellread"))
def test_wellread_takes_this_command_line(words: list[str]) -> None:
    command: click.Command = cli
    parent, arguments = None, words[1:]
    while isinstance(command, click.Group):
        context = command.make_context(command.name, list(arguments), parent=parent)
        if command.invoke_without_command and not [*context._protected_args, *context.args]:
            return
        name, found, arguments = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None, name
        command, parent = found, context
    command.make_context(command.name, list(arguments), parent=parent)


@pytest.mark.parametrize("words", every_command("python"))
def test_evals_take_this_command_line(words: list[str]) -> None:
    assert words[:3] == ["python", "-m", "evals"]
    command = evals.commands[words[3]]
    command.make_context(words[3], words[4:])


@pytest.mark.parametrize("words", every_command("make"))
def test_make_has_this_target(words: list[str]) -> None:
    planned = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert planned.returncode == 0, planned.stderr


def test_targets_named_in_prose_exist() -> None:
    named = {name for path in PAGES.values() for name in re.findall(r"`make ([a-z-]+)`", path.read_text("utf-8"))}
    assert named <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_commands_named_in_prose_exist() -> None:
    named = {name for path in PAGES.values() for name in re.findall(r"`wellread ([a-z]+)", path.read_text("utf-8"))}
    assert named <= set(cli.commands)


# A real API, and something that answers like the workers


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, valkey_url: str) -> Iterator[Services]:
    settings = load(data_dir=tmp_path_factory.mktemp("docs") / "data", redis_url=valkey_url)
    migrate(settings.database)
    services = Services(settings)
    services.__dict__["doorbell"] = _Silent()
    yield services
    services.database.close()
    services.redis.close()


class _Silent:
    """Nobody listens: the questions are moved on here."""

    def ring(self, task: str, row_id: str | int, **_: object) -> bool:
        return True

    def ring_for(self, question_id: str, status: Status, **_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url(services: Services) -> Iterator[str]:
    app: FastAPI = create_app(services)
    stop = threading.Event()
    page_id = walk.keep_page(services)
    answering = threading.Thread(target=_answer_all, args=(services, page_id, stop))
    answering.start()
    with serving(app) as url:
        yield url
    stop.set()
    answering.join()


def _answer_all(services: Services, page_id: int, stop: threading.Event) -> None:
    while not stop.wait(0.02):
        with services.database.read() as session:
            asked = [row.id for row in session.query(QuestionRow).where(QuestionRow.status == Status.ASKED)]
        for question_id in asked:
            walk.move(services, question_id, walk.answered(page_id))


@pytest.fixture(scope="module")
def question_id(url: str) -> str:
    asked = httpx2.post(f"{url}/api/chat", json={"question": "Who built it?", "wait": 10}, trust_env=False)
    return str(asked.json()["id"])


@pytest.mark.parametrize("words", every_command("curl"))
def test_request_is_answered(words: list[str], url: str, question_id: str) -> None:
    address, body, headers = _request(words)
    assert address.startswith(API)
    response = httpx2.request(
        "POST" if body else "GET",
        address.replace(API, url).replace("QUESTION_ID", question_id),
        content=body,
        headers=headers,
        timeout=20,
        trust_env=False,
    )
    assert response.is_success, response.text
    assert walk.QUOTE in response.text or address.endswith("/trace") or response.status_code == 202


def _request(words: list[str]) -> tuple[str, str | None, dict[str, str]]:
    """What a curl command line sends; knows the options the pages use and no others."""
    address, body, headers, rest = "", None, {}, iter(words[1:])
    for word in rest:
        if word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(rest)
        elif word.startswith("-"):
            assert word in ("-s", "-sN"), word
        else:
            address = word
    return address, body, headers


def test_shown_problem_is_what_the_api_answers(url: str) -> None:
    shown = [json.loads(block.text) for block in blocks("json") if '"what_to_do"' in block.text]
    answered = httpx2.post(f"{url}/api/questions", json={"question": ""}, trust_env=False).json()
    assert shown == [answered]


# Python


@pytest.mark.parametrize("block", [b for b in blocks("python") if API in b.text], ids=str)
def test_python_that_asks_gets_an_answer(block: Block, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    _run(block.text.replace(API, url))
    printed = capsys.readouterr().out
    assert "ANSWERED" in printed
    assert walk.QUOTE in printed or "final" in printed


@pytest.mark.parametrize("block", [b for b in blocks("python") if BROKER in b.text], ids=str)
def test_python_that_enqueues_keeps_the_contract(block: Block, services: Services) -> None:
    services.redis.delete("answer")
    _run(block.text.replace(BROKER, services.settings.broker))
    (message,) = services.redis.lrange("answer", 0, -1)
    services.redis.delete("answer")
    sent = json.loads(message)
    assert sent["headers"]["task"] == "wellread.ask"
    (payload,) = ast.literal_eval(sent["headers"]["argsrepr"])
    assert Payload.model_validate(payload).idempotency_key


def test_webhook_check_takes_a_signed_body_and_no_other(services: Services) -> None:
    (block,) = [b for b in blocks("python") if "is_from_wellread" in b.text]
    check = _run(block.text)["is_from_wellread"]
    body, now = b'{"event": "question.answered"}', services.now()
    signature = sign(body, secret="s3cret", now=now)["wellread-signature"]
    assert check(body, signature, "s3cret")
    assert not check(body + b" ", signature, "s3cret")
    assert not check(body, signature, "another")
    old = str(int(time.time()) - 600)
    mac = hmac.new(b"s3cret", f"{old}.".encode() + body, hashlib.sha256).hexdigest()
    assert not check(body, f"t={old},v1={mac}", "s3cret")


def test_no_python_is_left_unrun() -> None:
    known = (API, BROKER, "is_from_wellread")
    assert [str(block) for block in blocks("python") if not any(mark in block.text for mark in known)] == []


def _run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "docs"}
    exec(compile(code, "docs", "exec"), names)
    return names


# The rest


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_parses(block: Block) -> None:
    json.loads(block.text)


def test_blocks_are_in_a_language_that_is_checked() -> None:
    fences = {
        mark for path in PAGES.values() for mark in re.findall(r"^```(\w+)$", path.read_text("utf-8"), re.MULTILINE)
    }
    assert fences == {"sh", "python", "json", "ini", "text"}


def test_flow_picture_shows_every_status() -> None:
    pictures = [block.text for block in blocks("") if "ASKED" in block.text]
    assert len(pictures) == 2
    assert all(set(re.findall(r"\b[A-Z_]{5,}\b", picture)) == set(Status) for picture in pictures)


def test_table_of_tasks_is_the_one_workers_have() -> None:
    rows = re.findall(r"`(wellread\.\w+)` \| (\w+) \|", PAGES["docs/how-it-works.md"].read_text("utf-8"))
    assert dict(rows) == QUEUES


def test_every_environment_variable_named_exists() -> None:
    sources = [p.read_text() for p in (*ROOT.glob("api/*.py"), *ROOT.glob("workers/*.py"), ROOT / "docker-compose.yml")]
    known = {f"WELLREAD_{name.upper()}" for name in Settings.model_fields}
    known |= {name for text in sources for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", text)}
    named = {
        name
        for path in PAGES.values()
        for name in re.findall(r"(?<![\w/])[A-Z]+(?:_[A-Z]+)+\b", path.read_text("utf-8"))
    }
    assert named - known - NOT_VARIABLES == set()


def test_variables_of_the_compose_file_are_all_told() -> None:
    needed = set(re.findall(r"\$\{([A-Z_]+):\?", (ROOT / "docker-compose.yml").read_text()))
    (block,) = blocks("ini")
    assert set(re.findall(r"^([A-Z_]+)=", block.text, re.MULTILINE)) == needed


def test_links_lead_somewhere() -> None:
    broken = []
    for name, path in PAGES.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            place, _, anchor = target.partition("#")
            if place.startswith(("http://", "https://")):
                continue
            file = (path.parent / place) if place else path
            if not file.is_file() or (anchor and anchor not in _anchors(file)):
                broken.append(f"{name}: {target}")
    assert broken == []


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_transcript_is_of_this_demonstration_and_shows_right_answers() -> None:
    (shown,) = [
        " ".join(block.text.split()) for block in blocks("text") if "Side by" in block.text or "Checked" in block.text
    ]
    script = json.loads((ROOT / "api/demo/questions.json").read_text("utf-8"))
    for asked in ("question", "paraphrase", "unanswered"):
        assert script[asked] in shown
    assert shown.count(script["expected"]) >= 2
    assert "FAILED" not in shown
