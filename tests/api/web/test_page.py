"""The web page: a question is watched to its end in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from api.app import create_app
from domain import Answer, Sentence, Status
from pipeline.abstain import COMPOSER
from store.questions.state import Move
from store.sql.tables import AnswerRow
from tests.api import walk
from tests.api.web.browser import Tab, opened
from workers.services import Services
from workers.settings import Settings

HOSTILE = "<img src=x onerror=\"document.title='taken'\">"


@pytest.fixture
def tab(app: FastAPI) -> Iterator[Tab]:
    with opened(app) as tab:
        yield tab


def _ask(tab: Tab, question: str, site: str = "") -> str:
    """Ask through the form; returns the question's id."""
    tab.run(f"document.getElementById('question').value = {question!r}")
    tab.run(f"document.getElementById('site').value = {site!r}")
    tab.run("document.querySelector('#ask button').click()")
    tab.wait("location.hash.length > 1 || !document.getElementById('error').hidden")
    return str(tab.run("location.hash"))[1:]


def _current(tab: Tab, phase: str) -> None:
    tab.wait(f"document.querySelector('[aria-current=step]')?.innerText.startsWith('{phase}')")


@pytest.mark.live
def test_question_is_watched_from_asking_to_a_citation_in_its_page(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    question_id = _ask(tab, "Who built the lighthouse?")
    _current(tab, "Look it up")
    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    _current(tab, "In other words")
    walk.move(services, question_id, walk.provisional(), step="retry")
    tab.wait("document.querySelector('#answer.provisional')")
    assert tab.text("#badge") == "Provisional: still reading"
    data = {"url": "https://example.org/tower", "kind": "page", "text": HOSTILE, "outcome": "read", "reason": ""}
    services.events.publish(question_id, "page", data)
    tab.wait("document.querySelectorAll('#pages li').length === 1")
    assert tab.text("#pages a") == HOSTILE
    walk.move(services, question_id, walk.answered(page_id), step="requery")
    tab.wait("document.querySelector('#answer.answered')")
    assert "Robert Tallis built it in 1871" in tab.text("#text")
    assert tab.text("#text strong") == walk.BUILDER
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    assert tab.text("blockquote mark") == walk.QUOTE
    assert tab.text("blockquote") == walk.TEXT
    tab.wait("document.querySelector('#latest a')")
    assert tab.run("document.title") == "Wellread"
    assert tab.complaints == []


@pytest.mark.live
def test_answer_is_shown_while_it_is_written_and_then_as_it_is(tab: Tab, services: Services) -> None:
    question_id = _ask(tab, "Who built the lighthouse?")
    services.events.publish(question_id, "writing", {"answer": f"{HOSTILE} built it. [1]"})
    tab.wait("document.getElementById('badge').innerText.startsWith('Being written')")
    assert tab.text("#text") == f"{HOSTILE} built it. [1]"
    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    tab.wait("document.getElementById('answer').hidden")
    walk.move(services, question_id, walk.answered(walk.keep_page(services)), step="retry")
    tab.wait("document.querySelector('#answer.answered')")
    tab.run("window.isOld = true; location.reload()")
    tab.wait("!window.isOld && document.querySelector('#answer.answered')")
    assert "Robert Tallis built it in 1871" in tab.text("#text")
    assert tab.complaints == []


@pytest.mark.live
def test_notes_on_an_answer_are_shown_below_it(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    question_id = _ask(tab, "Who built the lighthouse?")
    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    walk.move(services, question_id, walk.provisional(), step="retry")
    tab.wait("document.querySelector('#about li')")
    assert tab.text("#about") == "Not covered yet: x."
    chosen = {"status": "READING", "candidates": ["https://example.org/tower"]}
    services.events.publish(question_id, "status", chosen)
    tab.wait("document.querySelector('#pages li')?.innerText.includes('being read')")
    disputed = replace(walk.answered(page_id), answer=walk.disputed(page_id))
    walk.move(services, question_id, disputed, step="requery")
    with services.database.write() as session:
        session.query(AnswerRow).update({"stale_at": services.now()})
    tab.run("window.isOld = true; location.reload()")
    tab.wait("!window.isOld && document.querySelector('#answer.answered')")
    about = tab.text("#about")
    assert tab.text("#text .disputed") == "It was built in 1871."
    assert tab.run("document.querySelector('.disputed').title") == "Citation 2 says otherwise"
    assert "Stale since" in about
    assert "Cost $0.1000 (m: 5 tokens read, 1 written)." in about
    assert tab.complaints == []


@pytest.mark.live
def test_what_is_not_known_is_said_so_and_can_be_looked_at_again(tab: Tab, services: Services) -> None:
    said = Answer(
        text="I do not know.",
        sentences=(Sentence(text="I do not know."),),
        citations=(),
        confidence=0.1,
        composer=COMPOSER,
    )
    question_id = _ask(tab, "Who painted it?")
    walk.move(services, question_id, Move(to=Status.ABSTAINED, outcome="insufficient", answer=said))
    tab.wait("document.querySelector('#answer.abstained')")
    assert tab.text("#badge") == "Not known"
    tab.run("window.isOld = true; location.reload()")
    tab.wait("!window.isOld && document.querySelector('#answer.abstained')")
    assert tab.text("#text") == "I do not know."
    assert tab.text("#asked-text") == "Who painted it?"
    assert tab.complaints == []


@pytest.mark.live
def test_stopped_question_is_shown_as_stopped(tab: Tab) -> None:
    _ask(tab, "Who built it?")
    _current(tab, "Look it up")
    tab.run("document.getElementById('cancel').click()")
    tab.wait("document.getElementById('state').innerText.startsWith('Stopped after')")
    assert tab.run("document.getElementById('cancel').hidden")


@pytest.mark.live
def test_what_cannot_be_asked_is_answered_with_what_to_do(tab: Tab) -> None:
    assert _ask(tab, "Who built it?", site="http://192.168.0.1/") == ""
    assert "192.168.0.1" in tab.text("#error")
    assert "add" in tab.text("#error")
    assert not tab.run("document.querySelector('#ask button').disabled")


@pytest.mark.live
@pytest.mark.parametrize("width", [320, 900])
def test_page_fits_the_screen(tab: Tab, services: Services, width: int) -> None:
    tab.resize(width, 800)
    question_id = _ask(tab, "Who built " + "the-very-long-word-without-a-space" * 5 + "?")
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))
    tab.wait("document.querySelector('#answer.answered')")
    assert tab.run("document.documentElement.scrollWidth") <= width


@pytest.mark.live
def test_key_is_asked_for_and_the_question_is_watched_with_it(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_keys": (SecretStr("ask:a-key"),)})
    with opened(create_app(services)) as tab:
        tab.wait("!document.getElementById('key-row').hidden && !document.getElementById('error').hidden")
        assert "X-API-Key" in tab.text("#error")
        tab.run("document.getElementById('key').value = 'a-key'")
        question_id = _ask_again(tab, "Who built it?")
        _current(tab, "Look it up")
        walk.move(services, question_id, walk.answered(walk.keep_page(services)))
        tab.wait("document.querySelector('#answer.answered')")
        tab.run("document.querySelector('.marker').click()")
        tab.wait("document.querySelector('blockquote mark')")


def _ask_again(tab: Tab, question: str) -> str:
    tab.run("document.getElementById('error').hidden = true")
    return _ask(tab, question)
