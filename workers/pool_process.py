"""Prepares each process of a worker's pool.

It shares its worker's memory, opens what its first task needs, says so, and ends with its worker.
"""

from __future__ import annotations

import gc
import os
import signal
from threading import Thread

from billiard.process import current_process
from celery import signals

from workers.monitoring import traces
from workers.processes import parent_death
from workers.processes.heartbeat import start_heartbeat
from workers.services import services, stopping
from workers.services.completeness import LOOKING, look_and_warn
from workers.services.outages import RECORD_WITHIN_S
from workers.warm_up import warm_up

#: the worker: it imports this before it forks
_WORKER = os.getpid()


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
    queue = os.environ.get("WELLREAD_QUEUE", "")
    # two processes must not write passages: the new worker's would find this one at work
    parent_death.die_with_parent(_WORKER, signal.SIGKILL if queue == "embed" else stopping.WORKER_DIED)
    services().waits_s = RECORD_WITHIN_S
    if warm_up(queue):
        start_heartbeat(services().settings.redis, queue)
        if queue in LOOKING and is_first():
            Thread(target=look_and_warn, args=(services(),), name="lost passages", daemon=True).start()


def is_first() -> bool:
    """Return whether this process is the first of its pool: of what concerns the whole worker it alone speaks."""
    return getattr(current_process(), "index", 0) == 0


@signals.worker_process_shutdown.connect
def end(**_: object) -> None:
    """Send the spans that have not been sent."""
    traces.close()
