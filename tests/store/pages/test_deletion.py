"""A page that is deleted takes what was derived from it with it, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from domain import Answer
from domain.answer import StructuredAnswer, StructuredField
from domain.record import ContextHit
from store.pages import deletion
from store.questions import answers
from store.sql.database import Database
from store.sql.tables import AnswerRow, EvidenceRow, PageRow, StepRow
from tests.store import walk
from tests.store.walk import NOW, ask


@pytest.mark.parametrize(
    ("detail", "cleared"),
    [
        ({"top": [{"passage": "1-3"}]}, True),
        ({"queries": ["1-3"]}, False),
        ({"top": [{"url": "https://example.org/a"}]}, True),
        ({"top": [{"url": "https://example.org/a/more"}]}, False),
    ],
)
def test_only_traces_that_saw_the_page_are_cleared(database: Database, detail: dict[str, Any], cleared: bool) -> None:
    page_id, question_id = walk.page(database), ask(database)
    with database.write() as session:
        step = {"name": "test", "cycle": 0, "attempt": 1, "outcome": "x", "started_at": NOW, "finished_at": NOW}
        session.add(StepRow(question_id=question_id, detail=detail, **step))
    with database.write() as session:
        assert (question_id in deletion.delete_page(session, page_id, NOW)) == cleared


def test_only_answers_that_were_made_with_the_page_are_withdrawn(database: Database) -> None:
    first, second = walk.page(database), walk.page(database, path="b")
    made, other = ask(database), ask(database, "another question")
    for question_id, page_id, text in ((made, first, "Paris."), (other, second, f'"{first}-1" is a score.')):
        _save(database, question_id, page_id, text)
    with database.write() as session:
        assert deletion.delete_page(session, first, NOW) == {made}


@pytest.mark.parametrize("purged", [False, True])
def test_answer_that_was_made_meanwhile_keeps_nothing_of_the_page(database: Database, purged: bool) -> None:
    page_id, question_id = walk.page(database), ask(database)
    with database.write() as session:
        deletion.delete_page(session, page_id, NOW)
        if purged:
            deletion.purge(session, [page_id])
            assert session.get(PageRow, page_id) is None
    assert _save(database, question_id, page_id, "Paris.") == []
    assert len(_save(database, question_id, walk.page(database, path="b"), "Lyon.")) == 1


def test_answer_that_is_not_known_is_withdrawn_where_it_names_the_page(database: Database) -> None:
    page_id, other, same = walk.page(database), ask(database), ask(database, "another question")
    with database.write() as session:
        for question_id, path in ((other, "ab"), (same, "a")):
            text = f"That is not known. Near are “A page” (https://example.org/{path})."
            answers.add(session, question_id, walk.answer(text), verdict=None, context=[], final=True, now=NOW)
    with database.write() as session:
        assert deletion.delete_page(session, page_id, NOW) == {same}


#: of a withdrawn answer: whose it is, when it was made and what it cost
KEPT = {"id", "question_id", "revision", "provisional", "text", "composer", "cost", "created_at", "stale_at"}


def test_withdrawn_answer_keeps_no_other_field(database: Database) -> None:
    page_id, question_id = walk.page(database), ask(database)
    _save(database, question_id, page_id, "Paris.")
    with database.write() as session:
        row = session.scalars(select(AnswerRow)).one()
        row.structured, row.related, row.notice = {"city": "Paris"}, ["And Paris?"], "Of Paris."
    with database.write() as session:
        deletion.delete_page(session, page_id, NOW)
        row = session.scalars(select(AnswerRow)).one()
        assert {name for name, value in vars(row).items() if value and name in AnswerRow.__table__.columns} <= KEPT
        assert row.text == deletion.WITHDRAWN


def test_answer_is_withdrawn_whose_form_alone_cites_the_page(database: Database) -> None:
    page_id, question_id = walk.page(database), ask(database)
    with database.write() as session:
        answers.add(session, question_id, _with_form(page_id), verdict=None, context=[], final=True, now=NOW)
    with database.write() as session:
        assert set(session.scalars(select(EvidenceRow.page_id))) == {page_id}
        deletion.delete_page(session, page_id, NOW)
        row = session.scalars(select(AnswerRow)).one()
        assert (row.text, row.structured) == (deletion.WITHDRAWN, None)


def test_form_is_not_kept_that_cites_a_page_deleted_meanwhile(database: Database) -> None:
    page_id, question_id = walk.page(database), ask(database)
    with database.write() as session:
        deletion.delete_page(session, page_id, NOW)
        row = answers.add(session, question_id, _with_form(page_id), verdict=None, context=[], final=False, now=NOW)
        assert row.structured is None


def _with_form(page_id: int) -> Answer:
    """Return an answer that cites nothing itself, and a value that cites the page."""
    [citation] = walk.answer(page_id=page_id).citations
    field = StructuredField(path="/city", value="Paris", confidence=0.9, citation=citation)
    return replace(walk.answer(), structured=StructuredAnswer(value={"city": "Paris"}, fields=(field,)))


def _save(database: Database, question_id: str, page_id: int, text: str) -> list[Any]:
    hit = ContextHit(rank=1, score=1.0, passage_id=f"{page_id}-0", page_id=page_id, url="u", title=text, text=text)
    with database.write() as session:
        row = answers.add(session, question_id, walk.answer(), verdict=None, context=[hit], final=False, now=NOW)
        return list(row.context)
