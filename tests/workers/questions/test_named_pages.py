"""Pages that a question names, and documents that come with it: its answer comes from them alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from domain import Status
from domain.question import Attached
from domain.record import Record
from pipeline.answering.compose import topic_for_page
from store.questions import records
from store.questions.new_questions import NEW_THREAD, NewQuestion
from store.questions.state import find
from store.sql.tables import PageRow
from tests.one_process import Process, one_process
from tests.tables import each_row
from text.urls import urls_in, without_urls
from workers.questions import submit

FERRY = (
    "The harbour office keeps the register of boats, and every boat that stays is written into it by the clerk on duty."
)
CAPTAIN = "The captain of the ferry is Ingrid Moe."
CRANE = (
    "<h1>The crane</h1><p>The crane lifts twelve tonnes of stone, and it has stood on the quay since 1911.</p>"
    "<h2>Fees</h2><p>The fee for the crane is 40 euros an hour, and half of it for members of the club.</p>"
    "<h2>Crew</h2><p>Two people work at the crane in summer. Bo Lund is their foreman, and he has the keys.</p>"
    "<a href='/ferry.html'>The ferry</a>"
)
LIFTS, FEE, CREW = (part for part in ("lifts twelve tonnes", "40 euros an hour", "Two people work"))
PAGE = '<!doctype html><html lang="en"><title>{title}</title><body>{text}</body></html>'


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    web = {
        "/ferry.html": PAGE.format(title="Ferry", text=f"<h1>Ferry</h1><p>{FERRY}</p><p>{CAPTAIN}</p>"),
        "/crane.html": PAGE.format(title="Crane", text=CRANE),
        "/crane-again.html": PAGE.format(title="Crane", text=CRANE),
    }
    with one_process(web) as process:
        process.know({"Ferry": "The captain of the ferry is Olaf Lund. He is 40 years old."})
        yield process


def ask(process: Process, text: str, **more: Any) -> Record:
    """Ask as every caller does; U stands for the site."""
    services = process.services
    new = NewQuestion(text=text.replace("U/", f"{services.settings.searxng_url}/"), **more)
    question, _ = submit.submit(services, new)
    process._calls.work()
    return services.read(records.read, question.id, services.now())


#: questions, and what the answer holds and does not
ASKED: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("What does U/ferry.html say about the captain?", (CAPTAIN,), ("Olaf", "register")),
    ("Summarize U/ferry.html", (FERRY, CAPTAIN), ("Olaf",)),
    ("Summarise U/crane.html in three sentences, please.", (LIFTS, FEE, CREW), ()),
    ("Fasse U/crane.html zusammen!", (LIFTS, FEE, CREW), ()),
    ("总结 U/crane.html", (LIFTS, FEE, CREW), ()),
    ("<U/crane.html>", (LIFTS, FEE, CREW), ()),
    ("Who is the foreman of the crane, according to U/crane-again.html?", ("Bo Lund is their foreman",), ("tonnes",)),
    ("Summarize U/crane.html and U/ferry.html", (LIFTS, FERRY), ("Olaf",)),
    ("Read U/ferry.html and tell me who the captain is.", (CAPTAIN,), ("Olaf",)),
    ("Who is the foreman of the crane, according to U/crane.html?", ("Bo Lund is their foreman",), ("tonnes",)),
]


def test_answer_comes_from_the_page_that_is_named(process: Process) -> None:
    for text, said, unsaid in ASKED:
        record = ask(process, text)
        assert record.status is Status.ANSWERED, text
        assert all(each in str(record.answer) for each in said), (text, record.answer)
        assert not any(each in str(record.answer) for each in unsaid), (text, record.answer)
        assert all(citation.url.startswith(process.services.settings.searxng_url) for citation in record.citations)


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ("What does U/ferry.html say about the captain?", "And about the register?", FERRY),
        ("Summarize U/ferry.html", "And about the register?", FERRY),
        ("What does U/ferry.html say about the register?", "And who is the captain of the ferry?", CAPTAIN),
    ],
)
def test_follow_up_goes_on_with_the_page_that_was_named(first: str, then: str, said: str, process: Process) -> None:
    before = ask(process, first, thread_id=NEW_THREAD)
    record = ask(process, then, after_id=before.id)
    assert record.status is Status.ANSWERED
    assert said in str(record.answer)
    assert {citation.url.rpartition("/")[2] for citation in record.citations} == {"ferry.html"}


def test_nothing_but_the_named_page_is_read_or_quoted(process: Process) -> None:
    record = ask(process, "What does U/crane.html say about the captain?")
    assert record.outcome != "answered"
    assert {citation.url.rpartition("/")[2] for citation in record.citations} <= {"crane.html"}
    assert {page.url.rpartition("/")[2] for page in record.pages} <= {"crane.html"}
    missing = ask(process, "What is on U/missing.html?")
    assert missing.status is Status.ABSTAINED
    assert "404" in str(missing.stop_reason)


def test_page_of_a_site_is_not_the_site(process: Process) -> None:
    record = ask(process, "Summarize U/")
    assert record.status is Status.ABSTAINED
    assert {page.url.partition("//")[2].partition("/")[2] for page in record.pages} == {""}


def test_page_that_may_not_be_read_is_words(process: Process) -> None:
    record = ask(process, "Why does http://10.0.0.1/x not answer?", crawl_enabled=False)
    question = process.services.read(find, record.id)
    assert (question.sites, question.overrides.only_pages) == ((), False)


def test_page_that_an_ask_key_names_serves_its_question_alone() -> None:
    with one_process({"/own.html": PAGE.format(title="Own", text=f"<p>{FERRY}</p>")}) as process:
        record = ask(process, "Summarize U/own.html", private=True)
        with process.services.database.read() as session:
            (private,) = session.scalars(select(PageRow.private).where(PageRow.url.endswith("/own.html")))
        assert (record.status, private) == (Status.ANSWERED, True)


TABLE = "| Service | Port | Owner |\n| --- | --- | --- |\n| Mail relay | 2525 | Platform team |\n"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which port does the mail relay use?", "2525"),
        ("Who is the owner of the mail relay?", "Platform team"),
        ("Who is the owner of the billing service?", ""),
        ("When was the mail relay restarted?", ""),
    ],
)
def test_table_of_a_header_and_a_row_answers_as_the_only_document(question: str, said: str, process: Process) -> None:
    record = ask(process, question, attached=(Attached(name="services.md", text=TABLE),))
    assert (record.status is Status.ANSWERED) == bool(said)
    assert said in str(record.answer)


@each_row(
    ("text", "urls", "topic"),
    [
        ("What does https://a.org/x say about the captain?", ["https://a.org/x"], ("captain",)),
        ("What does https://a.org/q?id=7&x=1? say about the crane?", ["https://a.org/q?id=7&x=1"], ("crane",)),
        ("TL;DR (https://a.org/x_(y)).", ["https://a.org/x_(y)"], ()),
        ("Summarize <https://a.org/x>, “https://b.org/?q=1,2”!", ["https://a.org/x", "https://b.org/?q=1,2"], ()),
        ("**https://a.org/x** https://a.org/x", ["https://a.org/x"], ()),
        ("Was steht auf https://a.org/x über den Kran?", ["https://a.org/x"], ("kran",)),
        ("Que dit https://a.org/x ?", ["https://a.org/x"], ()),
        ("Resume https://a.org/x en tres frases", ["https://a.org/x"], ()),
        ("О чём говорится на https://a.org/x?", ["https://a.org/x"], ()),
        ("https://a.org/x の要約", ["https://a.org/x"], ()),
        ("According to https://a.org/x, who built the pier?", ["https://a.org/x"], None),
        ("How high is the fee? See https://a.org/x", ["https://a.org/x"], None),
    ],
)
def test_urls_and_topics_of_questions(text: str, urls: list[str], topic: tuple[str, ...] | None) -> None:
    assert (urls_in(text), topic_for_page(text)) == (urls, topic)


def test_sentence_goes_on_after_a_url() -> None:
    assert without_urls("Who is it (see https://a.org/x)? Or http://b.org/.", "the page") == (
        "Who is it (see the page)? Or the page."
    )
