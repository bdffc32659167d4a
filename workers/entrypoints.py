"""Run one process of Wellread: a worker of some queues, beat, or Flower."""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from domain.errors import WellreadError
from domain.flow import QUEUES, WORKERS
from workers.settings import LOOPBACK, SECRETS_DIR, Settings, SettingsError

if TYPE_CHECKING:
    from celery.beat import Service
    from celery.utils.dispatch import Signal

#: the queue of a process that runs no task, and so loads none
NO_TASKS = "none"


class UnknownQueue(WellreadError):
    """There is no such queue."""


def run_worker(settings: Settings, *names: str, beat: bool = False) -> None:
    """Run a Celery worker for these queues, and those served with them, until it is stopped; raises UnknownQueue.

    With ``beat`` it also sends what is due again and again.
    """
    for name in names:
        if name not in WORKERS:
            raise UnknownQueue(f"There is no worker for a queue {name!r}: it is one of {', '.join(WORKERS)}.")
    # before the application is imported: it loads these queues' tasks
    os.environ["WELLREAD_QUEUE"] = ",".join(names)
    from celery import signals
    from celery.utils.nodenames import host_format

    from workers.app import app
    from workers.broker import tolerate_faults
    from workers.pools import Threads, pool_size

    tolerate_faults()
    _set_up_logs(settings)
    _check_schema(settings)
    if any(QUEUES[name].opens_passages for name in names):
        from workers.services import completeness

        completeness.check_once(settings)
    if settings.alive_file:
        _touch_at(signals.heartbeat_sent, settings.alive_file)
    if beat:
        _start_beat(settings)
    # not by Celery's command line, which would load all its commands, and Flower's
    worker = app.Worker(
        hostname=host_format(f"{'-'.join(names)}-{os.getpid()}@%h"),
        queues=[queue for name in names for queue in WORKERS[name]],
        concurrency=sum(pool_size(settings, QUEUES[name]) for name in names),
        pool_cls=Threads,
        without_gossip=True,
        without_mingle=True,
        loglevel="INFO",
        quiet=settings.logs == "json",  # its banner
    )
    worker.start()
    # a thread may still be at work on what was given back: it must not hold the process
    os._exit(worker.exitcode or bool(getattr(worker.pool, "hung", ())))


def _start_beat(settings: Settings) -> None:
    """Run beat in a thread; the process ends if that does."""
    from celery.beat import EmbeddedService

    from workers.app import app
    from workers.processes.heartbeat import BEAT, start_heartbeat

    beat = EmbeddedService(app, thread=True, scheduler_cls=app.conf.beat_scheduler)

    def run() -> None:
        try:
            beat.run()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    start_heartbeat(settings.redis, BEAT, os.getpid())
    Thread(target=run, name="beat", daemon=True).start()


def run_beat(settings: Settings) -> None:
    """Run beat: it sends the tasks that sweep, refresh and maintain."""
    os.environ["WELLREAD_QUEUE"] = NO_TASKS
    from celery import signals

    from workers.app import app
    from workers.processes.heartbeat import BEAT, start_heartbeat

    if settings.alive_file:
        _touch_at(signals.after_task_publish, settings.alive_file)
    _set_up_logs(settings)
    start_heartbeat(settings.redis, BEAT, os.getpid())
    signals.beat_init.connect(end_when_told, weak=False)
    app.Beat(loglevel="INFO", schedule="", quiet=settings.logs == "json").run()


def end_when_told(sender: "Service", **_: object) -> None:
    """Have beat end with the round that it is in where the exception that ends it gets lost, as in a finaliser."""

    def stop(*_: object) -> None:
        sender.stop()
        raise SystemExit

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def run_flower(settings: Settings) -> None:
    """Run Flower, read-only, and on loopback for requests that name loopback alone.

    It reads a password from FLOWER_BASIC_AUTH itself, which may come from a secret's file.
    """
    secret = SECRETS_DIR / "flower_basic_auth"
    if secret.is_file():
        os.environ.setdefault("FLOWER_BASIC_AUTH", secret.read_text("utf-8").strip())
    if settings.flower_host not in LOOPBACK and not os.environ.get("FLOWER_BASIC_AUTH"):
        raise SettingsError(
            f"Flower would listen on {settings.flower_host} without a password: "
            "set FLOWER_BASIC_AUTH=user:password, or leave WELLREAD_FLOWER_HOST at 127.0.0.1."
        )
    os.environ["WELLREAD_QUEUE"] = NO_TASKS
    from flower import command
    from flower.app import Flower
    from flower.views.error import NotFoundErrorHandler

    from workers.app import app
    from workers.processes.stack import free_port

    class LoopbackFlower(Flower):  # type: ignore[misc]
        """Answers requests whose Host is loopback, any other with 404.

        A page elsewhere whose name resolves to this machine could otherwise read what Flower shows (DNS rebinding).
        """

        def find_handler(self, request: Any, **kwargs: Any) -> Any:
            """Return what answers a request."""
            if urlsplit(f"//{request.host}").hostname in LOOPBACK:
                return super().find_handler(request, **kwargs)
            return self.get_handler_delegate(request, NotFoundErrorHandler)

    free_port(settings.flower_host, settings.flower_port, "WELLREAD_FLOWER_PORT")
    sys.argv = ["wellread"]
    if settings.flower_host in LOOPBACK:
        command.Flower = LoopbackFlower
    app.start(["flower", f"--address={settings.flower_host}", f"--port={settings.flower_port}", "--read_only=True"])


def _set_up_logs(settings: Settings) -> None:
    from celery import signals

    from workers.services.logs import log_libraries_as_json, quiet_ticks

    quiet_ticks()
    if settings.logs == "json":
        log_libraries_as_json()  # warnings before Celery asks for it
        signals.setup_logging.connect(log_libraries_as_json, weak=False)


def _touch_at(sent: "Signal", path: str) -> None:
    """Touch a file whenever the process' main loop sends this signal: a probe looks at its time, and asks nobody."""

    def touch(**_: object) -> None:
        with suppress(OSError):  # a full disk must not stop the work; the probe sees an old file
            Path(path).touch()

    sent.connect(touch, weak=False)


def _check_schema(settings: Settings, within_s: float = 30.0) -> None:
    """Raise what is wrong with the tables once a running migration has had time to end."""
    from store.sql.database import Database, DatabaseError, check_schema

    give_up, database = time.monotonic() + within_s, Database(settings.database)
    while True:
        try:
            check_schema(database)
            return
        except DatabaseError:
            if time.monotonic() > give_up:
                raise
        time.sleep(0.05)
