"""An answer is given again exactly as long as its evidence is unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from domain import Status
from store.crawl import sources
from store.pages import index_queue, pages
from store.questions import answers, feedback, state
from store.questions.state import Changes, Move
from store.sql.database import Database
from store.sql.tables import CandidateRow, PageRow
from tests.store import walk
from tests.store.walk import NOW, abstained, answered, ask, move, record, status

SOON, LATER = NOW + timedelta(seconds=30), NOW + timedelta(minutes=30)


def _answered(database: Database, page_id: int | None = None) -> str:
    question_id = ask(database)
    move(database, question_id, answered(page_id or walk.page(database)))
    return question_id


def _vanish(database: Database) -> None:
    with database.write() as session:
        pages.mark_gone(session, 1, SOON)


def _replace(database: Database) -> None:
    walk.page(database, "Lyon is the capital.", at=SOON)


def _delete(database: Database) -> None:
    with database.write() as session:
        session.delete(session.get_one(PageRow, 1))


def _contradict(database: Database) -> None:
    with database.write() as session:
        first = session.query(state.QuestionRow).order_by(state.QuestionRow.created_at).first()
        assert first is not None
        feedback.give(session, first.id, "wrong", comment="", revision=None, now=SOON)


def test_answer_is_given_again_with_its_citations_and_costs_nothing(database: Database) -> None:
    first = _answered(database)
    again = record(database, ask(database, "capital of FRANCE", at=LATER), LATER)
    assert (again.status, again.answer, again.cached_from) == (Status.ANSWERED, "Paris.", first)
    assert again.citations == record(database, first).citations
    assert (again.cost.usd, again.seconds, [timing.step for timing in again.timings]) == (0.0, 0.0, ["reuse"])
    third = record(database, ask(database, at=LATER), LATER)
    assert third.cached_from == first  # where it was made, however often it was given again


@pytest.mark.parametrize("change", [_vanish, _replace, _delete, _contradict])
def test_answer_whose_evidence_changed_or_that_is_wrong_is_not_given_again(
    database: Database, change: Callable[[Database], None]
) -> None:
    _answered(database)
    change(database)
    assert status(database, ask(database, at=LATER)) == "ASKED"


def test_page_that_was_read_again_and_says_the_same_changes_nothing(database: Database) -> None:
    first = _answered(database)
    walk.page(database, at=SOON)
    assert record(database, ask(database, at=LATER)).cached_from == first


@pytest.mark.parametrize(("confidence", "after"), [(0.7, "ASKED"), (0.9, "ANSWERED")])
def test_an_unsure_answer_is_not_given_again_once_something_was_read(
    database: Database, confidence: float, after: str
) -> None:
    question_id, known = ask(database), answered(walk.page(database))
    assert known.answer
    move(database, question_id, replace(known, answer=replace(known.answer, confidence=confidence)))
    assert status(database, ask(database, at=SOON)) == "ANSWERED"
    walk.page(database, "Nice is by the sea.", path="b", at=SOON)
    assert status(database, ask(database, at=LATER)) == after


def test_answer_without_citation_is_not_given_again(database: Database) -> None:
    move(database, ask(database), answered())
    assert status(database, ask(database, at=LATER)) == "ASKED"


def test_evidence_read_too_long_ago_is_not_evidence(database: Database) -> None:
    for max_age_s, expected in ((3600, "ANSWERED"), (60, "ASKED")):
        move(database, ask(database, max_age_s=max_age_s), answered(walk.page(database)))
        assert status(database, ask(database, max_age_s=max_age_s, at=LATER)) == expected


def test_quote_that_no_longer_stands_when_the_answer_is_recorded_makes_it_stale_at_once(database: Database) -> None:
    first = ask(database)
    page_id = walk.page(database)
    _replace(database)  # between composing and recording
    move(database, first, answered(page_id))
    assert record(database, first).stale
    assert status(database, ask(database, at=LATER)) == "ASKED"


def test_change_marks_the_answers_that_cite_the_page_and_no_others(database: Database) -> None:
    one, two = walk.page(database, path="a"), walk.page(database, path="b")
    first, second = ask(database, "One?"), ask(database, "Two?")
    move(database, first, answered(one))
    move(database, second, answered(two))
    walk.page(database, "Something else.", path="a", at=SOON)
    with database.write() as session:
        assert answers.mark_stale(session, [one, two], SOON) == 1
        assert answers.mark_stale(session, [one, two], LATER) == 0
    assert (record(database, first).stale, record(database, second).stale) == (True, False)
    assert (record(database, first).stale_at, record(database, second).stale_at) == (SOON, None)


def test_unknown_holds_while_nothing_was_read(database: Database) -> None:
    terms = {"crawl_enabled": False, "sites": ("https://example.org/",)}
    move(database, ask(database, **terms), abstained())
    assert status(database, ask(database, at=LATER, **terms)) == "ABSTAINED"
    walk.page(database, path="new", at=SOON)
    assert status(database, ask(database, at=LATER, **terms)) == "ASKED"


def test_unknown_ends_when_what_was_read_before_can_be_found(database: Database) -> None:
    page_id = walk.page(database)
    with database.write() as session:
        session.get_one(PageRow, page_id).state = "FETCHED"
    move(database, ask(database, crawl_enabled=False), abstained())
    with database.write() as session:
        [(lease, _)] = index_queue.claim(session, page_id, NOW, most=1, most_characters=1_000)
        assert index_queue.mark_indexed(session, lease, SOON)
    assert status(database, ask(database, crawl_enabled=False, at=LATER)) == "ASKED"


def _unknown_after_crawl(database: Database, cycle: int = 1) -> None:
    question_id = ask(database)
    began = Changes(crawl_started_at=NOW, cycle=cycle)
    move(database, question_id, Move(to=Status.SEEKING, outcome="x", changes=began))
    move(database, question_id, abstained())


def test_web_is_not_asked_again_at_once_but_after_a_while(database: Database) -> None:
    _unknown_after_crawl(database)
    assert status(database, ask(database, at=SOON)) == "ABSTAINED"
    assert status(database, ask(database, at=LATER)) == "ASKED"


def _add_source(database: Database) -> None:
    with database.write() as session:
        sources.add(session, "https://example.net/", own=False, min_delay_s=None, now=SOON)


def _fail_one(database: Database) -> None:
    with database.write() as session:
        question = session.query(state.QuestionRow).one()
        session.add(
            CandidateRow(
                question_id=question.id, url="https://example.org/x", kind="page", score=0.0, depth=0, origin="link",
                text="", wave=0, status="SETTLED", outcome="failed", created_at=NOW, due_at=NOW,
            )
        )  # fmt: skip


@pytest.mark.parametrize("change", [_add_source, _fail_one])
def test_web_is_asked_again_when_another_try_may_find_more(
    database: Database, change: Callable[[Database], None]
) -> None:
    _unknown_after_crawl(database)
    change(database)
    assert status(database, ask(database, at=SOON)) == "ASKED"


def test_crawl_that_used_up_its_budget_is_not_the_last_word(database: Database) -> None:
    _unknown_after_crawl(database, cycle=6)
    assert status(database, ask(database, at=SOON)) == "ASKED"


def test_whoever_wants_no_answer_again_is_given_none(database: Database) -> None:
    _answered(database)
    assert status(database, ask(database, reuse=False, at=LATER)) == "ASKED"
