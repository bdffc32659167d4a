"""The demonstration tells the truth about itself: each promise that does not hold is named, and fails it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.cli.demo import run as demo
from api.cli.demo.run import Result, check, isolated_in
from api.cli.width import Style
from tests.api.records import citation, record_json
from wellread import Event, Record
from wellread.responses import to_value
from workers.settings import load

EXPECTED = "610 megawatt-hours"
PAGES = {1: "The turbines give 610 megawatt-hours."}


def _result(*kinds: str, fetched: tuple[str, ...] = (), **changes: Any) -> Result:
    events = tuple(Event(id="", kind=kind, data={}) for kind in kinds)
    return Result(record=to_value(Record, record_json(**changes)), fetched=fetched, events=events)


def _first(**changes: Any) -> Result:
    return _result("status", "provisional", "page", "final", fetched=("/energy.html",), **changes)


def _second(**changes: Any) -> Result:
    return _result("status", "final", **{"online_search_triggered": False, "live_urls": [], **changes})


def _third(**changes: Any) -> Result:
    return _result("status", "final", **{"status": "ABSTAINED", "citations": [], **changes})


def _failed(first: Result, second: Result, third: Result, pages: dict[int, str] = PAGES) -> list[str]:
    return [each.name for each in check([first, second, third], EXPECTED, pages=pages) if not each.holds]


def test_what_was_promised_holds() -> None:
    assert _failed(_first(), _second(), _third()) == []


#: what went wrong, a piece of the promise that says so
BROKEN: list[tuple[Callable[[], list[str]], str]] = [
    # the final answer came without one before it
    (lambda: _failed(_result("page", "final", fetched=("/",)), _second(), _third()), "provisional"),
    # the provisional answer came when all was read
    (lambda: _failed(_result("page", "provisional", fetched=("/",)), _second(), _third()), "provisional"),
    # a wrong answer
    (lambda: _failed(_first(answer="They give 16. [1]"), _second(), _third()), "question 1 is answered"),
    # the right words, but an answer that was not sure
    (lambda: _failed(_first(), _second(status="TIMED_OUT"), _third()), "question 2 is answered"),
    # an answer without a citation
    (lambda: _failed(_first(), _second(citations=[]), _third()), "question 2 is answered"),
    # the paraphrase was not recognised
    (lambda: _failed(_first(), _second(online_search_triggered=True), _third()), "question 2 read nothing"),
    # a guess
    (lambda: _failed(_first(), _second(), _third(status="ANSWERED")), "question 3 is not known"),
    # a quote that nobody wrote
    (lambda: _failed(_first(citations=[citation(quote="It gives 610 MWh.")]), _second(), _third()), "word for word"),
    # a quote from a page that is not kept
    (lambda: _failed(_first(), _second(), _third(), {}), "word for word"),
]


@pytest.mark.parametrize(("broken", "promise"), BROKEN)
def test_a_promise_that_does_not_hold_is_named(broken: Callable[[], list[str]], promise: str) -> None:
    (failed,) = broken()
    assert promise in failed


def test_the_users_settings_are_kept_away_and_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("WELLREAD_DATABASE_URL", "postgresql://theirs")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / ".env").write_text("WELLREAD_SEARXNG_URL=http://theirs\n")
    monkeypatch.chdir(theirs)
    ours = tmp_path / "ours"
    ours.mkdir()
    before = dict(os.environ)
    with isolated_in(ours):
        settings = load()
        assert settings.data_dir == ours / "data"
        assert (settings.database_url, settings.searxng_url, settings.wikipedia) == ("", "", False)
        assert not settings.anthropic_api_key.get_secret_value()
    assert dict(os.environ) == before
    assert Path.cwd() == theirs


def test_the_demonstrations_questions_are_those_of_its_site() -> None:
    pages = " ".join(path.read_text("utf-8") for path in demo.SITE.rglob("*.html"))
    assert demo.SCRIPT["expected"] in " ".join(pages.replace("\u00a0", " ").split())
    assert len({demo.SCRIPT[name] for name in ("question", "paraphrase", "unanswered")}) == 3


def test_a_process_group_that_lives_is_seen_and_one_that_is_gone_is_not() -> None:
    assert demo._group_lives(os.getpgid(0))
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert not demo._group_lives(child)


@pytest.mark.live
@pytest.mark.timeout(600)
def test_the_demonstration_holds_all_it_promises() -> None:
    said: list[str] = []
    held = demo.run(lambda *lines: said.extend(lines), Style(width=100))
    assert held, "\n".join(said)
