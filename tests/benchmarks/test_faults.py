"""The harness of faults: what it counts, that each fault strikes, and a short run of it."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.faults import ledger, strike
from benchmarks.faults.measure import measure
from benchmarks.faults.service import Service
from benchmarks.faults.strike import Fault
from benchmarks.report import Options
from domain import Status
from evals.sandbox import sandbox
from store.questions import new_questions, state, trace
from store.questions.new_questions import NewQuestion
from store.sql.database import Database
from tests.servers import valkey_server
from workers.processes.supervise import wait_until

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _asked(database: Database, text: str) -> str:
    with database.write() as session:
        return new_questions.ask(session, NewQuestion(text=text), NOW)[0].id


def _step(database: Database, question_id: str, name: str, *, attempt: int = 1, to: Status | None = None) -> None:
    with database.write() as session:
        row = state.lock(session, question_id)
        assert row is not None
        trace.add(
            session,
            row,
            name,
            outcome="done",
            detail={},
            started_at=NOW,
            now=NOW + timedelta(seconds=1),
            attempt=attempt,
        )
        if to is not None:
            state.advance(session, row, to, NOW)


def test_what_came_of_questions_is_counted(database: Database) -> None:
    open_one, failed, twice = (_asked(database, text) for text in ("Who is open?", "Who failed?", "Who came twice?"))
    _step(database, failed, "retrieve", to=Status.FAILED)
    for name in ("retrieve", "retry", "retry", "seek", "requery", "seek", "requery"):
        _step(database, twice, name)
    _step(database, open_one, "retrieve", attempt=3)
    with database.read() as session:
        outcome = ledger.count(session, [open_one, failed, twice, "never stored"])
    assert (outcome.lost, outcome.missing, outcome.open) == (2, 1, 2)
    assert (outcome.steps_twice, outcome.duplicated) == (1, 1)  # a wave after another repeats nothing
    assert outcome.steps == 9
    assert ledger.count_open(database) == 2


def test_an_end_without_its_one_answer_is_counted(database: Database) -> None:
    ended = _asked(database, "Who has no answer?")
    _step(database, ended, "retrieve", to=Status.ANSWERED)
    with database.read() as session:
        assert ledger.count(session, [ended]).answers_twice == 1
        assert ledger.count(session, []).rows_twice == 1


def test_each_fault_strikes_once_before_one_strikes_again() -> None:
    faults = [Fault(name=name, strike=lambda: None) for name in "abcd"]
    with strike.striking(faults, every_s=0.001) as strikes:
        assert wait_until(lambda: len(strikes.names) >= 12, within_s=30)
    rounds = [sorted(strikes.names[at : at + 4]) for at in (0, 4, 8)]
    assert rounds == [["a", "b", "c", "d"]] * 3


def test_while_a_fault_strikes_alone_no_other_does() -> None:
    go_on = threading.Event()
    alone = Fault(name="alone", strike=lambda: go_on.wait(60), alone=True)
    with strike.striking([alone, Fault(name="other", strike=lambda: None)], every_s=0.001) as strikes:
        assert wait_until(lambda: "alone" in strikes.names, within_s=30)
        before = len(strikes.names)
        time.sleep(0.2)
        assert len(strikes.names) == before
        go_on.set()
        assert wait_until(lambda: len(strikes.names) > before, within_s=30)


def test_faults_are_over_at_the_end() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(60)
        ended.set()

    with strike.striking([Fault(name="slow", strike=slow)], every_s=60):
        begun.wait(60)
        threading.Timer(0.05, go_on.set).start()
    assert ended.is_set()


def test_a_stopped_process_goes_on() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        seen = psutil.Process(process.pid)
        stopping = threading.Thread(target=strike.stop, args=(lambda: {"api": process.pid}, "api", 1.0))
        stopping.start()
        assert wait_until(lambda: seen.status() == psutil.STATUS_STOPPED, within_s=30)
        stopping.join()
        assert wait_until(lambda: seen.status() != psutil.STATUS_STOPPED, within_s=30)
        strike.kill(lambda: {"api": process.pid}, "api")
        strike.kill(dict, "api")  # gone already


def test_a_valkey_is_found_although_it_writes_over_its_arguments() -> None:
    with valkey_server():
        assert "valkey" in strike.programs_of(os.getpid())


def test_what_was_killed_is_started_again_until_it_is_ended() -> None:
    with sandbox() as settings:
        service = Service(("sleep", "60"), settings, os.environ)
        try:
            assert wait_until(lambda: service.starts == 1, within_s=30)
            first = service.pid
            service.kill()
            assert (service.starts, service.pid == first) == (2, False)
        finally:
            service.end()
        assert not psutil.pid_exists(service.pid)


@pytest.mark.live
@pytest.mark.timeout(600)
@pytest.mark.nightly
def test_a_short_run_loses_and_doubles_nothing(tmp_path: Path) -> None:
    report = measure(Options(passages=1_000, rounds=1, folder=tmp_path, embedder="minilm", questions=16)).as_json()
    assert {name: report[name] for name in ("lost", "duplicated", "stuck")} == {"lost": 0, "duplicated": 0, "stuck": 0}
    assert sum(report["faults"].values()) > 1
    assert sum(report["repeated"].values()) == round(report["repeated_share"] * _figure(report, "steps"))


def _figure(report: dict[str, Any], name: str) -> float:
    return next(float(figure["value"]) for figure in report["figures"] if figure["name"] == name)
