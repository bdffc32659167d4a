"""The worker of threads: its tasks wait for other services together, and whatever ends it loses and doubles nothing.

Each test starts real workers on a real Valkey, which takes some seconds: nothing else shows what Celery's pool of
threads does with messages, signals and a killed process.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
import redis
from celery import Celery
from sqlalchemy import select, update

from domain.flow import TASKS
from store.questions import webhooks
from store.questions.new_questions import NewQuestion
from store.sql.database import migrate
from store.sql.leases import LEASE_S
from store.sql.tables import QuestionRow, WebhookRow
from tests.servers import running
from workers import sweep
from workers.priorities import queue_length
from workers.processes.heartbeat import living_workers
from workers.processes.supervise import wait_until
from workers.questions import submit
from workers.services import Services
from workers.settings import load

pytestmark = pytest.mark.timeout(300)

QUEUE, WORKER = TASKS["wellread.notify"].queue, "model"
#: fewer than half of the worker's threads, two at each host but the last
WEBHOOKS = 14
HOSTS = [f"127.0.0.{each}" for each in range(2, 10)]
#: of the worker
STOP_S = 2.0


class _Receiver(ThreadingHTTPServer):
    """Answers a webhook once its address is let through, or all are."""

    daemon_threads = True
    request_queue_size = 2 * WEBHOOKS

    def __init__(self) -> None:
        super().__init__(("0.0.0.0", 0), _Told)
        self.told: Counter[str] = Counter()  #: begun requests by their webhook's id
        self.at_once, self.most_at_once = 0, 0
        self.let_through: dict[str, threading.Event] = {f"/{each}": threading.Event() for each in range(WEBHOOKS)}

    def let_all_through(self) -> None:
        for each in self.let_through.values():
            each.set()

    def handle_error(self, *_: object) -> None:
        """Say nothing of those who left before they were answered."""


class _Told(BaseHTTPRequestHandler):
    server: _Receiver

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.told[self.headers["webhook-id"]] += 1
        self.server.at_once += 1
        self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
        self.server.let_through[self.path].wait(60)
        self.server.at_once -= 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def worker(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", "api", "worker", WORKER], stdout=output, stderr=output)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait(60)


@pytest.fixture
def receiver() -> Iterator[_Receiver]:
    receiver = _Receiver()
    with running(receiver):
        yield receiver
        receiver.let_all_through()


@pytest.fixture
def services(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    valkey_url: str,
    migrated_file: Path,
    receiver: _Receiver,
) -> Iterator[Services]:
    """Services that owe a receiver its webhooks; their messages are in the queue, each of them twice."""
    redis.Redis.from_url(valkey_url).flushall()
    if getattr(request, "param", "sqlite") == "sqlite":
        shutil.copy(migrated_file, tmp_path)
    else:
        url = request.getfixturevalue("empty_postgres")
        migrate(url)
        monkeypatch.setenv("WELLREAD_DATABASE_URL", url)
    hosts = [f"{host}:{receiver.server_port}" for host in HOSTS]
    given = {"DATA_DIR": tmp_path, "REDIS_URL": valkey_url, "ALLOW_HOSTS": ",".join(hosts), "STOP_S": STOP_S}
    for name, value in (given | {"FETCH_DEADLINE_S": 40}).items():
        monkeypatch.setenv(f"WELLREAD_{name}", str(value))
    ready = Services(load())
    ready.__dict__["dispatcher"] = Sender(valkey_url)
    question, _ = submit.submit(ready, NewQuestion(text="Who built the lighthouse?"))
    submit.cancel(ready, question.id)
    with ready.database.write() as session:
        row = session.get_one(QuestionRow, question.id)
        for at, path in enumerate(receiver.let_through):
            webhooks.add(
                session, row, url=f"http://{hosts[at // 2]}{path}", event="question.cancelled", now=ready.now()
            )
    for row_id in 2 * [each.id for each in _rows(ready)]:
        ready.dispatcher.send("wellread.notify", row_id)
    yield ready
    ready.close()


class Sender:
    """Sends a task's message without what belongs to questions."""

    def __init__(self, valkey_url: str) -> None:
        self._broker = Celery(broker=valkey_url.replace("unix://", "redis+socket://"), set_as_current=False)

    def stand(self, task: str, row_id: int | str, **_: object) -> bool:
        return False

    def send(self, task: str, row_id: int | str, **_: object) -> None:
        self._broker.send_task(task, args=(row_id,) if TASKS[task].row else (), queue=TASKS[task].queue)

    def send_all(self, task: str, row_ids: Iterable[int], **_: object) -> None:
        for row_id in row_ids:
            self.send(task, row_id)

    def send_for(self, *_: object, **__: object) -> None:
        pass


