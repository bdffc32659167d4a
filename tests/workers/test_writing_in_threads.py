"""Questions wait for a model together, and a worker that dies in the middle of its calls costs these calls only."""

from __future__ import annotations

import signal
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from domain import Status
from domain.flow import STEPS
from evals.model.wire import Wait
from store.questions import records
from store.sql.leases import LEASE_S
from store.sql.tables import BatchedRequestRow, QuestionRow, StepRow
from tests.claude_double import KEY, ClaudeDouble
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.workers.questions import test_batches
from tests.workers.questions.test_lookup import ask as asked
from tests.workers.questions.test_lookup import reading as reading
from tests.workers.questions.test_writing import SUPPORTED, WROTE, look, write
from tests.workers.questions.test_writing import written as written
from tests.workers.test_pools_threads import Sender, worker
from workers import sweep
from workers.processes.supervise import wait_until
from workers.services import Services

__all__ = ["ask", "double", "made", "server"]

pytestmark = pytest.mark.timeout(300)

QUESTIONS = 30
WRITE = STEPS[Status.WRITING]


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch, written: Services, double: ClaudeDouble, valkey_url: str) -> Services:
    """Services on whose database a worker works, too."""
    given = {"REDIS_URL": valkey_url, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": double.url}
    for name, value in given.items():
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    return written


@pytest.fixture
def waiting(shared: Services, double: ClaudeDouble, valkey_url: str) -> Services:
    """Services whose questions wait for a model that is silent for a minute; each of their messages was sent twice."""
    ids = [look(shared, asked(shared)).id for _ in range(QUESTIONS)]
    shared.__dict__["dispatcher"] = Sender(valkey_url)
    for question_id in 2 * ids:
        shared.dispatcher.send(WRITE.name, question_id)
    double.script(*[Wait(60)] * QUESTIONS)
    return shared


def _statuses(services: Services) -> set[str]:
    with services.database.read() as session:
        return set(session.scalars(select(QuestionRow.status)))


def test_questions_wait_at_once_and_are_asked_for_again_only_when_their_worker_died(
    waiting: Services, double: ClaudeDouble, tmp_path: Path
) -> None:
    with worker(tmp_path / "log") as process:
        assert wait_until(lambda: len(double.received) == QUESTIONS, within_s=60), (tmp_path / "log").read_text()
        process.send_signal(signal.SIGKILL)
    assert _statuses(waiting) == {Status.WRITING}
    with waiting.database.write() as session:  # the time of a lease goes by
        late = waiting.now() - timedelta(seconds=LEASE_S)
        session.execute(update(QuestionRow).values(lease_until=late, due_at=late))
    sweep.sweep(waiting)
    with worker(tmp_path / "second"):
        assert wait_until(lambda: _statuses(waiting) == {Status.ANSWERED}, within_s=60), (
            tmp_path / "second"
        ).read_text()
    with waiting.database.read() as session:
        steps = session.scalars(select(StepRow.outcome).where(StepRow.name == WRITE.step)).all()
        ids = session.scalars(select(QuestionRow.id)).all()
        composers = {records.read(session, each, waiting.now()).composer for each in ids}
    assert steps == ["written"] * QUESTIONS
    assert len(composers) == 1
    assert len(double.received) == QUESTIONS + 2 * QUESTIONS  # cut off; the answer, and the check of its sentences


def test_batch_is_neither_lost_nor_sent_twice_when_its_sender_is_killed(
    shared: Services, double: ClaudeDouble, valkey_url: str, tmp_path: Path
) -> None:
    """Kill -9 between the making of a batch and the storing of its id; it costs two starts of a worker."""
    for _ in range(2):
        write(shared, look(shared, test_batches.asked(shared)))
    shared.__dict__["dispatcher"] = Sender(valkey_url)
    double.batches.let_go = threading.Event()
    with worker(tmp_path / "log") as process:
        shared.dispatcher.send("wellread.batch", "")
        assert wait_until(lambda: double.batches.made == 1, within_s=60), (tmp_path / "log").read_text()
        process.send_signal(signal.SIGKILL)
    double.batches.let_go.set()
    long_ago = shared.now() - timedelta(minutes=11)
    double.batches.last.created_at = long_ago
    with shared.database.write() as session:
        session.execute(update(BatchedRequestRow).values(sent_at=long_ago))

    def beat() -> None:
        """Do what beat has done: read and send batches, and sweep."""
        shared.dispatcher.send("wellread.batch", "")
        sweep.sweep(shared)
        time.sleep(0.5)

    with worker(tmp_path / "second"):
        assert wait_until(lambda: _batch_ids(shared) == {"msgbatch_1"}, within_s=60, meanwhile=beat)
        double.batches.last.end(WROTE, WROTE)
        assert wait_until(lambda: double.batches.made > 1, within_s=60, meanwhile=beat)

        def end_and_beat() -> None:
            for batch in double.batches.held.copy().values():
                if batch.results is None:
                    batch.end(*[SUPPORTED] * len(batch.requests))
            beat()

        answered = wait_until(lambda: _statuses(shared) == {Status.ANSWERED}, within_s=60, meanwhile=end_and_beat)
        assert answered, (tmp_path / "second").read_text()
    assert double.received == []  # no call was single
    assert double.batches.deleted[0] == "msgbatch_1"


def _batch_ids(services: Services) -> set[str | None]:
    with services.database.read() as session:
        return set(session.scalars(select(BatchedRequestRow.batch_id)))
