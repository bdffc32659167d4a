"""Standing questions are asked again when their evidence changed, and a change is told once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from domain import Status
from store.questions import answers, new_questions, state, watches
from store.questions.state import Move
from store.sql.database import Database
from store.sql.tables import PageRow, WebhookRow
from tests.store import walk
from tests.store.walk import NOW, abstained, answered, ask, move, record

SOON, LATER = NOW + timedelta(seconds=30), NOW + timedelta(minutes=30)
URL = "https://example.org/told"


def _change(database: Database, text: str = "Lyon is the capital.", path: str = "a") -> int:
    page_id = walk.page(database, text, path=path, at=SOON)
    with database.write() as session:
        answers.mark_stale(session, [page_id], SOON)
    return page_id


def _due(database: Database) -> list[str]:
    with database.read() as session:
        return watches.due(session)


def _ask_again(database: Database, question_id: str) -> None:
    with database.write() as session:
        row = state.lock(session, question_id)
        assert row is not None
        state.ask_again(session, row, SOON)
        new_questions.start_from_cache_or_run(session, row, SOON)


def _told(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(WebhookRow.event).order_by(WebhookRow.id)))


def _watched(database: Database, **terms: object) -> str:
    question_id = ask(database, watch=True, callback_url=URL, **terms)
    move(database, question_id, answered(walk.page(database)))
    return question_id


def test_only_the_watched_question_whose_evidence_changed_is_due(database: Database) -> None:
    watched = _watched(database)
    alone = ask(database, reuse=False)
    move(database, alone, answered(1))
    other = ask(database, "Another?", watch=True)
    move(database, other, answered(walk.page(database, path="b")))
    assert _due(database) == []
    _change(database)
    assert _due(database) == [watched]


def test_question_waits_until_the_knowledge_base_holds_the_new_text(database: Database) -> None:
    watched = _watched(database)
    page_id = _change(database)
    for index_state, due in (("FETCHED", []), ("INDEXED", [watched])):
        with database.write() as session:
            session.get_one(PageRow, page_id).state = index_state
        assert _due(database) == due


def test_new_answer_is_told_once_under_the_same_id(database: Database) -> None:
    watched = _watched(database)
    assert _told(database) == ["question.answered"]
    page_id = _change(database)
    _ask_again(database, watched)
    assert (record(database, watched).status, record(database, watched).round) == (Status.ASKED, 1)
    assert _due(database) == []
    new = answered(page_id, "Lyon.", "Lyon is the capital.")
    assert move(database, watched, new, at=LATER)
    assert not move(database, watched, new, at=LATER)
    assert _told(database) == ["question.answered", "question.changed"]
    seen = record(database, watched)
    assert (seen.answer, seen.revision, seen.stale, seen.changed_at) == ("Lyon.", 2, False, LATER)
    with database.read() as session:
        assert watches.just_changed(session, watched) == [watched]


def test_same_answer_from_a_changed_page_is_not_told(database: Database) -> None:
    watched = _watched(database)
    page_id = _change(database, "Paris is the capital. And more.")
    _ask_again(database, watched)
    move(database, watched, answered(page_id), at=LATER)
    assert _told(database) == ["question.answered"]
    assert record(database, watched).changed_at is None
    _change(database, "Paris is the capital. And even more.")
    assert _due(database) == [watched]


def test_equal_standing_questions_share_the_new_run_and_are_each_told(database: Database) -> None:
    first, second = _watched(database), ask(database, watch=True, callback_url=URL)
    assert record(database, second).cached_from == first
    page_id = _change(database)
    assert sorted(_due(database)) == sorted([first, second])
    _ask_again(database, first)
    _ask_again(database, second)
    assert record(database, second).shared_with == first
    move(database, first, answered(page_id, "Lyon.", "Lyon is the capital."), at=LATER)
    assert sorted(_told(database)) == ["question.answered"] * 2 + ["question.changed"] * 2
    with database.read() as session:
        assert sorted(watches.just_changed(session, first)) == sorted([first, second])


def test_answer_that_became_unknown_is_told(database: Database) -> None:
    watched = _watched(database)
    _change(database)
    _ask_again(database, watched)
    move(database, watched, abstained(), at=LATER)
    assert _told(database)[-1] == "question.changed"


@pytest.mark.parametrize("end", [Status.FAILED, Status.TIMED_OUT, Status.CANCELLED])
def test_new_round_that_gives_no_answer_tells_nothing_and_is_not_repeated_for_ever(
    database: Database, end: Status
) -> None:
    watched = _watched(database)
    _change(database)
    _ask_again(database, watched)
    move(database, watched, Move(to=end, outcome="x"), at=LATER)
    assert _told(database) == ["question.answered"]
    assert _due(database) == []
    assert record(database, watched).answer == "Paris."


def test_unknown_is_asked_again_when_something_was_read_but_not_at_once(database: Database) -> None:
    watched = ask(database, watch=True, sites=("https://example.org/",))
    move(database, watched, abstained())

    def outdated(at_minutes: int) -> int:
        with database.read() as session:
            return len(watches.unknown_outdated(session, NOW + timedelta(minutes=at_minutes)))

    assert outdated(60) == 0
    walk.page(database, path="new", at=SOON)
    assert (outdated(5), outdated(60)) == (0, 1)
    with database.write() as session:
        watches.outdate(session, watches.unknown_outdated(session, LATER), LATER)
    assert _due(database) == [watched]


def test_watch_of_an_answered_question_tells_what_comes_after(database: Database) -> None:
    question_id = ask(database)
    move(database, question_id, answered(walk.page(database)))
    for url in (URL, ""):  # again without a URL: it stays what it was
        with database.write() as session:
            watches.add(session, question_id, url, SOON)
    page_id = _change(database)
    _ask_again(database, question_id)
    move(database, question_id, answered(page_id, "Lyon.", "Lyon is the capital."), at=LATER)
    assert _told(database) == ["question.changed"]
    with database.write() as session:
        assert watches.remove(session, question_id)
        assert not watches.remove(session, question_id)
    _change(database, "Nice is the capital.")
    assert _due(database) == []


def test_question_that_is_asked_again_has_the_time_that_its_asker_gave_it(database: Database) -> None:
    watched = _watched(database, deadline_s=60.0)
    for at in (SOON, LATER):
        with database.write() as session:
            row = state.lock(session, watched)
            assert row is not None
            state.ask_again(session, row, at)
            assert row.deadline == at + timedelta(seconds=60)
