"""What waits and what came of late is counted alike on each database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from domain import Candidate, Cost, ReadOutcome, Status
from store import activity
from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.questions import new_questions, state
from store.questions.state import Move
from store.questions.trace import WriteDetail
from store.sql.database import Database
from store.sql.tables import CandidateRow, QuestionRow

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def ask(database: Database, *, ago: timedelta) -> str:
    with database.write() as session:
        question, _ = new_questions.ask(session, new_questions.NewQuestion(text="Who?"), NOW - ago)
    return question.id


def end(database: Database, question_id: str, *, usd: float, ago: timedelta) -> None:
    detail = WriteDetail(asked=("answer",), cost=Cost(model="m", input_tokens=100, output_tokens=10, usd=usd))
    move = Move(to=Status.ABSTAINED, outcome="insufficient", detail=detail)
    with database.write() as session:
        row = state.lock(session, question_id)
        assert row is not None
        began, now = NOW - ago - timedelta(seconds=2), NOW - ago
        state.record_locked(session, row, move, step="retrieve", started_at=began, now=now)


def test_due_questions_are_counted_with_the_age_of_the_oldest(database: Database) -> None:
    for minutes in (1, 3, 2):
        ask(database, ago=timedelta(minutes=minutes))
    asked = QuestionRow.status == Status.ASKED
    with database.read() as session:
        assert activity.due(session, QuestionRow, asked, NOW) == activity.Due(number=3, oldest_s=180)
        assert activity.due(session, QuestionRow, asked, NOW - HOUR) == activity.Due(number=0, oldest_s=0)


def test_counting_ends_at_its_bound(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "MOST_COUNTED", 2)
    for _ in range(3):
        ask(database, ago=HOUR)
    with database.read() as session:
        assert activity.count(session, QuestionRow.status == Status.ASKED) == 2


def test_costs_and_ends_are_of_the_time_asked_for(database: Database) -> None:
    for usd, ago in ((0.25, timedelta(0)), (0.5, timedelta(minutes=30)), (4.0, 2 * HOUR)):
        end(database, ask(database, ago=ago), usd=usd, ago=ago)
    with database.read() as session:
        assert activity.model_costs(session, NOW - HOUR) == activity.ModelCosts(usd=0.75, tokens=220)
        assert activity.questions_ended(session, NOW - HOUR)[Status.ABSTAINED] == 2
        assert activity.step_times(session) == [("retrieve", 2)] * 3


def test_outcomes_are_of_what_was_settled_lately_whenever_it_was_found(database: Database) -> None:
    found = [Candidate(url=f"https://example.org/{number}") for number in range(3)]
    with database.write() as session:
        ids = candidates.add(session, None, found, wave=0, status=CandidateStatus.WAITING, now=NOW - 5 * HOUR)
        for row_id, ago in zip(ids, (timedelta(0), timedelta(minutes=10), 2 * HOUR), strict=True):
            gone = CandidateOutcome(outcome=ReadOutcome.GONE)
            candidates._finish(session, CandidateRow.id == row_id, gone, NOW - ago)
        assert activity.crawl_outcomes(session, NOW - HOUR) == {"gone": 2}
