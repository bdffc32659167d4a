"""Prepares each process of a worker's pool.

It shares its worker's memory, opens what its first task needs, says so, and ends with its worker.
"""

from __future__ import annotations

import gc
import os
import signal
from threading import Thread

import structlog
from billiard.process import current_process
from celery import signals

from domain.errors import WellreadError
from domain.flow import QUEUES, Queue
from store.passages import connect
from text import language
from workers.monitoring import traces
from workers.processes import parent_death
from workers.processes.heartbeat import start_heartbeat
from workers.services import services, stopping
from workers.services.completeness import look_and_warn
from workers.services.outages import RECORD_WITHIN_S

log = structlog.get_logger()

#: the worker: it imports this before it forks
_WORKER = os.getpid()


def load_before_fork(queue: Queue) -> None:
    """Load what each process of a worker would load for itself: they begin a second sooner, and share it."""
    if queue.opens_passages:
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
    stopping.listen()
    name = os.environ.get("WELLREAD_QUEUE", "")
    queue = QUEUES.get(name, Queue(name=name))  # a benchmark's worker serves none of the table
    # two processes must not write passages: the new worker's would find this one at work
    parent_death.die_with_parent(_WORKER, signal.SIGKILL if "writer" in queue.loads else stopping.WORKER_DIED)
    services().waits_s = RECORD_WITHIN_S
    if warm_up(queue):
        start_heartbeat(services().settings.redis, queue.name, os.getppid())
        if queue.opens_passages and getattr(current_process(), "index", 0) == 0:  # one speaks for the whole worker
            Thread(target=look_and_warn, args=(services(),), name="lost passages", daemon=True).start()


def warm_up(queue: Queue) -> bool:
    """Open the services that a queue's first task would wait for; return whether they can be used."""
    ready = services()
    try:
        if "search" in queue.loads:
            _ = ready.tools, ready.events
            ready.embedder.embed(["warm"])
            ready.reader.read("warm", [("", "warm")])
            if rerank := ready.tools.ranking.rerank:
                rerank("warm", "en", [])  # it may import scikit-learn
        if "writer" in queue.loads:
            _ = ready.passages_writer
    except WellreadError as error:  # the first task meets the error again, and stores it in its row
        log.error("not_ready", queue=queue.name, error=str(error))
        return False
    return True


@signals.worker_process_shutdown.connect
def end(**_: object) -> None:
    """Send the spans that have not been sent."""
    traces.close()
