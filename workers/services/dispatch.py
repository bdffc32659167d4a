"""Sends task messages: a task's name, a row's id and its collection, after the row was committed.

A lost message does no harm: the row still says what is due, and the sweep sends the task again.
"""

from __future__ import annotations

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

from domain import Status
from domain.access.collection import DEFAULT
from workers.queues import QUEUES, TASK_OF, place

log = structlog.get_logger()


class Dispatcher:
    """Sends the tasks of rows."""

    def __init__(self, app: Celery, collection: str = DEFAULT) -> None:
        self._app = app
        self._named = {} if collection == DEFAULT else {"collection": collection}

    def within(self, collection: str) -> Dispatcher:
        """Return one for the rows of a collection."""
        return Dispatcher(self._app, collection)

    def send(self, task: str, row_id: str | int, *, priority: int | None = None, in_s: float = 0.0) -> bool:
        """Send a task, to run ``in_s`` seconds from now; False when the broker is away.

        ``priority`` is that of the question that waits for it, 0–9, 9 first; None where none does.
        """
        try:
            self._app.send_task(
                task,
                args=(row_id,),
                kwargs=self._named,
                queue=QUEUES[task],
                countdown=in_s or None,
                priority=place(task, priority),
                retry=False,
            )
        except (OperationalError, OSError) as error:
            log.warning("message_not_sent", task=task, row=row_id, error=str(error))
            return False
        return True

    def send_for(self, question_id: str, status: Status, *, priority: int) -> None:
        """Send the task that a question in this status waits for, if any."""
        if task := TASK_OF.get(status):
            self.send(task, question_id, priority=priority)
