"""Run one process of Wellread: a worker of one queue, beat, or Flower."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from domain.errors import WellreadError
from workers.settings import LOOPBACK, SECRETS_DIR, Settings

if TYPE_CHECKING:
    from celery.beat import Service
    from celery.utils.dispatch import Signal

#: the queue of a process that runs no task, and so loads none
NO_TASKS = "none"
#: the queues whose work lets those who wait for an answer go first
YIELDING = ("crawl", "embed")


class FlowerExposed(WellreadError):
    """Flower would listen beyond loopback without a password."""


class UnknownQueue(WellreadError):
    """There is no such queue."""


def run_worker(settings: Settings, queue: str) -> None:
    """Run a Celery worker for one queue until it is stopped."""
    os.environ["WELLREAD_QUEUE"] = queue  # before the application is imported: it loads this queue's tasks
    from celery import signals
    from celery.utils.nodenames import host_format

    from store.sql.database import Database, check_schema
    from workers.app import app
    from workers.broker import tolerate_faults
    from workers.processes.priority import yield_processor
    from workers.queues import QUEUE_NAMES
    from workers.services import completeness
    from workers.services.logs import log_libraries_as_json, quiet_ticks
    from workers.services.stopping import give_back_after
    from workers.warm_up import load_before_fork

    tolerate_faults()
    if queue not in QUEUE_NAMES:
        raise UnknownQueue(f"There is no queue {queue!r}: it is one of {', '.join(QUEUE_NAMES)}.")
    if settings.logs == "json":
        log_libraries_as_json()  # warnings before Celery asks for it
        signals.setup_logging.connect(log_libraries_as_json, weak=False)
    _wait_for_schema(settings)
    check_schema(Database(settings.database))
    if queue in ("answer", "embed"):
        completeness.check_once(settings)
    if queue in YIELDING:
        yield_processor()
    quiet_ticks()
    give_back_after(settings.stop_s)
    load_before_fork(queue)
    if settings.alive_file:
        _touch_at(signals.heartbeat_sent, settings.alive_file)
    # not by Celery's command line, which would load all its commands, and Flower's
    worker = app.Worker(
        hostname=host_format(f"{queue}-{os.getpid()}@%h"),
        queues=[queue],
        concurrency=processes(settings, queue),
        pool_cls="prefork",
        without_gossip=True,
        without_mingle=True,
        loglevel="INFO",
        quiet=settings.logs == "json",  # its banner
    )
    worker.start()
    sys.exit(worker.exitcode)


def processes(settings: Settings, queue: str) -> int:
    """Return how many processes work on a queue; only one may write passages."""
    return {"answer": settings.answer_processes, "crawl": settings.crawl_processes}.get(queue, 1)


def run_beat(settings: Settings) -> None:
    """Run beat: it sends the tasks that sweep, refresh and maintain."""
    os.environ["WELLREAD_QUEUE"] = NO_TASKS
    from celery import signals

    from workers.app import app
    from workers.processes.heartbeat import start_heartbeat_of_beat
    from workers.services.logs import log_libraries_as_json, quiet_ticks

    quiet_ticks()
    if settings.alive_file:
        _touch_at(signals.after_task_publish, settings.alive_file)
    if settings.logs == "json":
        log_libraries_as_json()  # warnings before Celery asks for it
        signals.setup_logging.connect(log_libraries_as_json, weak=False)
    start_heartbeat_of_beat(settings.redis)
    signals.beat_init.connect(end_when_told, weak=False)
    app.Beat(loglevel="INFO", schedule="", quiet=settings.logs == "json").run()


def end_when_told(sender: Service, **_: object) -> None:
    """Have beat end with the round that it is in where the exception that ends it gets lost, as in a finaliser."""

    def stop(*_: object) -> None:
        sender.stop()
        raise SystemExit

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def run_flower(settings: Settings) -> None:
    """Run Flower, read-only; it reads a password from FLOWER_BASIC_AUTH itself, which may come from a secret's file."""
    secret = SECRETS_DIR / "flower_basic_auth"
    if secret.is_file():
        os.environ.setdefault("FLOWER_BASIC_AUTH", secret.read_text("utf-8").strip())
    if settings.flower_host not in LOOPBACK and not os.environ.get("FLOWER_BASIC_AUTH"):
        raise FlowerExposed(
            f"Flower would listen on {settings.flower_host} without a password: "
            "set FLOWER_BASIC_AUTH=user:password, or leave WELLREAD_FLOWER_HOST at 127.0.0.1."
        )
    os.environ["WELLREAD_QUEUE"] = NO_TASKS
    from workers.monitoring.flower import run

    sys.argv = ["wellread"]
    run(settings)


def _touch_at(sent: Signal, path: str) -> None:
    """Touch a file whenever the process' main loop sends this signal: a probe looks at its time, and asks nobody."""

    def touch(**_: object) -> None:
        with suppress(OSError):  # a full disk must not stop the work; the probe sees an old file
            Path(path).touch()

    sent.connect(touch, weak=False)


def _wait_for_schema(settings: Settings, within_s: float = 30.0) -> None:
    """Wait for a running migration."""
    from store.sql.database import Database, check_schema
    from store.sql.errors import DatabaseError
    from workers.processes.supervise import wait_until

    def is_there() -> bool:
        try:
            check_schema(Database(settings.database))
        except DatabaseError:
            return False
        return True

    wait_until(is_there, within_s=within_s)
