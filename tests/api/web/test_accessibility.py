"""Every screen of the web page, looked over by axe-core in a real browser: small and wide, light and dark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from api.app import create_app
from domain import Answer, Sentence, Status
from domain.access import Role
from domain.answer import ABSTENTION
from store import keys
from store.questions.state import Changes, Move
from tests.api import walk
from tests.api.web.asking import until_answered
from tests.api.web.browser import Tab, opened
from workers import files
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services, collections
from workers.settings import Settings

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
APPEARANCES = [
    pytest.param(390, False, id="small"),
    pytest.param(390, True, id="small-dark", marks=pytest.mark.nightly),
    pytest.param(1280, False, id="wide", marks=pytest.mark.nightly),
    pytest.param(1280, True, id="wide-dark"),
]
THREAD = "7" * 32
NOT_KNOWN = Answer(
    text="I do not know.",
    sentences=(Sentence(text="I do not know."),),
    citations=(),
    confidence=0.1,
    composer=ABSTENTION,
)
LONG = "Use `tower`:\n- one\n- two\n\nname | value\nx | 1"

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(600),  # some twenty screens
    pytest.mark.skipif(not AXE.exists(), reason="no axe-core: `make browser` installs it where npm is there"),
]


@pytest.mark.parametrize(("width", "dark"), APPEARANCES)
def test_every_screen_is_accessible(app: FastAPI, services: Services, width: int, dark: bool) -> None:
    with opened(app) as tab:
        tab.resize(width, 860, dark=dark)
        found = {name: wrong for name in screens(tab, services) if (wrong := _violations(tab))}
    assert found == {}


def test_what_a_key_may_not_is_told_accessibly(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_keys": (SecretStr("ask:a-key"),)})
    with opened(create_app(services)) as tab:
        tab.resize(390, 860)
        tab.wait("!document.getElementById('key-form').hidden")
        assert _violations(tab) == []
        tab.fill("#key", "a-key")
        tab.click("Use it", "#key-form")
        tab.wait("document.getElementById('key-form').hidden")
        tab.run("location.hash = 'keys'")
        tab.wait("document.querySelector('.refused')")
        assert _violations(tab) == []


def test_check_finds_what_is_wrong(app: FastAPI) -> None:
    with opened(app) as tab:
        tab.wait("document.getElementById('known').innerText")
        tab.run("document.querySelector('label[for=question]').remove()")
        tab.run("document.getElementById('question').removeAttribute('placeholder')")
        assert [each["rule"] for each in _violations(tab)] == ["label"]


def screens(tab: Tab, services: Services) -> Iterator[str]:
    """Bring the page to each of its screens in turn, with something in it; yields their names."""
    tab.wait("document.getElementById('known').innerText")
    yield "first look, nothing known"
    yield from _questions(tab, services)
    yield from _places(tab, services)
    walk.ask_in(services, THREAD, "Who built the lighthouse?")
    tab.run("location.hash = ''")
    tab.wait("document.getElementById('known').innerText.startsWith('1 page is known')")
    tab.fill("#find", "")
    tab.wait(f"document.querySelector('[data-id=\"{THREAD}\"]')")
    yield "first look"
    tab.run("document.getElementById('choices').open = true")
    yield "where to look"
    tab.run("if (document.getElementById('menu').offsetParent) document.getElementById('menu').click()")
    tab.run(f"document.querySelector('[data-id=\"{THREAD}\"] + button').click()")
    tab.wait("document.querySelector('#history form input')")
    yield "thread being renamed"
    tab.click("Delete", "#history form")
    tab.wait("document.querySelector('dialog').open")
    yield "dialog"


def _questions(tab: Tab, services: Services) -> Iterator[str]:
    page_id = walk.keep_page(services)
    asked = walk.ask(services, "How is it set?").id
    tab.run(f"location.hash = {asked!r}")
    tab.wait("document.querySelector('[aria-current=step]')")
    page = {"url": "https://example.org/a", "kind": "page", "text": "A", "outcome": "read", "reason": ""}
    services.events.publish(asked, "page", page)
    services.events.publish(asked, "page", page | {"url": "https://example.org/b", "outcome": None})
    tab.wait("document.querySelectorAll('#pages li').length === 2")
    yield "at work"
    walk.move(services, asked, walk.provisional())
    tab.wait("document.querySelector('#answer.provisional')")
    yield "provisional"
    answered = walk.answered(page_id)
    written = replace(walk.answer(page_id), confidence=0.4)
    written = replace(written, sentences=(*written.sentences, Sentence(text=LONG, markers=(1,))))
    walk.move(services, asked, replace(answered, answer=written))
    until_answered(tab)
    yield "answered"
    tab.click("Wrong", "#feedback")
    tab.wait("document.querySelector('#feedback input')")
    tab.run("document.getElementById('progress').open = true")
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    yield "passage beside"
    walk.move(services, unsure := walk.ask(services, "Who perhaps?").id, walk.unsure(page_id))
    tab.run(f"location.hash = {unsure!r}")
    tab.wait("document.querySelector('#answer.unsure #nearest a')")
    yield "unsure"
    for status, answer in ((Status.ABSTAINED, NOT_KNOWN), (Status.FAILED, None), (Status.TIMED_OUT, walk.answer())):
        ended = walk.ask(services, f"Who painted it {status}?").id
        changes = Changes(error="the disk is full") if answer is None else Changes()
        walk.move(services, ended, Move(to=status, outcome="ended", answer=answer, changes=changes))
        tab.run(f"location.hash = {ended!r}")
        shown = "unknown" if status is Status.ABSTAINED else status.lower()
        tab.wait(f"document.querySelector('#answer.{shown}')")
        tab.wait("document.querySelector('#actions button')")
        yield status.lower()
    tab.run(f"location.hash = {'0' * 32!r}")
    tab.wait("!document.getElementById('error').hidden")
    yield "no such question"


def _places(tab: Tab, services: Services) -> Iterator[str]:
    for place in ("sources", "files", "keys", "operations"):
        tab.run(f"location.hash = {place!r}")
        tab.wait(f"document.querySelector('#{place} p, #{place}-plots svg')")
        yield f"{place}, little there"
    submit.add_source(services, "https://site.example/", own=True, min_delay_s=None)
    sites.start(services, "https://site.example/")
    files.add(services, "travel/rules.md", b"# Rules\n\nThe lighthouse opens at nine.")
    collections.add(services, "research", exclude_sites=["https://example.org/forum/"])
    with services.database.write() as session:
        keys.add(session, "reader", Role.ask, services.now(), names=["research"])
    for place in ("sources", "files", "questions", "keys", "collections"):
        tab.run(f"location.hash = {place!r}")
        tab.wait(f"document.querySelector('#{place} td')")
        yield place
    tab.run("location.hash = 'keys'")
    tab.wait("document.querySelector('#add-key')")
    tab.fill("#add-key input", "editor")
    tab.click("Make", "#add-key")
    tab.wait("document.querySelector('#secret input')")
    yield "a key's secret"
    tab.run("location.hash = 'pages'")
    tab.click("The tower", "#page-list")
    tab.wait("document.querySelector('#page-detail blockquote')")
    yield "pages"
    tab.run("location.hash = 'operations'")
    tab.wait("document.querySelector('#operations-plots svg') && document.querySelector('#operations-dead td')")
    yield "operations"


def _violations(tab: Tab) -> list[dict[str, str]]:
    """What axe-core says is wrong with what is shown, by its rules for WCAG and its own for good practice."""
    tab.run("document.getAnimations().forEach((each) => each.cancel())")
    tab.run(f"{AXE.read_text()};0")
    found = json.loads(str(tab.run("axe.run().then(({ violations }) => JSON.stringify(violations))")))
    return [
        {"rule": each["id"], "element": node["html"][:200], "why": node["failureSummary"]}
        for each in found
        for node in each["nodes"]
    ]
