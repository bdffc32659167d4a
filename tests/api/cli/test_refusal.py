"""What the API refuses is said in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from api.cli.refusal import refusal_line
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from tests.tables import each_row
from wellread import Refused
from workers.services import Services

NOBODY = "0" * 32
#: what speaks to programs, not to who typed a command
OF_PROGRAMS = re.compile(
    r"openapi|\b(?:GET|POST|PATCH|DELETE) /|body|UUID|String should|[a-z]+_[a-z]+\b|(?<![\d,])\b4\d\d\b"
)


@pytest.fixture
def url(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An API that the command line is pointed at."""
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


#: arguments, a piece of what is said
REFUSED = [
    (["ask", "Why?", "--after", "nonsense"], "--after takes the id of a question"),
    (["ask", "Why?", "--thread", "nonsense"], "--thread takes the id of a thread"),
    (["ask", "Why?", "--lang", "German"], "--lang takes a language's code"),
    (["ask", "Why?", "--answer-language", "Klingon"], "--answer-language takes a language's code"),
    (["ask", "Why?", "--published-after", "yesterday"], "--published-after takes a date"),
    (["ask", "Why?", "--wait", "100000"], "--wait is at most"),
    (["ask", "Why?", "--exclude", "no url"], "is not a URL"),
    (["ask", "Why?", "--site", "no url"], "is not a URL"),
    (["ask", "Why?", "--collection", "nope"], "`wellread collections list`"),
    (["search", "x", "--read-after", "yesterday"], "--read-after takes a date"),
    (["search", ""], "empty"),
    (["trace", NOBODY], "`wellread status` lists the latest"),
    (["delete", "http://nowhere.example/"], "is not in the knowledge base: `wellread pages list` lists the pages"),
    (["delete", "files://uploads/none.md"], "is not in the knowledge base: `wellread files list` lists the files"),
    (["delete", NOBODY], "`wellread status` lists the latest"),
    (["source", "add", "http://10.0.0.1/"], "add --own"),
    (["source", "add", "no url"], "is not a URL"),
    (["reads", "show", "77"], "`wellread reads list`"),
    (["reads", "show", "9" * 20], "`wellread reads list`"),
    (["files", "list", "--folder", "nope"], "There is no folder 'nope': files are in uploads"),
    (["source", "add", ""], "url: it is empty"),
    (["pages", "show", ""], "is not a URL"),
    (["delete", ""], "is not a URL"),
    (["keys", "revoke", "nope"], "`wellread keys list`"),
    (["keys", "add", "k", "--expires", "2001-01-01"], "leave --expires out"),
    (["collections", "delete", "default", "--yes"], "default collection stays"),
    (["export", "thread", "nonsense"], "32 hexadecimal digits"),
    (["watch", "Who?", "--callback", "nonsense"], "is not a URL"),
]


@each_row(("arguments", "said"), REFUSED)
def test_refusal_names_options_and_commands(url: str, arguments: list[str], said: str) -> None:
    result = wellread(*arguments)
    assert result.exit_code == 1
    assert said in result.stderr
    [line] = result.stderr.strip().splitlines()
    assert not OF_PROGRAMS.search(line)


def test_text_of_a_page_that_is_not_kept_is_said_with_the_command_that_lists_them(url: str, services: Services) -> None:
    walk.keep_page(services)
    result = wellread("pages", "show", "https://example.org/tower", "--version", "9")
    assert (result.exit_code, "`wellread pages versions URL` lists them" in result.stderr) == (1, True)


def test_every_kind_of_problem_is_a_sentence() -> None:
    refused = Refused(status=429, kind="new", title="Slow down", detail="Too much", what_to_do="", retry_after_s=3.0)
    assert refusal_line(refused) == "Too much. Try again in 3 s."
    unknown = Refused(status=422, kind="bad-request", title="?", detail="new_field: is odd", what_to_do="")
    assert refusal_line(unknown) == "new field: is odd."
    other = Refused(status=502, kind="about:blank", title="HTTP 502", detail="x answered Bad Gateway.", what_to_do="")
    assert refusal_line(other).endswith("may not be Wellread.")
