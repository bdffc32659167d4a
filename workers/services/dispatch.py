"""Sends task messages: a task's name, a row's id and its collection, after the row was committed.

A lost message does no harm: the row still says what is due, and the sweep sends the task again. Who follows Celery's
events, as Flower does, sees words with the row's id.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final

import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from redis import RedisError
from sqlalchemy import select

from domain import Status
from domain.access import DEFAULT
from domain.flow import STEPS, TASKS, Task
from store.ephemeral.shares import Waiting
from store.sql.database import Database, DatabaseError
from store.sql.tables import CandidateRow, PageRow, QuestionRow, WebhookRow
from workers import monitoring
from workers.priorities import place

if TYPE_CHECKING:
    from sqlalchemy import Select

    from store.ephemeral.marks import TraceParents
    from store.ephemeral.shares import Shares

log = structlog.get_logger()

#: the tasks whose workers are shared fairly between keys
SHARED: Final = frozenset(task.name for task in TASKS.values() if task.row == "question") | {
    "wellread.read",
    "wellread.embed",
}
#: the header of a message that is about whichever row has waited fairest: its place in the queue
SHARED_AT: Final = "wellread-shared-at"
#: of a question, or of a URL
MOST_SHOWN = 120


class Dispatcher:
    """Sends the tasks of rows."""

    def __init__(
        self,
        app: Celery,
        collection: str = DEFAULT,
        *,
        shown: Database | None = None,
        parents: "TraceParents | None" = None,
        shares: "Shares | None" = None,
    ) -> None:
        """Send to these queues; what is sent is shown in words from ``shown``, or as ids alone where that is None.

        ``parents`` knows the traces of questions, ``shares`` whose turn it is; None: each message is about its own row.
        """
        self._collection, self._shares = collection, shares
        self._app = app
        self._named = {} if collection == DEFAULT else {"collection": collection}
        self._shown = shown
        self._parents = parents

    def within(self, collection: str, database: Database) -> "Dispatcher":
        """Return one for the rows of a collection."""
        shown = database if self._shown else None
        return Dispatcher(self._app, collection, shown=shown, parents=self._parents, shares=self._shares)

    def send(
        self,
        task: str,
        row_id: str | int,
        *,
        priority: int | None = None,
        in_s: float = 0.0,
        question_id: str = "",
        words: str = "",
        owner: str | None = None,
    ) -> bool:
        """Send a task, to run ``in_s`` seconds from now; False when the broker is away or full.

        The message is about whichever row of the same task has waited fairest by its question's ``owner``, unless it
        is to wait itself.

        ``priority`` is that of the question that waits for it, 0–9, 9 first; None where none does. ``question_id`` says
        whose trace a row belongs to that is no question, where the sender works on another. ``words`` are those to
        show; without any they are read from the row.
        """
        known, at = TASKS[task], place(task, priority)
        try:
            with self._span(task, row_id, question_id or monitoring.question_of(task, row_id)):
                is_shared = not in_s and self.stand(task, row_id, priority=priority, owner=owner)
                self._app.send_task(
                    task,
                    args=(row_id,),
                    kwargs=self._named,
                    queue=known.queue,
                    argsrepr=self._arguments_of(known, row_id, words),
                    countdown=in_s or None,
                    priority=at,
                    headers=(monitoring.headers() | ({SHARED_AT: at} if is_shared else {})) or None,
                    retry=False,
                )
        except (OperationalError, OSError, RedisError) as error:
            log.warning("message_not_sent", task=task, row=row_id, error=str(error))
            return False
        return True

    def stand(self, task: str, row_id: str | int, *, priority: int | None, owner: str | None) -> bool:
        """Have a row wait for its turn; False where the task's messages are about their own rows. Raises RedisError."""
        if self._shares is None or task not in SHARED:
            return False
        row, key = f"{self._collection}/{row_id}", owner or f"collection:{self._collection}"
        if self._parents and (headers := monitoring.headers()):
            self._parents.keep(f"{task}/{row}", headers, only_first=False)
        self._shares.stand(Waiting(task=task, place=place(task, priority), key=key, row=row), time.time())
        return True

    def send_all(
        self,
        task: str,
        row_ids: Iterable[int],
        *,
        priority: int | None = None,
        in_s: float = 0.0,
        owner: str | None = None,
    ) -> None:
        """Send a task for each of these rows."""
        for row_id in row_ids:
            self.send(task, row_id, priority=priority, in_s=in_s, owner=owner)

    def send_for(
        self, question_id: str, status: Status, *, priority: int, words: str = "", owner: str | None = None
    ) -> None:
        """Send the task that a question in this status waits for, if any."""
        if (step := STEPS.get(status)) and step.row == "question":
            self.send(step.name, question_id, priority=priority, words=words, owner=owner)

    def reply(self, task: str, record: Mapping[str, Any], *, queue: str, event: str, message_id: str) -> None:
        """Send a record to another service's task, by this id; raises OperationalError, OSError or RedisError."""
        self._app.send_task(
            task,
            args=(record,),
            queue=queue,
            task_id=message_id,
            argsrepr=str(record["id"]),
            headers=monitoring.headers() | {"wellread_event": event},
            retry=False,
        )

    def _arguments_of(self, task: Task, row_id: str | int, words: str) -> str | None:
        """Return what is shown as the arguments: a question's first words or a page's URL, with the row's id."""
        if self._shown is None:
            return None
        if not words and (query := _query_of(task, row_id)) is not None:
            # without words the message is sent all the same
            with suppress(DatabaseError), self._shown.read() as session:
                words = session.scalar(query) or ""
        return f"{_first(words)} ({row_id})" if words else str(row_id)

    def _span(self, task: str, row_id: str | int, question: str) -> AbstractContextManager[None]:
        """Record the sending in the trace of the question that it is about, whoever sends."""
        if not monitoring.is_on():
            return nullcontext()
        known = self._parents.of(question) if question and self._parents else {}
        parent = known if known and not monitoring.continues(known) else None
        return monitoring.span(f"send {task}", "producer", parent=parent, **monitoring.attributes_of(task, row_id))


def _query_of(task: Task, row_id: str | int) -> "Select[Any] | None":
    match task.row:
        case "question":
            return select(QuestionRow.text).where(QuestionRow.id == row_id)
        case "candidate":
            return select(CandidateRow.url).where(CandidateRow.id == row_id)
        case "page":
            return select(PageRow.url).where(PageRow.id == row_id)
        case "webhook":
            asked = select(QuestionRow.text).join(WebhookRow, WebhookRow.question_id == QuestionRow.id)
            return asked.where(WebhookRow.id == row_id)
    return None


def _first(words: str) -> str:
    plain = " ".join(words.split())
    return plain if len(plain) <= MOST_SHOWN else plain[: MOST_SHOWN - 1].rsplit(" ", 1)[0] + "…"
