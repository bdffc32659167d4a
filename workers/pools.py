"""Runs a worker's tasks in threads, each queue's in its own, so that no queue waits for another's work.

No time limit of Celery's ends a thread. The soft one is raised in it; a task that goes on until the hard one ends the
worker, which gives back all else and is started again; and so does one that keeps Python from running anything else.
"""

import ctypes
import faulthandler
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Thread, get_ident
from typing import Any, ClassVar, Final

import structlog
from celery.concurrency.base import BasePool, apply_target
from celery.exceptions import SoftTimeLimitExceeded
from celery.worker.consumer import Consumer, Control, Tasks
from kombu.common import QoS
from kombu.exceptions import ContentDisallowed

from domain.errors import WellreadError
from domain.flow import QUEUES, WORKERS, Queue
from text import language
from workers import monitoring
from workers.priorities import UNREADABLE
from workers.processes.heartbeat import end_heartbeats, start_heartbeat
from workers.services import Services, services
from workers.services.interruptions import RECORD_WITHIN_S, limited, raise_in

log = structlog.get_logger()

_EVERY_S: Final = 0.2
#: how long one call may keep all threads of Python from running: longer than any step may work
_STUCK_S: Final = 60.0
#: how long a thread may run Python while another waits to: an answer has some hundred such turns, beside embedding
_TURN_S: Final = 0.001


def served() -> list[Queue]:
    """Return the queues that give this process' pools their names and sizes."""
    names = os.environ.get("WELLREAD_QUEUE", "").split(",")
    # a benchmark's worker serves none of the table
    return [QUEUES.get(name, Queue(name=name, size="answer_processes")) for name in names]


def pool_size(settings: Any, queue: Queue) -> int:
    """Return how many threads of one worker work on a queue."""
    return int(getattr(settings, queue.size)) if queue.size else 1


