"""What can be done with an answer, in a real browser: copy, share, save, read more, ask on, feedback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sqlalchemy import select

from domain import Status
from store.questions import state
from store.sql.tables import FeedbackRow
from tests.api import walk
from tests.api.web.asking import ask, at_phase, until_answered
from tests.api.web.browser import Tab
from workers.services import Services

QUESTION = "Who built the lighthouse?"
ANSWER = "Robert Tallis built it in 1871"

pytestmark = pytest.mark.live


@pytest.fixture
def answered(tab: Tab, services: Services) -> str:
    """The id of a question that was asked on the page and answered."""
    question_id = ask(tab, QUESTION)
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))
    until_answered(tab)
    return question_id


def test_answer_is_copied_with_its_sources(tab: Tab, answered: str) -> None:
    tab.click("Copy", "#actions")
    tab.wait("document.getElementById('said').innerText === 'The answer is copied.'")
    copied = tab.copied()
    assert copied.startswith(f"{QUESTION}\n\n{ANSWER} [1].")
    assert copied.endswith("[1] The tower: https://example.org/tower")


def test_shared_link_opens_the_same_answer_in_a_fresh_tab(tab: Tab, answered: str) -> None:
    tab.click("Share link", "#actions")
    tab.wait("document.getElementById('said').innerText === 'The link is copied.'")
    link = tab.copied()
    assert link.endswith(f"/#{answered}")
    tab.renew()
    tab.open(link)
    tab.wait("document.querySelector('#answer.answered')")
    assert ANSWER in tab.text("#text")
    assert tab.text("#asked-text") == QUESTION
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    assert tab.text("blockquote mark") == walk.QUOTE


@pytest.mark.parametrize(("name", "end", "mark"), [("Markdown", "md", "# "), ("HTML", "html", "<h1>")])
def test_answer_is_saved_as_a_document(tab: Tab, answered: str, tmp_path: Path, name: str, end: str, mark: str) -> None:
    tab.save_into(tmp_path)
    tab.click(name, "#actions")
    written = saved(tmp_path / f"wellread-{answered[:8]}.{end}")
    assert mark in written
    assert ANSWER in written
    assert walk.QUOTE in written


def test_whole_thread_is_saved_as_one_document(tab: Tab, services: Services, answered: str, tmp_path: Path) -> None:
    ask(tab, "And when?")
    with services.database.read() as session:
        thread = state.find(session, answered).thread_id
    tab.save_into(tmp_path)
    tab.wait("document.querySelector('#earlier button')")
    tab.click("Markdown", "#earlier")
    written = saved(tmp_path / f"wellread-{str(thread)[:8]}.md")
    assert written.index(f"## {QUESTION}") < written.index(walk.QUOTE) < written.index("## And when?")


def saved(document: Path) -> str:
    """What the browser writes into a file, once it is there."""
    until = time.monotonic() + 60
    while not document.exists():
        assert time.monotonic() < until, "it was not saved"
        time.sleep(0.05)
    return document.read_text()


def test_read_more_asks_again_in_the_same_thread_and_wants_more_than_before(
    tab: Tab, services: Services, answered: str
) -> None:
    tab.click("Read more", "#actions")
    tab.wait(f"location.hash.length > 1 && !location.hash.includes('{answered}')")
    at_phase(tab, "Look it up")
    with services.database.read() as session:
        before = state.find(session, answered)
        again = state.find(session, str(tab.run("location.hash"))[1:])
    assert (again.text, again.thread_id) == (QUESTION, before.thread_id)
    assert again.crawl_enabled
    assert again.overrides.threshold == 0.99


def test_related_question_is_opened_by_a_click(tab: Tab, services: Services) -> None:
    other = walk.ask(services, "When was the lighthouse built?").id
    page_id = walk.keep_page(services)
    walk.move(services, other, walk.answered(page_id))
    question_id = ask(tab, QUESTION)
    walk.move(services, question_id, walk.answered(page_id))
    tab.click("When was the lighthouse built?", "#related")
    tab.wait("document.getElementById('asked-text').innerText === 'When was the lighthouse built?'")
    assert tab.run("location.hash") == f"#{other}"


def test_keys_begin_a_question_and_close_what_is_open(tab: Tab, answered: str) -> None:
    tab.run("document.querySelector('.marker').click()")
    tab.wait("!document.getElementById('beside').hidden")
    tab.press("Escape")
    tab.wait("document.getElementById('beside').hidden")
    tab.press("k", control=True)
    tab.wait("location.hash === '' && document.activeElement.id === 'question'")
    tab.wait("!document.getElementById('hello').hidden && document.getElementById('asked').hidden")
    tab.resize(390, 860)
    tab.run("document.getElementById('menu').click()")
    tab.wait("document.body.classList.contains('with-menu') && document.activeElement.id === 'find'")
    tab.press("Escape")
    tab.wait("!document.body.classList.contains('with-menu') && document.activeElement.id === 'menu'")


def test_question_is_cancelled_while_it_is_worked_on(tab: Tab, services: Services) -> None:
    question_id = ask(tab, QUESTION)
    walk.move(services, question_id, walk.provisional())
    tab.wait("document.querySelector('#answer.provisional')")
    tab.click("Stop", "#asked")
    tab.wait("document.getElementById('state').innerText.startsWith('Stopped after')")
    with services.database.read() as session:
        assert state.find(session, question_id).status is Status.CANCELLED


@pytest.mark.parametrize(
    ("name", "verdict", "comment"),
    [("Right", "right", ""), ("Wrong", "wrong", "it was 1872"), ("Wrong source", "citation_wrong", "another tower")],
)
def test_feedback_is_kept_and_shown_again(
    tab: Tab, services: Services, answered: str, name: str, verdict: str, comment: str
) -> None:
    tab.click(name, "#feedback")
    tab.wait("document.getElementById('said').innerText === 'Thank you: your feedback is saved.'")
    if comment:
        tab.fill("#feedback input", comment)
        tab.click("Send", "#feedback")
        tab.wait("document.getElementById('said').innerText === 'Thank you: your comment is saved.'")
    with services.database.read() as session:
        kept = session.execute(select(FeedbackRow.verdict, FeedbackRow.comment).filter_by(question_id=answered)).one()
    assert tuple(kept) == (verdict, comment)
    tab.run("window.isOld = true; location.reload()")
    tab.wait(f"!window.isOld && document.querySelector('#feedback [aria-pressed=true]')?.innerText === '{name}'")
