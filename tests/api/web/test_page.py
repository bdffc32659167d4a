"""The web page: a question is watched to its end in a real browser, and followed up."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI, Request, Response
from pydantic import SecretStr
from starlette.middleware.base import RequestResponseEndpoint

from api.app import create_app
from domain import Answer, Candidate, PageText, Sentence, Status, Validators
from domain.answer import ABSTENTION, ChosenSentence
from domain.options import Overrides
from pipeline.answering.citations import render
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.pages import pages
from store.questions import listing, state, threads
from store.questions.state import Move
from store.sql.tables import AnswerRow, IndexState, PageRow
from tests.api import walk
from tests.api.web.asking import ask, at_phase
from tests.api.web.browser import Tab, opened
from workers.services import Services
from workers.settings import Settings

HOSTILE = "<img src=x onerror=\"document.title='taken'\">"

pytestmark = pytest.mark.live


def _reload(tab: Tab) -> None:
    tab.run("window.isOld = true; location.reload()")
    tab.wait("!window.isOld && document.readyState === 'complete'")


def test_question_is_watched_from_asking_to_a_citation_in_its_page(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    question_id = ask(tab, "Who built the lighthouse?")
    at_phase(tab, "Look it up")
    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    at_phase(tab, "Try other wordings")
    walk.move(services, question_id, walk.provisional(), step="retry")
    tab.wait("document.querySelector('#answer.provisional')")
    assert tab.text("#badge") == "Provisional: still choosing pages to read"
    data = {"url": "https://example.org/tower", "kind": "page", "text": HOSTILE, "outcome": "read", "reason": ""}
    missing = {"url": "https://example.org/sitemap.xml", "kind": "sitemap", "text": "", "outcome": "gone", "reason": ""}
    services.events.publish(question_id, "page", missing)
    services.events.publish(question_id, "page", data)
    tab.wait("document.querySelectorAll('#pages li').length === 1")
    assert tab.text("#pages a") == HOSTILE
    assert tab.text("#read-count") == "Pages: 1 read"
    walk.move(services, question_id, walk.answered(page_id), step="requery")
    tab.wait("document.querySelector('#answer.answered')")
    assert not tab.run("document.getElementById('progress').open")
    assert tab.text("#short") == walk.BUILDER
    assert "Robert Tallis built it in 1871" in tab.text("#text")
    assert tab.text("#text strong") == walk.BUILDER
    assert tab.text("#citations q").strip("“”") == walk.QUOTE
    assert tab.run("document.querySelector('#citations a').href").startswith(
        "https://example.org/tower#:~:text=The%20lighthouse%20was%20built%20in"
    )
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    assert tab.text("blockquote mark") == walk.QUOTE
    assert tab.text("blockquote") == walk.TEXT
    tab.wait("document.querySelector('#history a')")
    assert tab.text("#history a") == "Who built the lighthouse?"
    assert tab.run("document.title") == "Who built the lighthouse? – Wellread"


def test_follow_up_is_asked_in_the_thread_and_shown_below_what_came_before(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    first = ask(tab, "Who built the lighthouse?")
    walk.move(services, first, walk.answered(page_id))
    tab.wait("document.querySelector('#answer.answered')")
    second = ask(tab, "When did Robert Tallis build the lighthouse?")
    walk.move(services, second, walk.answered(page_id))
    tab.wait("document.querySelector('#earlier li') && document.querySelector('#answer.answered')")
    assert tab.text("#earlier h3") == "Who built the lighthouse?"
    assert tab.text("#asked-text") == "When did Robert Tallis build the lighthouse?"
    tab.wait("document.querySelector('#history').innerText.includes('2 questions')")
    tab.run("document.getElementById('find').value = 'lighthouse harbour'")
    tab.run("document.getElementById('find').dispatchEvent(new Event('input'))")
    tab.wait("!document.getElementById('no-history').hidden")
    tab.run("document.getElementById('find').value = 'lighthouse'")
    tab.run("document.getElementById('find').dispatchEvent(new Event('input'))")
    tab.wait("document.querySelector('#history a')")
    tab.click("New question")
    tab.wait("!document.getElementById('hello').hidden")
    tab.run("document.querySelector('#history a').click()")
    tab.wait("document.getElementById('asked-text').innerText.startsWith('When did')")


def test_question_is_deleted_when_that_is_pressed_twice(tab: Tab, services: Services) -> None:
    question_id = ask(tab, "Who built the lighthouse?")
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))
    tab.click("Delete", "#actions")
    tab.click("Really delete?", "#actions")
    tab.wait("location.hash === '' && !document.getElementById('no-history').hidden")


def test_thread_is_renamed_and_deleted_in_the_list_of_threads(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    other = walk.ask(services, "How high is it?").id
    question_id = ask(tab, "Who built the lighthouse?")
    walk.move(services, question_id, walk.answered(page_id))
    tab.wait("document.querySelector('#history [aria-current=page]')?.innerText === 'Who built the lighthouse?'")
    tab.run("document.querySelector('#history li:has([aria-current]) .change').click()")
    tab.wait("document.activeElement.matches('#history form input')")
    tab.fill("#history form input", " ")
    tab.click("Save", "#history form")
    tab.wait("document.querySelector('#history form [role=alert]')?.innerText.includes('title')")
    tab.fill("#history form input", "The tower's <b>builder</b>")
    tab.click("Save", "#history form")
    tab.wait("document.querySelector('#history [aria-current=page]')?.innerText === \"The tower's <b>builder</b>\"")
    assert tab.text("#asked-text") == "Who built the lighthouse?"
    tab.run("document.querySelector('#history li:has([aria-current]) .change').click()")
    tab.click("Delete", "#history form")
    tab.wait("document.querySelector('dialog').open")
    tab.click("Delete", "dialog")
    tab.wait("location.hash === '' && !document.getElementById('hello').hidden")
    tab.wait("document.querySelectorAll('#history a').length === 1")
    with services.database.read() as session:
        assert [row.id for row in listing.latest(session)] == [other]
        assert threads.latest(session) == []


def test_answer_is_shown_while_it_is_written_and_then_as_it_is(tab: Tab, services: Services) -> None:
    question_id = ask(tab, "Who built the lighthouse?")
    at_phase(tab, "Look it up")
    services.events.publish(question_id, "writing", {"answer": f"{HOSTILE} built it. [1]"})
    tab.wait("document.getElementById('badge').innerText.startsWith('Being written')")
    assert tab.text("#text") == f"{HOSTILE} built it. [1]"
    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    tab.wait("document.getElementById('answer').hidden")
    walk.move(services, question_id, walk.answered(walk.keep_page(services)), step="retry")
    tab.wait("document.querySelector('#answer.answered')")
    _reload(tab)
    tab.wait("document.querySelector('#answer.answered')")
    assert "Robert Tallis built it in 1871" in tab.text("#text")


def test_notes_on_an_answer_are_shown_below_it(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    question_id = ask(tab, "Who built the lighthouse?")
    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    walk.move(services, question_id, walk.provisional(), step="retry")
    tab.wait("document.querySelector('#about li')")
    assert tab.text("#about") == "Not covered yet: x."
    _wait_for_page(services, question_id, "https://example.org/tower")
    tab.wait("document.querySelector('#pages li')?.innerText.includes('being read')")
    assert tab.text("#read-count") == "Pages: 0 read, 1 being read"
    walk.move(services, question_id, walk.answered(page_id), step="requery")
    with services.database.write() as session:
        session.query(AnswerRow).update({"stale_at": services.now()})
    _reload(tab)
    tab.wait("document.querySelector('#answer.answered')")
    about = tab.text("#about")
    assert "Stale since" in about
    assert "Cost $0.1000 (m: 5 tokens in, 1 out)." in about


def test_what_is_perhaps_right_is_said_so_with_the_nearest_passages_apart(tab: Tab, services: Services) -> None:
    question_id = ask(tab, "Who built it?")
    walk.move(services, question_id, walk.unsure(walk.keep_page(services)))
    tab.wait("document.querySelector('#answer.unsure')")
    assert tab.text("#badge") == "Perhaps: 40 % sure"
    assert "176 steps" not in tab.text("#text") + tab.text("#citations")
    assert tab.run("document.querySelector('#near').getAttribute('aria-labelledby')") == "near-title"
    assert tab.text("#near-title") == "Nearest passages, not part of the answer"
    assert tab.text("#nearest a") == "The tower › Steps"
    assert len(tab.text("#nearest p")) <= 300


def test_what_is_not_known_is_said_so_and_can_be_looked_at_again(tab: Tab, services: Services) -> None:
    parts = ("I do not know.", "Nothing comes near.", "Searched for: “Who”.", "Pages read for it: 2.")
    said = Answer(
        text=" ".join(parts),
        sentences=tuple(Sentence(text=part) for part in parts),
        citations=(),
        confidence=0.1,
        composer=ABSTENTION,
    )
    question_id = ask(tab, "Who painted it?")
    walk.move(services, question_id, Move(to=Status.ABSTAINED, outcome="insufficient", answer=said))
    tab.wait("document.querySelector('#answer.unknown')")
    assert tab.text("#badge") == "Not known"
    _reload(tab)
    tab.wait("document.querySelector('#answer.unknown')")
    shown = tab.text("#text").split()
    assert shown == "I do not know. What was tried".split()  # the rest is folded
    tab.run("document.querySelector('#text details').open = true")
    assert "Searched for: “Who”." in tab.text("#text details")
    assert tab.text("#asked-text") == "Who painted it?"


def test_list_table_and_code_of_an_answer_are_shown_as_such(tab: Tab, services: Services) -> None:
    text = f"Set `a-b`:\n- one {HOSTILE}\n- two\n\nname | value\nx | 1"
    page_id = walk.keep_page(services)
    question_id = ask(tab, "How is it set?")
    sentence = Sentence(text=text, markers=(1,))
    answered = walk.answered(page_id)
    assert answered.answer
    walk.move(services, question_id, replace(answered, answer=replace(answered.answer, sentences=(sentence,))))
    tab.wait("document.querySelector('#answer.answered')")
    assert tab.text("#text code") == "a-b"
    assert tab.run("[...document.querySelectorAll('#text ul li')].map((li) => li.innerText)") == [
        f"one {HOSTILE}",
        "two",
    ]
    assert tab.run("[...document.querySelectorAll('#text th, #text td')].map((c) => c.innerText)") == [
        *("name", "value"),
        *("x", "1"),
    ]
    assert tab.run("document.querySelectorAll('#text .marker').length") == 1


def test_row_that_answers_is_marked_and_only_a_header_is_shown_as_one(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    answered = walk.answered(page_id)
    assert answered.answer
    text = "Owner | Moe\nBerth | 12\nPaint | blue"
    row = text.index("Berth")
    chosen = ChosenSentence(start=row, end=row + len("Berth | 12"))
    for markers, headers in (((1,), []), ((1, 2), ["Owner", "Moe"])):
        question_id = ask(tab, f"Which berth is it, asked with {len(markers)}?")
        sentence = Sentence(text=text, markers=markers, chosen=chosen)
        walk.move(services, question_id, replace(answered, answer=replace(answered.answer, sentences=(sentence,))))
        tab.wait(f"document.querySelector('#answer.answered') && location.hash.includes('{question_id}')")
        texts = "[...document.querySelectorAll('#text {0}')].map((each) => each.innerText)"
        tab.wait(f"JSON.stringify({texts.format('th')}) === {json.dumps(json.dumps(headers, separators=(',', ':')))}")
        assert tab.run(texts.format("mark")) == ["Berth", "12"]


def test_blocks_of_an_answer_are_shown_as_such(tab: Tab, services: Services) -> None:
    sentences = (
        Sentence(text="Setup", block="heading"),
        Sentence(text=f"Run {HOSTILE}:", markers=(1,), block="step"),
        Sentence(text=f"if a:\n    run('{HOSTILE}')", markers=(1,), block="code"),
        Sentence(text="Stop.", markers=(1,), block="step"),
        Sentence(text="Part | Price", block="row"),
        Sentence(text=f"a \\| {HOSTILE} | 4", markers=(1,), block="row"),
        Sentence(text="One `a-b`.", markers=(1,), block="item"),
        Sentence(text="Two.", markers=(1,), block="item"),
        Sentence(text="It is so.", markers=(1,)),
        Sentence(text="It was so.", markers=(1,)),
        Sentence(text="It is not stated why.", origin="missing"),
    )
    page_id = walk.keep_page(services)
    question_id = ask(tab, "How is it set?")
    services.events.publish(question_id, "writing", {"answer": render(sentences)})
    tab.wait("document.querySelector('#badge').innerText === 'Being written …'")
    texts = "[...document.querySelectorAll('#text {0}')].map((each) => each.innerText)"
    while_written = [tab.run(texts.format(tag)) for tag in ("h3", "pre", "li", "th", "td")]
    answered = walk.answered(page_id)
    assert answered.answer
    given = replace(answered.answer, text=render(sentences), sentences=sentences, composer="claude-sonnet-5-5")
    walk.move(services, question_id, replace(answered, answer=given))
    tab.wait("document.querySelector('#answer.answered')")
    shown = [tab.run(texts.format(tag)) for tag in ("h3", "pre", "th", "td")]
    code = f"if a:\n    run('{HOSTILE}')"
    assert shown == [["Setup"], [code], ["Part", "Price"], [f"a | {HOSTILE}", "41"]]
    assert tab.run(texts.format("li")) == [f"Run {HOSTILE}:1", "Stop.1", "One a-b.1", "Two.1"]
    assert [*while_written[:2], while_written[3]] == shown[:3]
    assert while_written[2] == [f"Run {HOSTILE}: [1]", "Stop. [1]", "One a-b. [1]", "Two. [1]"]
    assert tab.run("[...document.querySelectorAll('#text ol')].map((list) => list.start)") == [1, 2]
    assert tab.run("document.querySelectorAll('#text .marker').length") == 8
    assert tab.text("#text .sentence > p:has(span)").split() == "It is so.1 It was so.1".split()
    assert tab.text("#text .sentence.quiet") == "It is not stated why."
    assert tab.run("document.title") != "taken"
    tab.run("document.querySelector('#text .code button').click()")
    tab.wait("document.body.innerText.includes('The code is copied.')")


def test_quote_that_is_the_answer_stands_once_and_its_chosen_sentence_is_marked_in_the_passage_too(
    tab: Tab, services: Services
) -> None:
    page_id = walk.keep_page(services)
    answered = walk.answered(page_id)
    assert answered.answer
    [cited] = answered.answer.citations
    quote = walk.TEXT[cited.start :]
    start = quote.index("It has")
    sentence = Sentence(text=quote, markers=(1,), chosen=ChosenSentence(start=start, end=start + 17))
    cited = replace(cited, quote=quote, end=len(walk.TEXT))
    question_id = ask(tab, "How many steps are there?")
    given = replace(answered.answer, text=f"{quote} [1]", sentences=(sentence,), citations=(cited,))
    walk.move(services, question_id, replace(answered, answer=given))
    tab.wait("document.querySelector('#answer.answered')")
    assert tab.text("#text mark") == "It has 176 steps."
    assert tab.run("document.querySelector('#citations q')") is None, "the answer says it already"
    assert tab.text("#citations a") == "The tower"
    tab.click("Show the passage", "#citations")
    tab.wait("document.querySelector('blockquote mark')")
    assert tab.text("blockquote mark") == "It has 176 steps."
    assert tab.text("blockquote") == walk.TEXT


def test_chosen_sentence_is_marked_in_the_passage_where_its_words_stand_before_it_too(
    tab: Tab, services: Services
) -> None:
    answered = walk.answered(walk.keep_page(services))
    assert answered.answer
    quote, start = walk.TEXT, walk.TEXT.rindex("h")
    assert quote.index("h") < start
    cited = replace(answered.answer.citations[0], quote=quote, start=0, end=len(quote))
    sentence = Sentence(text=quote, markers=(1,), chosen=ChosenSentence(start=start, end=start + 1))
    given = replace(answered.answer, text=f"{quote} [1]", sentences=(sentence,), citations=(cited,))
    question_id = ask(tab, "How many steps are there?")
    walk.move(services, question_id, replace(answered, answer=given))
    tab.wait("document.querySelector('#answer.answered')")
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    before = tab.run("document.querySelector('blockquote mark').previousSibling.data")
    assert before == quote[:start]


def test_stopped_question_is_shown_as_stopped_and_started_again(tab: Tab) -> None:
    ask(tab, "Who built it?")
    at_phase(tab, "Look it up")
    tab.run("document.getElementById('cancel').click()")
    tab.wait("document.getElementById('state').innerText.startsWith('Stopped after')")
    assert tab.run("document.getElementById('cancel').hidden")
    tab.click("Start again", "#actions")
    at_phase(tab, "Look it up")


def test_what_cannot_be_asked_is_answered_with_what_to_do(tab: Tab) -> None:
    assert ask(tab, "Who built it?", site="http://192.168.0.1/") == ""
    tab.wait("document.querySelector('#error').textContent.includes('192.168.0.1')")
    assert "add" in tab.text("#error")
    assert not tab.run("document.querySelector('#ask button[type=submit]').disabled")


def test_what_to_do_still_stands_when_the_page_has_loaded(app: FastAPI) -> None:
    loaded = threading.Event()

    @app.middleware("http")
    async def hold(request: Request, answer: RequestResponseEndpoint) -> Response:
        while request.url.path == "/api/collections" and not loaded.is_set():
            await asyncio.sleep(0.01)
        return await answer(request)

    with opened(app) as tab:
        assert ask(tab, "Who built it?", site="http://192.168.0.1/") == ""
        loaded.set()
        tab.wait("document.querySelector('#known').innerText && document.querySelector('.example')")
        assert "192.168.0.1" in tab.text("#error")


def test_first_look_says_what_is_known_and_a_question_is_asked_by_click(tab: Tab, services: Services) -> None:
    walk.move(services, walk.ask(services).id, walk.answered(walk.keep_page(services)))
    _reload(tab)
    tab.wait("document.querySelector('.example')")
    assert tab.text("#known").startswith("1 page is known. If that is not enough, pages found by Wikipedia may be")
    tab.run("document.querySelector('.example').click()")
    tab.wait("location.hash.length > 1")
    tab.wait("document.getElementById('asked-text').innerText === 'Who built the lighthouse?'")


def test_first_look_suggests_what_the_pages_read_answer(tab: Tab, services: Services) -> None:
    tab.wait("document.querySelector('.example')")
    assert tab.text("#examples h3") == "Try, read from Wikipedia"
    for number, name in enumerate(("tower", "waiting", "private", "copy")):
        hours = PageText(
            title=f"The {name}",
            text=f"{name * 9} opens at {number}. " * 20,
            headings=((0, "Opening hours"),),
            lang="en",
        )
        with services.database.write() as session:
            page_id, _ = pages.save(
                session,
                url=f"https://{name}.example/",
                host=f"https://{name}.example",
                page=hours,
                content_hash=name,
                validators=Validators(),
                depth=0,
                now=services.now(),
            )
            row = session.get_one(PageRow, page_id)
            row.state = IndexState.FETCHED if name == "waiting" else IndexState.INDEXED
            row.private, row.duplicate_of = name == "private", 1 if name == "copy" else None
    _reload(tab)
    tab.wait("document.querySelector('.example')")
    assert tab.text("#examples h3") == "Try"
    assert tab.run("[...document.querySelectorAll('.example')].map((each) => each.innerText)") == [
        "Opening hours (The tower)?"
    ]
    tab.run("document.querySelector('.example').click()")
    tab.wait("document.getElementById('asked-text').innerText === 'Opening hours (The tower)?'")


@pytest.mark.parametrize("width", [320, 900])
def test_page_fits_the_screen(tab: Tab, services: Services, width: int) -> None:
    tab.resize(width, 800)
    question_id = ask(tab, "Who built " + "the-very-long-word-without-a-space" * 5 + "?")
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))
    tab.wait("document.querySelector('#answer.answered')")
    assert tab.run("document.documentElement.scrollWidth") <= width
    tab.run("document.getElementById('menu').click()")
    tab.wait("document.activeElement.id === 'find'")
    for place in ("sources", "pages", "files", "collections", "keys", "operations"):
        tab.run(f"location.hash = '{place}'")
        tab.wait(f"document.title.toLowerCase().startsWith('{place}') && document.querySelector('#place h2')")
        assert tab.run("document.documentElement.scrollWidth") <= width, place


def test_key_is_asked_for_and_the_question_is_watched_with_it(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_keys": (SecretStr("ask:a-key"),)})
    with opened(create_app(services)) as tab:
        tab.wait("!document.getElementById('key-form').hidden && !document.getElementById('error').hidden")
        assert "X-API-Key" in tab.text("#error")
        tab.run("document.getElementById('key').value = 'a-key'")
        tab.run("document.querySelector('#key-form button').click()")
        tab.wait("document.getElementById('key-form').hidden && document.getElementById('error').hidden")
        question_id = ask(tab, "Who built it?")
        at_phase(tab, "Look it up")
        walk.move(services, question_id, walk.answered(walk.keep_page(services)))
        tab.wait("document.querySelector('#answer.answered')")
        tab.run("document.querySelector('.marker').click()")
        tab.wait("document.querySelector('blockquote mark')")


def _wait_for_page(services: Services, question_id: str, url: str) -> None:
    """Have a page chosen for the question, and say so."""
    with services.database.write() as session:
        found = [Candidate(url=url)]
        candidates.add(session, question_id, found, wave=0, status=CandidateStatus.WAITING, now=services.now())
    services.events.publish(question_id, "status", {"status": "READING", "candidates": [url]})


def test_question_is_asked_with_what_the_form_says_of_it(tab: Tab, services: Services) -> None:
    tab.run("document.getElementById('choices').open = true")
    tab.wait("document.querySelectorAll('#answer-language option').length > 1")
    chosen = {"exclude": "https://example.org/forum/", "published-after": "2020-01-31", "length": "report"}
    for name, value in (chosen | {"answer-language": "de"}).items():
        tab.fill(f"#{name}", value)
    tab.run("document.getElementById('verbatim').click()")
    tab.fill("#instructions", "In a table.")
    asked = (
        "everywhere, not example.org/forum, after 2020-01-31, as a report, in German, only quotes, written as you say"
    )
    assert tab.text("#chosen") == asked
    question_id = ask(tab, "Who built the lighthouse?")
    with services.database.read() as session:
        own = state.find(session, question_id).overrides
    assert own == Overrides(
        exclude_sites=["https://example.org/forum/"],
        published_after=datetime(2020, 1, 31, tzinfo=UTC),
        length="report",
        answer_language="de",
        verbatim=True,
        instructions="In a table.",
    )