class Threads(BasePool):
    """Runs tasks in threads of the worker; what does not end in time when it stops is given back."""

    body_can_be_buffer = True
    signal_safe = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.hung: set[int] = set()  #: threads that were still at work at their hard limit
        self._pools = {
            queue.name: ThreadPoolExecutor(
                pool_size(services().settings, queue),
                thread_name_prefix=queue.name,
            )
            for queue in served()
        }

    def on_start(self) -> None:
        """Open the services that the queues' first tasks would wait for, and count as ready then."""
        if monitoring.is_on():
            monitoring.provider()  # not by two threads at once
        sys.setswitchinterval(_TURN_S)
        ready = [queue for queue in served() if warm_up(queue)]
        if any(queue.opens_passages for queue in ready):
            from workers.services.completeness import look_and_warn

            Thread(target=look_and_warn, args=(services(),), name="lost passages", daemon=True).start()
        Thread(target=_watch_python, name="watch", daemon=True).start()
        gc.freeze()  # the collector would write to what forks that read pages share

    def on_apply(  # type: ignore[override]
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: Any = None, **options: Any
    ) -> Future[None]:
        """Run a task in a thread of its queue."""
        name, task_id, request = args[:3]
        queue = (request.get("delivery_info") or {}).get("routing_key", "")
        pool = self._pools.get(QUEUES[queue].worker if queue in QUEUES else queue) or next(iter(self._pools.values()))
        soft_s = options.pop("soft_timeout", None) or self.options["soft_timeout"]
        most_s = timeout or self.options["timeout"]

        def run() -> None:
            thread = get_ident()
            give_up = partial(self._end_hung, thread, f"{name}[{task_id}]", most_s)
            with limited(give_up, most_s), limited(partial(raise_in, thread, SoftTimeLimitExceeded), soft_s):
                apply_target(target, args, kwargs, **options)

        return pool.submit(run)

    def on_stop(self) -> None:
        """Wait for tasks that end within ``stop_s``; end the leases of the others, and their places elsewhere.

        Celery sends the messages again of those that it has not acknowledged when it closes its connection, which is
        next. The threads end with the process (:func:`workers.entrypoints.run_worker`).
        """
        ending = Thread(target=self._shut_down, daemon=True)
        ending.start()
        ending.join(services().settings.stop_s)
        give_back(services(), self.hung)
        end_heartbeats()
        monitoring.close()

    def terminate_job(self, pid: int, signal: int | None = None) -> None:
        """Do nothing: no thread can be ended from outside. A second signal to stop asks for it."""

    def _shut_down(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools.values():
            pool.shutdown()

    def _end_hung(self, thread: int, task: str, most_s: float) -> None:
        self.hung.add(thread)
        log.error("task_hangs", task=task, most_s=most_s, what_follows="the worker stops, and is started again")
        faulthandler.dump_traceback()
        os.kill(os.getpid(), signal.SIGTERM)

    def _get_info(self) -> dict[str, Any]:
        sizes = {name: pool._max_workers for name, pool in self._pools.items()}
        info: dict[str, Any] = super()._get_info()  # type: ignore[misc]
        return info | {"max-concurrency": sum(sizes.values()), "threads": sizes}


def give_back(main: Services, but: set[int]) -> None:
    """End what is held by all threads ``but`` these: leases, slots at hosts, places at receivers of webhooks."""
    for opened in (main, *main.opened_collections.values()):
        if "leases" in vars(opened):
            opened.leases.give_back(but=but)
    if "host_slots" in vars(main):
        with suppress(Exception):  # a slot ends by itself
            main.host_slots.give_back(now=time.time())
    from workers.questions import webhooks

    webhooks.give_back(main)


def _watch_python() -> None:
    """End the process when one call, as of a regular expression, lets no other thread run.

    By the way it gives back memory: glibc would keep what the models needed for a moment, 40 MB and more.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)
    while True:
        faulthandler.dump_traceback_later(_STUCK_S, exit=True)
        time.sleep(_STUCK_S / 8)
        trim(0)


def warm_up(queue: Queue) -> bool:
    """Open what the queue's first task would wait for, and have the worker count as ready if that is there."""
    ready = services()
    ready.waits_s = RECORD_WITHIN_S
    try:
        if "language" in queue.loads:
            language.load()
        if "extraction" in queue.loads:
            import trafilatura  # noqa: F401 (else each fork that reads would load its own)
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
                language.load()  # an answer's and its quotes' are detected
    except WellreadError as error:  # the first task meets the error again, and stores it in its row
        log.error("not_ready", queue=queue.name, error=str(error))
        return False
    start_heartbeat(ready.settings.redis, queue.name, os.getpid())
    return True


class TasksOfQueues(Tasks):
    """Takes the messages of each queue on a channel of its own, as many at once as the queue has threads.

    A channel that has what it may take is not asked for more, and the others go on.
    """

    def start(self, c: Any) -> None:
        """Start to consume."""
        c.update_strategies()
        c.qos_global = False  # its sizes are not those of one pool
        c.task_consumer = _Consumers(c, {queue.name: pool_size(services().settings, queue) for queue in served()})
        c.qos = QoS(c.task_consumer.let_wait, 1)


class ControlOfQueues(Control):
    """Takes commands, as Celery's own, which would bring Celery's own way to take messages with it."""

    requires = (TasksOfQueues,)


class _Consumers:
    """The consumers of a worker as Celery uses one."""

    def __init__(self, c: Any, sizes: dict[str, int]) -> None:
        self._sizes, self._all = sizes, {}
        for name in sizes:
            channel, queues = c.connection.channel(), c.app.amqp.queues.consume_from
            channel.basic_qos(0, sizes[name], False)
            mine = [queues[each] for each in WORKERS.get(name, tuple(queues)) if each in queues]
            self._all[name] = c.app.amqp.TaskConsumer(channel, queues=mine, on_decode_error=c.on_decode_error)

    def let_wait(self, prefetch_count: int) -> None:
        """Have one less than so many messages wait for their time besides those that are worked on."""
        for name, consumer in self._all.items():
            consumer.qos(prefetch_count=self._sizes[name] + prefetch_count - 1)

    @property
    def queues(self) -> list[Any]:
        """All queues that are consumed."""
        return [queue for consumer in self._all.values() for queue in consumer.queues]

    @property
    def on_message(self) -> Any:
        """What takes each message."""
        return next(iter(self._all.values())).on_message

    @on_message.setter
    def on_message(self, take: Any) -> None:
        for consumer in self._all.values():
            consumer.on_message = take

    def consume(self) -> None:
        """Begin."""
        for consumer in self._all.values():
            consumer.consume()

    def cancel(self) -> None:
        """Take no more."""
        for consumer in self._all.values():
            consumer.cancel()

    def close(self) -> None:
        """Take no more."""
        self.cancel()


class BatchingConsumer(Consumer):
    """Consumes a worker's messages, and sends the events of tasks together; at 24 of them sooner, Celery's own limit.

    Celery sends each event on its own while the worker is not busy: received, started and succeeded are three messages,
    which together cost nearly half as much as the task's own.
    """

    hub: Any
    _flush_events: Any
    _is_due = False

    class Blueprint(Consumer.Blueprint):  # type: ignore[misc, valid-type]
        """Celery's steps, with one that takes the messages of each queue for itself."""

        default_steps: ClassVar = [
            f"{__name__}:{step.rpartition(':')[2]}OfQueues" if step.endswith((":Tasks", ":Control")) else step
            for step in Consumer.Blueprint.default_steps
            if not step.endswith(":DelayedDelivery")  # RabbitMQ's
        ]

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
