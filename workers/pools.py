"""Prepares what runs a worker's tasks: the processes of its pool, or threads of its own.

A process shares its worker's memory, opens what its first task needs, says so, and ends with its worker. Threads need
that once. No time limit of Celery's ends a thread: what its task waits for must have one.
"""

import gc
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any, Final

import structlog
from billiard.process import current_process
from celery import signals
from celery.concurrency.thread import TaskPool
from celery.worker.consumer import Consumer
from kombu.exceptions import ContentDisallowed

from domain.errors import WellreadError
from domain.flow import QUEUES, Queue
from text import language
from workers import monitoring
from workers.priorities import UNREADABLE
from workers.processes.fork_server import die_with_parent
from workers.processes.heartbeat import start_heartbeat
from workers.services import interruptions, services
from workers.services.interruptions import RECORD_WITHIN_S

log = structlog.get_logger()

#: the worker: it imports this before it forks
_WORKER = os.getpid()
_EVERY_S: Final = 0.2


def load_before_fork(queue: Queue) -> None:
    """Load what each process of a worker would load for itself: they begin a second sooner, and share it."""
    if queue.opens_passages:
        from store.passages import connect

        connect.load_before_fork()
    if "language" in queue.loads:
        language.load_before_fork()


@signals.worker_before_create_process.connect
def keep_shared(**_: object) -> None:
    """Have the garbage collector leave alone what the worker has loaded: it writes to all objects that it looks at.

    A page of memory that a process writes to is copied, so that it is not shared with the worker any more.
    """
    gc.collect()
    gc.freeze()


@signals.worker_process_init.connect
def start(**_: object) -> None:
    """End with the worker, open the services that the queue's first task would wait for, and count as ready then."""
    interruptions.listen()
    queue = _queue()
    # two processes must not write passages: the new worker's would find this one at work
    die_with_parent(_WORKER, signal.SIGKILL if "writer" in queue.loads else interruptions.WORKER_DIED)
    is_ready = warm_up(queue, os.getppid())
    if is_ready and queue.opens_passages and getattr(current_process(), "index", 0) == 0:  # for the whole worker
        from workers.services.completeness import look_and_warn

        Thread(target=look_and_warn, args=(services(),), name="lost passages", daemon=True).start()


class Threads(TaskPool):
    """Runs tasks in threads of the worker; what does not end in time when it stops is given back."""

    executor: ThreadPoolExecutor

    def on_start(self) -> None:
        """Open the services that the queue's first task would wait for, and count as ready then."""
        if monitoring.is_on():
            monitoring.provider()  # not by two threads at once
        warm_up(_queue(), os.getpid())

    def on_stop(self) -> None:
        """Wait for tasks that end within ``stop_s``; end the leases of the others, and their places at receivers.

        Celery sends the messages again of those that it has not acknowledged when it closes its connection, which is
        next. The threads end with the process (:func:`workers.entrypoints.run_worker`).
        """
        ending = Thread(target=self.executor.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        ending.start()
        ending.join(services().settings.stop_s)
        for opened in (services(), *services().opened_collections.values()):
            if "leases" in vars(opened):
                opened.leases.give_back()
        from workers.questions import webhooks

        webhooks.give_back(services())
        monitoring.close()

    def terminate_job(self, pid: int, signal: int | None = None) -> None:
        """Do nothing: no thread can be ended from outside. A second signal to stop asks for it."""


def _queue() -> Queue:
    name = os.environ.get("WELLREAD_QUEUE", "")
    return QUEUES.get(name, Queue(name=name))  # a benchmark's worker serves none of the table


def warm_up(queue: Queue, worker: int) -> bool:
    """Open what the queue's first task would wait for, and have the worker count as ready if that is there."""
    ready = services()
    ready.waits_s = RECORD_WITHIN_S
    try:
        if "search" in queue.loads:
            _ = ready.tools, ready.events
            ready.embedder.embed(["warm"])
            ready.reader.read("warm", [("", "warm")])
            if rerank := ready.tools.ranking.rerank:
                rerank("warm", "en", [])  # it may import scikit-learn
        if "writer" in queue.loads:
            _ = ready.passages_writer
        if "model" in queue.loads:
            _ = ready.leases
            if ready.model:
                ready.model.warm()
                language.load_before_fork()  # an answer's and its quotes' are detected
    except WellreadError as error:  # the first task meets the error again, and stores it in its row
        log.error("not_ready", queue=queue.name, error=str(error))
        return False
    start_heartbeat(ready.settings.redis, queue.name, worker)
    return True


@signals.worker_process_shutdown.connect
def end(**_: object) -> None:
    """Send the spans that have not been sent."""
    monitoring.close()


class BatchingConsumer(Consumer):
    """Consumes a worker's messages, and sends the events of tasks together; at 24 of them sooner, Celery's own limit.

    Celery sends each event on its own while the worker is not busy: received, started and succeeded are three messages,
    which together cost nearly half as much as the task's own.
    """

    hub: Any
    _flush_events: Any
    _is_due = False

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Drop a message that is no task's; a question that it asks in pickle or YAML is refused under its own id."""
        super().on_invalid_task(body, message, exc)
        if isinstance(exc, ContentDisallowed) and message.headers.get("task") == "wellread.ask":
            why = {"id": str(message.headers.get("id")), UNREADABLE: str(exc)[:200]}
            self.app.send_task("wellread.ask", kwargs=why, retry=False)

    def on_send_event_buffered(self) -> None:  # type: ignore[override]
        """Let what was buffered be sent soon."""
        if self.hub and not self._is_due:
            self._is_due = True
            self.hub.call_soon(self.hub.call_later, _EVERY_S, self._send_events)  # a thread of the pool may be here

    def shutdown(self) -> None:
        """Send what is still buffered, then close the connection."""
        self._send_events()
        super().shutdown()

    def _send_events(self, *_: Any) -> None:
        self._is_due = False
        self._flush_events()