def _rows(services: Services) -> list[WebhookRow]:
    with services.database.read() as session:
        return list(session.scalars(select(WebhookRow).order_by(WebhookRow.id)))


def _delivered(services: Services) -> list[bool]:
    return [row.status == "DELIVERED" for row in _rows(services)]


def _messages(services: Services) -> int:
    """How many messages wait, or are being worked on."""
    return int(services.redis.llen(QUEUE)) + int(services.redis.hlen("unacked"))


@pytest.mark.parametrize("services", ["sqlite", "postgresql"], indirect=True)
def test_webhooks_are_delivered_at_once_in_one_process_and_each_but_once(
    services: Services, receiver: _Receiver, tmp_path: Path
) -> None:
    with worker(tmp_path / "log") as process:
        # no request is answered before the last one has come
        assert wait_until(lambda: len(receiver.told) == WEBHOOKS, within_s=60), (tmp_path / "log").read_text()
        assert psutil.Process(process.pid).children() == []
        assert living_workers(services)[QUEUE] == 1
        receiver.let_all_through()
        assert wait_until(lambda: all(_delivered(services)) and not _messages(services), within_s=60)
    assert set(receiver.told.values()) == {1}


def test_worker_that_is_stopped_ends_what_it_can_and_gives_back_the_rest_at_once(
    services: Services, receiver: _Receiver, tmp_path: Path
) -> None:
    ends = [True] * 6 + [False] * (WEBHOOKS - 6)
    with worker(tmp_path / "log") as process:
        assert wait_until(lambda: len(receiver.told) == WEBHOOKS, within_s=60), (tmp_path / "log").read_text()
        process.send_signal(signal.SIGTERM)
        for each, gate in zip(ends, receiver.let_through.values(), strict=True):
            if each:
                gate.set()
        assert process.wait(STOP_S + 15) == 0  # the receiver would take ten seconds
    assert living_workers(services)[QUEUE] == 0  # the next one would count as one too many
    assert _delivered(services) == ends
    left = [row for row in _rows(services) if row.status == "WAITING"]
    assert {(row.lease_by, row.attempts) for row in left} == {(None, 0)}
    assert services.redis.hlen("unacked") == 0
    receiver.let_all_through()
    with worker(tmp_path / "second"):  # no sweep runs: the messages were sent again
        assert wait_until(lambda: all(_delivered(services)), within_s=60), (tmp_path / "second").read_text()
    assert sorted(receiver.told.values()) == [1] * 6 + [2] * (WEBHOOKS - 6)


