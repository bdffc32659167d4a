"""Readers' feedback is stored by revision, and confirmed answers become examples."""

from __future__ import annotations

from datetime import timedelta

import pytest

from domain import Status
from domain.record import FeedbackVerdict
from store.questions import feedback
from store.questions.feedback import NothingToJudge, SolvedReader
from store.questions.state import Move
from store.questions.trace import LookupDetail
from store.sql.database import Database
from tests.store import walk
from tests.store.walk import NOW, answered, ask, move, record

LATER = NOW + timedelta(seconds=30)
HIT = {"rank": 1, "passage": "1:0", "score": 0.8, "scale": "minmax", "similarity": 0.6, "bm25": 3.0, "via": ""}


def _say(database: Database, question_id: str, verdict: FeedbackVerdict, revision: int | None = None) -> None:
    with database.write() as session:
        feedback.give(session, question_id, verdict, comment="so", revision=revision, now=LATER)


def _answered(
    database: Database, text: str = "Capital of France?", *, lang: str = "en", says: str = "Paris.", **terms: object
) -> str:
    question_id = ask(database, text, lang=lang, **terms)
    end = answered(walk.page(database), says)
    detail = LookupDetail(hits=3, question_type="general", top=[HIT])
    move(database, question_id, Move(to=end.to, outcome="sufficient", detail=detail, answer=end.answer))
    return question_id


def test_what_was_said_last_counts_and_the_trace_keeps_all(database: Database) -> None:
    question_id = _answered(database)
    _say(database, question_id, "wrong")
    _say(database, question_id, "right")
    seen = record(database, question_id)
    assert seen.feedback is not None
    assert (seen.feedback.verdict, seen.feedback.comment, seen.feedback.revision) == ("right", "so", 1)
    assert [timing.step for timing in seen.timings] == ["retrieve"]
    with database.read() as session:
        assert [outcome.verdict for outcome in feedback.outcomes(session)] == ["right"]


def test_outcome_holds_what_the_judge_saw(database: Database) -> None:
    _say(database, _answered(database), "citation_wrong")
    with database.read() as session:
        (outcome,) = feedback.outcomes(session)
    assert (outcome.question, outcome.lang, outcome.verdict) == ("Capital of France?", "en", "citation_wrong")
    assert outcome.features["composer"] == "extractive"
    assert outcome.features.keys() == {"composer", "embedder", "evidence"}


def test_feedback_on_an_answer_that_is_not_there_is_refused(database: Database) -> None:
    question_id = ask(database)
    with pytest.raises(NothingToJudge, match="no answer 0"):
        _say(database, question_id, "right")
    move(database, question_id, answered())
    with pytest.raises(NothingToJudge, match="no answer 7"):
        _say(database, question_id, "right", revision=7)


def test_confirmed_answers_are_examples_those_with_most_words_in_common_first(database: Database) -> None:
    for text, verdict in (
        ("Capital of Italy?", "right"), ("How deep is the sea?", "right"), ("Capital of Spain?", "wrong"),
    ):  # fmt: skip
        _say(database, _answered(database, text), verdict)  # type: ignore[arg-type]
    _say(database, _answered(database, "Hauptstadt von Italien?", lang="de"), "right")
    solved = SolvedReader(database, "")
    like = solved.like("Capital of France?", lang="en", at_most=5)
    assert [each.question for each in like] == ["Capital of Italy?", "How deep is the sea?"]
    assert [each.question for each in solved.like("Capital of France?", lang="en", at_most=1)] == [like[0].question]


def test_honest_unknown_is_no_example_however_right(database: Database) -> None:
    question_id = ask(database, lang="en")
    nothing = walk.answer("That is not known.")
    move(database, question_id, Move(to=Status.ABSTAINED, outcome="insufficient", answer=nothing))
    _say(database, question_id, "right")
    assert SolvedReader(database, "").like("Capital of France?", lang="en", at_most=5) == []


def test_confirmed_answers_are_examples_for_their_owner_alone_or_for_all_where_they_are_nobodys(
    database: Database,
) -> None:
    for text, owner in (("Capital of Italy?", None), ("Capital of Spain?", "key:a"), ("Capital of Peru?", "key:b")):
        _say(database, _answered(database, text, owner=owner), "right")
    for owner, shown in ((None, {"Italy"}), ("key:a", {"Italy", "Spain"}), ("key:b", {"Italy", "Peru"})):
        asking = ask(database, f"Capital of France, {owner}?", lang="en", owner=owner)
        like = SolvedReader(database, asking).like("Capital of France?", lang="en", at_most=5)
        assert {each.question.removeprefix("Capital of ").rstrip("?") for each in like} == shown
