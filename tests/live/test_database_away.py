"""Work waits for PostgreSQL to be started again: what it reads, and what it has done before that is recorded."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from benchmarks.postgres import postgres
from domain import Status
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.questions.state import Move
from store.sql import leases
from store.sql.database import Database, DatabaseAway, migrate
from store.sql.tables import QuestionRow
from workers.services.interruptions import recorded

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]


def test_a_step_is_recorded_when_the_database_is_back() -> None:
    with postgres() as server:
        migrate(server.url)
        database = Database(server.url)
        now = datetime.now(UTC)
        with database.write() as session:
            question_id = new_questions.ask(session, NewQuestion(text="Who is asked?"), now)[0].id
            lease = leases.claim(session, QuestionRow, question_id, QuestionRow.status == Status.ASKED, now)
        assert lease is not None
        held = lease
        move = Move(to=Status.ANSWERED, outcome="done")
        tried: list[bool] = []
        starting = threading.Thread(target=server.restart)

        def record() -> bool:
            tried.append(True)
            if len(tried) == 2:  # the first found nobody
                starting.start()
            with database.write() as session:
                return state.record(session, held, move, step="retrieve", started_at=now, now=now)

        server.stop()
        with pytest.raises(DatabaseAway), database.read():
            database.engine.connect()
        assert recorded(record)
        starting.join()
        assert len(tried) > 1
        with database.read() as session:
            assert state.get(session, question_id).status == Status.ANSWERED
        assert recorded(record) is False  # the second time it changes nothing
        database.close()


def test_what_reads_and_writes_waits_for_a_database_that_is_started_again() -> None:
    with postgres() as server:
        patient, hasty = Database(server.url, waits_s=30.0), Database(server.url)
        for database in (patient, hasty):
            with database.read() as session:
                assert session.scalar(text("SELECT 1")) == 1
        server.stop()
        with pytest.raises(DatabaseAway), hasty.read() as session:
            session.scalar(text("SELECT 2"))
        starting = threading.Timer(1.0, server.restart)
        starting.start()
        with patient.read() as session:
            assert session.scalar(text("SELECT 3")) == 3
        starting.join()
        with patient.write() as session:
            assert session.scalar(text("SELECT 4")) == 4
        patient.close()
        hasty.close()


def test_a_database_that_stays_away_is_given_up() -> None:
    with postgres() as server:
        server.stop()
        database = Database(server.url, waits_s=1.0)
        with pytest.raises(DatabaseAway), database.read() as session:
            session.scalar(text("SELECT 1"))
        server.restart()  # as it is ended
        database.close()