@pytest.mark.nightly
def test_worker_that_is_told_twice_to_stop_gives_back_all_and_ends(
    services: Services, receiver: _Receiver, tmp_path: Path
) -> None:
    with worker(tmp_path / "log") as process:
        assert wait_until(lambda: len(receiver.told) == WEBHOOKS, within_s=60), (tmp_path / "log").read_text()
        for number in (signal.SIGTERM, signal.SIGQUIT):
            process.send_signal(number)
        process.wait(STOP_S + 40)
    # the receiver has ten seconds, which the second signal may take
    assert {(row.status, row.lease_by, row.attempts > 1) for row in _rows(services)} == {("WAITING", None, False)}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_calls_of_a_worker_that_is_gone_are_made_again_once_their_leases_end_and_it_records_nothing_later(
    number: signal.Signals, services: Services, receiver: _Receiver, tmp_path: Path
) -> None:
    with worker(tmp_path / "log") as process:
        assert wait_until(lambda: len(receiver.told) == WEBHOOKS, within_s=60), (tmp_path / "log").read_text()
        assert wait_until(lambda: queue_length(services.redis, QUEUE) == 0, within_s=60)
        time.sleep(1)  # the second messages are done with: who is stopped as it writes would keep others from writing
        process.send_signal(number)
        receiver.let_all_through()
        with services.database.write() as session:  # the time of a lease goes by
            late = services.now() - timedelta(seconds=LEASE_S)
            session.execute(update(WebhookRow).values(lease_until=late, due_at=late))
        assert not any(_delivered(services))

        def all_are_delivered() -> bool:
            sweep.sweep(services)  # as beat has it done: one sweep sends no more messages than are not waiting already
            return all(_delivered(services))

        with worker(tmp_path / "second"):
            assert wait_until(all_are_delivered, within_s=60), (tmp_path / "second").read_text()
        recorded = [(row.attempts, row.delivered_at) for row in _rows(services)]
        process.send_signal(signal.SIGCONT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        assert [(row.attempts, row.delivered_at) for row in _rows(services)] == recorded
    assert {attempts for attempts, _ in recorded} == {2}
    assert set(receiver.told.values()) == {2}


def test_work_goes_on_while_the_connection_to_the_broker_is_made_anew(
    services: Services, receiver: _Receiver, tmp_path: Path
) -> None:
    with worker(tmp_path / "log"):
        assert wait_until(lambda: len(receiver.told) == WEBHOOKS, within_s=60), (tmp_path / "log").read_text()
        for kind in ("normal", "pubsub"):
            services.redis.client_kill_filter(_type=kind, skipme=True)
        with services.database.write() as session:
            question = session.scalars(select(QuestionRow)).one()
            url = session.scalars(select(WebhookRow.url).limit(1)).one()
            receiver.let_through["/new"] = threading.Event()
            webhooks.add(
                session, question, url=f"{url.rpartition('/')[0]}/new", event="question.cancelled", now=services.now()
            )
        services.dispatcher.send("wellread.notify", _rows(services)[-1].id)
        assert wait_until(lambda: len(receiver.told) == WEBHOOKS + 1, within_s=60), (tmp_path / "log").read_text()
        receiver.let_all_through()

        def all_are_delivered() -> bool:
            sweep.sweep(services)  # on a slow machine the first of them have waited longer than a receiver may take
            return all(_delivered(services))

        assert wait_until(all_are_delivered, within_s=60), (tmp_path / "log").read_text()
    attempts = {f"msg_{row.question_id}_{row.id}": row.attempts for row in _rows(services)}
    assert receiver.told == attempts


def test_receivers_that_do_not_answer_hold_up_no_other_one(
    services: Services, receiver: _Receiver, tmp_path: Path
) -> None:
    with services.database.write() as session:
        question = session.scalars(select(QuestionRow)).one()
        slow = session.scalars(select(WebhookRow.url).order_by(WebhookRow.id)).all()
        for url in slow[::2] * 5:  # more of them than there are threads
            webhooks.add(session, question, url=url, event="question.cancelled", now=services.now())
        fast = slow[0].rpartition("/")[0] + "/fast"
        webhooks.add(session, question, url=fast, event="question.cancelled", now=services.now())
    receiver.let_through["/fast"] = let_through = threading.Event()
    let_through.set()
    receiver.let_through["/1"].set()  # of two at its host one does not answer
    for row in _rows(services)[WEBHOOKS:]:
        services.dispatcher.send("wellread.notify", row.id)

    def fast_is_told() -> bool:
        sweep.sweep(services)
        return _delivered(services)[-1]

    with worker(tmp_path / "log"):
        assert wait_until(lambda: len(receiver.told) >= WEBHOOKS - 1, within_s=60), (tmp_path / "log").read_text()
        assert wait_until(fast_is_told, within_s=9)
    assert receiver.most_at_once <= 16
