"""What a page names is kept when it is embedded, found by the next question, counted, and gone with the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from domain import Fact, PageText, Question, Status, Validators
from store.pages import pages
from store.questions import new_questions, records
from store.questions.new_questions import NewQuestion
from store.sql.tables import MentionRow, PageRow
from tests.fakes import HashingEmbedder
from workers import indexing
from workers.questions import lookup, transitions
from workers.questions.step import finish, step
from workers.services import Services

FILM = PageText(
    title="Maximum Overdrive (film) | Films",
    text="Maximum Overdrive is a film of 1986. It was shot in a town in North Carolina and written by Stephen King.",
    lang="en",
)
KING = PageText(
    title="Stephen King", text="His mother raised him in Portland, where he came into the world.", lang="en"
)
PRICE = "The museum shows old machines. Opening hours: 9 to 5."
HOURS = PageText(
    title="Steam Museum",
    text=PRICE,
    lang="en",
    facts=(Fact(subject="Steam Museum", predicate="Opening hours", object="9 to 5", start=46, end=52),),
)
FILLER = [
    PageText(title=f"Town {at}", text=f"A town in which a writer of a film was born in 19{at:02}.", lang="en")
    for at in range(30)
]


@pytest.fixture
def reading(services: Services) -> Services:
    services.__dict__["embedder"] = HashingEmbedder()
    for page in (FILM, KING, HOURS, *FILLER):
        put(services, page)
    return services


def put(services: Services, page: PageText) -> int:
    url = f"https://e.org/{page.title.replace(' ', '-')}"
    page_id, _ = services.write(
        pages.save,
        url=url,
        host="h",
        page=page,
        content_hash=page.text,
        validators=Validators(),
        depth=0,
        now=services.now(),
    )
    indexing.embed(services, page_id)
    return page_id


def ask(services: Services, text: str) -> Question:
    question, _ = services.write(new_questions.ask, NewQuestion(text=text), services.now())
    return question


def mentions(services: Services, page_id: int) -> int:
    with services.database.read() as session:
        return session.scalar(select(func.count()).where(MentionRow.page_id == page_id)) or 0


def test_a_page_that_a_hit_names_is_found_and_counted(reading: Services) -> None:
    question = ask(reading, "Where was the writer of the film Maximum Overdrive born?")
    result = lookup.first_pass(reading, question)
    named = next(hit for hit in result.hits if hit.passage.title == "Stephen King")
    assert named.via == "graph"
    with step(reading, question.id, Status.ASKED) as work:
        assert work is not None
        finish(reading, work, transitions.after_first_pass(question, result))
    record = reading.read(records.read, question.id, reading.now())
    assert record.graph_hits_count == sum(hit.via == "graph" for hit in result.hits) > 0
    assert record.sql_hits_count == 0


def test_a_fact_that_answers_is_found_counted_and_its_passage_is_there(reading: Services) -> None:
    result = lookup.first_pass(reading, ask(reading, "What are the opening hours of the Steam Museum?"))
    assert [stated.fact.object for stated in result.facts] == ["9 to 5"]
    assert any("9 to 5" in hit.passage.text for hit in result.hits)
    assert transitions.detail_of(result).sql_hits == 1


def test_what_is_switched_off_counts_nothing(reading: Services) -> None:
    tools = reading.tools
    reading.__dict__["tools"] = replace(tools, enhancements=tools.enhancements - {"graph", "facts"})
    for text in (
        "Where was the writer of the film Maximum Overdrive born?",
        "What are the Steam Museum's opening hours?",
    ):
        detail = transitions.detail_of(lookup.first_pass(reading, ask(reading, text)))
        assert (detail.graph_hits, detail.sql_hits) == (0, 0)


def test_a_changed_page_names_what_it_says_now_and_one_that_is_gone_nothing(reading: Services) -> None:
    page_id = put(reading, replace(FILM, text="Maximum Overdrive is a film."))
    before = mentions(reading, page_id)
    assert before > 0
    reading.write(pages.mark_gone, page_id, reading.now())
    indexing.embed(reading, page_id)
    assert mentions(reading, page_id) == 0
    with reading.database.read() as session:
        assert session.get_one(PageRow, page_id).state == "INDEXED"
