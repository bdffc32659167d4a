"""Sends answers to tasks of other services on the same broker: a question names the queue and the task in ``reply_to``.

A reply is a delivery like a webhook (:mod:`workers.questions.webhooks`), with the address ``celery://QUEUE/TASK``.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from kombu.exceptions import OperationalError
from redis import RedisError

from domain.errors import WellreadError
from domain.flow import QUEUES
from domain.options import REPLY_SCHEME
from workers.priorities import queue_length
from workers.settings import Settings

if TYPE_CHECKING:
    from workers.services import Services

_ADDRESS: Final = re.compile(rf"{REPLY_SCHEME}([\w.-]+)/([\w.-]+)", re.ASCII)
#: what the broker keeps in Redis beside the queues
_BROKERS_OWN: Final = "unacked", "_kombu"
#: of a queue that is sent to; a longer one perhaps nobody consumes, and it takes the broker's memory
MOST_MESSAGES: Final = 10_000


class ReplyRefused(WellreadError):
    """An answer may not be sent to this queue or task."""


def is_reply(address: str) -> bool:
    """Return whether a delivery goes to a task and not to a web address."""
    return address.startswith(REPLY_SCHEME)


def check(settings: Settings, address: str) -> tuple[str, str]:
    """Return the queue and the task of an address to which answers may be sent; raises ReplyRefused."""
    found = _ADDRESS.fullmatch(address)
    if not found:
        raise ReplyRefused(f"{address[:200]!r} is no address of a task: it has the form {REPLY_SCHEME}QUEUE/TASK.")
    queue, task = found[1], found[2]
    if queue in QUEUES or queue.startswith(_BROKERS_OWN) or task.startswith("wellread."):
        raise ReplyRefused(f"The queue {queue!r} or the task {task!r} is Wellread's own: name one of your service.")
    if not any(fnmatchcase(queue, pattern) for pattern in settings.reply_queues):
        raise ReplyRefused(
            f"No answer may be sent to the queue {queue!r}: the operator allows queues by WELLREAD_REPLY_QUEUES."
        )
    return queue, task


def send(services: "Services", address: str, question: Mapping[str, Any], *, event: str, message_id: str) -> str | None:
    """Send a record to a task; return what went wrong, if anything."""
    try:
        queue, task = check(services.settings, address)  # again: the settings may have changed since
        if queue_length(services.redis, queue) > MOST_MESSAGES:
            return f"The queue {queue!r} has more than {MOST_MESSAGES:,} messages: does a worker of your service run?"
        services.dispatcher.reply(task, question, queue=queue, event=event, message_id=message_id)
    except (ReplyRefused, OperationalError, OSError, RedisError) as error:
        return str(error) or type(error).__name__
    return None
