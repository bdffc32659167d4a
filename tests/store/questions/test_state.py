"""A question is asked once, moved by whoever holds it, and ends once."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from domain import Answer, Candidate, Cost, Question, Sentence, Status, Verdict
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus, CrawlUse
from store.questions import records, trace
from store.questions.new_questions import IdempotencyConflict, NewQuestion, ask
from store.questions.state import Changes, Move, UnknownQuestion, cancel, dead, find, record, replay
from store.questions.trace import LookupDetail, WriteDetail
from store.sql import leases
from store.sql.database import Database
from store.sql.tables import CandidateRow, QuestionRow, WebhookRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ANSWER = Answer(
    text="Paris.", sentences=(Sentence(text="Paris."),), citations=(), confidence=0.9, composer="extractive"
)
VERDICT = Verdict(sufficient=True, confidence=0.9, reason="covered")


def _ask(database: Database, new: NewQuestion | None = None) -> Question:
    with database.write() as session:
        return ask(session, new or NewQuestion(text="Capital of France?"), NOW)[0]


def _claim(database: Database, question: Question, at: datetime = NOW) -> leases.Lease:
    with database.write() as session:
        lease = leases.claim(session, QuestionRow, question.id, QuestionRow.status == question.status, at)
    assert lease is not None
    return lease


def _record(database: Database, lease: leases.Lease, move: Move) -> bool:
    with database.write() as session:
        return record(session, lease, move, step="retrieve", started_at=NOW, now=NOW + timedelta(seconds=2))


def test_an_answer_ends_the_question_and_stands_in_its_record(database: Database) -> None:
    question = _ask(database)
    move = Move(to=Status.ANSWERED, outcome="sufficient", detail=LookupDetail(hits=3), answer=ANSWER, verdict=VERDICT)
    assert _record(database, _claim(database, question), move)
    with database.read() as session:
        seen = records.read(session, question.id, NOW)
    assert (seen.status, seen.answer, seen.provisional, seen.rag_hits_count) == (Status.ANSWERED, "Paris.", False, 3)
    assert seen.final_step == "phase1_initial_lookup"
    assert seen.seconds == 2


def test_an_answer_before_the_end_is_provisional_and_the_next_one_replaces_it(database: Database) -> None:
    question = _ask(database)
    _record(database, _claim(database, question), Move(to=Status.RETRYING, outcome="insufficient", answer=ANSWER))
    with database.read() as session:
        first = records.read(session, question.id, NOW)
        question = find(session, question.id)
    later = _claim(database, question, NOW + timedelta(seconds=3))
    final = Answer(text="Lyon.", sentences=(), citations=(), confidence=0.5, composer="extractive")
    _record(database, later, Move(to=Status.ANSWERED, outcome="sufficient", answer=final))
    with database.read() as session:
        second = records.read(session, question.id, NOW)
    assert (first.provisional, first.revision) == (True, 1)
    assert (second.provisional, second.revision, second.answer) == (False, 2, "Lyon.")


def test_a_worker_that_lost_its_lease_records_nothing(database: Database) -> None:
    question = _ask(database)
    slow = _claim(database, question)
    fast = _claim(database, question, NOW + timedelta(seconds=leases.LEASE_S + 1))
    assert _record(database, fast, Move(to=Status.RETRYING, outcome="insufficient"))
    assert not _record(database, slow, Move(to=Status.ANSWERED, outcome="sufficient", answer=ANSWER))
    with database.read() as session:
        assert records.read(session, question.id, NOW).answer is None


def test_a_step_delivered_twice_is_recorded_once(database: Database) -> None:
    question = _ask(database)
    lease = _claim(database, question)
    move = Move(to=Status.RETRYING, outcome="insufficient", answer=ANSWER)
    assert [_record(database, lease, move) for _ in range(2)] == [True, False]
    with database.read() as session:
        assert len(records.read(session, question.id, NOW).timings) == 1


def test_the_same_idempotency_key_gives_the_same_question(database: Database) -> None:
    new = NewQuestion(text="Once?", idempotency_key="k1")
    first = _ask(database, new)
    with database.write() as session:
        again, is_new = ask(session, new, NOW)
    assert (again.id, is_new) == (first.id, False)


def test_an_idempotency_key_is_not_lent_to_another_question(database: Database) -> None:
    _ask(database, NewQuestion(text="Once?", idempotency_key="k2"))
    with pytest.raises(IdempotencyConflict, match="'k2' belongs to another question"):
        _ask(database, NewQuestion(text="Twice?", idempotency_key="k2"))


OWN = "0123456789abcdef" * 2


def test_askers_own_id_is_the_questions_and_a_repeat_is_harmless(database: Database) -> None:
    new = NewQuestion(text="Once?", id=OWN)
    assert _ask(database, new).id == OWN
    for again in (new, replace(new, idempotency_key="k3")):  # the first fits; the second is found by its id
        with database.write() as session:
            found, is_new = ask(session, again, NOW)
        assert (found.id, is_new) == (OWN, False)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (NewQuestion(text="Twice?", id=OWN), f"The id '{OWN}' belongs to another question"),
        (NewQuestion(text="Once?", id="f" * 32, idempotency_key="k4"), "The Idempotency-Key 'k4' belongs to another"),
        (NewQuestion(text="Once?", id=OWN, idempotency_key="k5"), "belongs to another"),  # each names another question
    ],
)
def test_id_is_not_lent_to_another_question(database: Database, other: NewQuestion, said: str) -> None:
    first = _ask(database, NewQuestion(text="Once?", id=OWN, idempotency_key="k4"))
    _ask(database, NewQuestion(text="Once?", idempotency_key="k5"))
    with pytest.raises(IdempotencyConflict, match=said):
        _ask(database, other)
    with database.read() as session:
        assert find(session, first.id).text == "Once?"


def test_a_cancelled_question_takes_no_late_answer(database: Database) -> None:
    question = _ask(database)
    lease = _claim(database, question)
    with database.write() as session:
        assert cancel(session, question.id, NOW).status is Status.CANCELLED
    assert not _record(database, lease, Move(to=Status.ANSWERED, outcome="sufficient", answer=ANSWER))


def test_cancelling_an_answered_question_leaves_its_answer(database: Database) -> None:
    question = _ask(database)
    _record(database, _claim(database, question), Move(to=Status.ANSWERED, outcome="sufficient", answer=ANSWER))
    with database.write() as session:
        assert cancel(session, question.id, NOW).status is Status.ANSWERED


def test_a_failed_question_is_listed_and_can_be_replayed(database: Database) -> None:
    question = _ask(database)
    move = Move(to=Status.FAILED, outcome="attempts", changes=Changes(error="the model was away"))
    _record(database, _claim(database, question), move)
    with database.write() as session:
        assert [(row.id, row.error) for row in dead(session)] == [(question.id, "the model was away")]
        assert replay(session, question.id, NOW).status is Status.ASKED
        assert dead(session) == []


def test_a_replayed_question_begins_with_a_whole_budget(database: Database) -> None:
    question = _ask(database)
    found = Candidate(url="https://example.org/", origin="seed")
    cost = Cost(model="m", input_tokens=1_000, usd=0.4)
    failed = Move(to=Status.FAILED, outcome="attempts", detail=WriteDetail(asked=("answer",), cost=cost))
    with database.write() as session:
        candidates.add(session, question.id, [found], wave=0, status=CandidateStatus.WAITING, now=NOW)
        session.execute(update(CandidateRow).values(outcome="failed", bytes=5_000, settled_at=NOW, status="SETTLED"))
    _record(database, _claim(database, question), failed)
    with database.write() as session:
        assert candidates.used_so_far(session, question.id, NOW) == CrawlUse(pages=1, bytes=5_000, seconds=0.0)
        replay(session, question.id, NOW + timedelta(seconds=9))
    with database.write() as session:
        assert candidates.used_so_far(session, question.id, NOW) == CrawlUse(pages=0, bytes=0, seconds=0.0)
        assert candidates.add(session, question.id, [found], wave=0, status=CandidateStatus.WAITING, now=NOW)
        assert trace.spent(session, question.id) == Cost()
        assert trace.total_cost(session, question.id) == cost  # what it cost in all is still told


def test_cost_of_a_question_names_the_models_of_all_its_steps(database: Database) -> None:
    question = _ask(database)
    judged, wrote = Cost(model="small", input_tokens=500, usd=0.001), Cost(model="large", input_tokens=2_000, usd=0.02)
    with database.write() as session:
        for cost in (judged, judged + wrote):
            trace.add_cost(session, question.id, "model", cost, started_at=NOW, now=NOW)
    with database.read() as session:
        total = records.read(session, question.id, NOW).cost
    assert [(each.model, each.input_tokens) for each in total.by_model] == [("small", 1_000), ("large", 2_000)]
    assert (total.model, total.usd) == ("small, large", pytest.approx(0.022))


@pytest.mark.parametrize("deadline_s", [30.0, 7_200.0])
def test_a_replayed_question_has_the_time_that_its_asker_gave_it(database: Database, deadline_s: float) -> None:
    question = _ask(database, NewQuestion(text="Soon?", deadline_s=deadline_s))
    later = NOW + timedelta(hours=5)
    with database.write() as session:
        for at in (later, later + timedelta(hours=1)):
            cancel(session, question.id, at)
            assert replay(session, question.id, at).deadline == at + timedelta(seconds=deadline_s)


def test_the_end_of_a_question_with_a_callback_owes_one_delivery(database: Database) -> None:
    question = _ask(database, NewQuestion(text="Tell me?", callback_url="https://example.org/hook"))
    lease = _claim(database, question)
    for _ in range(2):
        _record(database, lease, Move(to=Status.ANSWERED, outcome="sufficient", answer=ANSWER))
    with database.read() as session:
        owed = session.query(WebhookRow).all()
    assert [(hook.url, hook.event) for hook in owed] == [("https://example.org/hook", "question.answered")]


def test_an_unknown_id_says_where_ids_are_listed(database: Database) -> None:
    with pytest.raises(UnknownQuestion, match="wellread status"), database.read() as session:
        find(session, "nobody")


def test_every_change_of_a_step_is_a_column_of_the_question() -> None:
    assert {change.name for change in fields(Changes)} <= set(QuestionRow.__table__.columns.keys())
