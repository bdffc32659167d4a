"""The tasks, the queue of each task and its order there, and the task that each status waits for."""

from __future__ import annotations

from domain import Status

#: task → queue; a task's name is a published contract, its argument is one row id
QUEUES = {
    "wellread.ask": "answer",
    "wellread.retrieve": "answer",
    "wellread.retry": "answer",
    "wellread.requery": "answer",
    "wellread.seek": "crawl",
    "wellread.read": "crawl",
    "wellread.embed": "embed",
    "wellread.sweep": "upkeep",
    "wellread.refresh": "upkeep",
    "wellread.notify": "upkeep",
    "wellread.learn": "upkeep",
    "wellread.expire": "upkeep",
    "wellread.compact": "embed",
    "wellread.erase": "embed",
}
QUEUE_NAMES = tuple(dict.fromkeys(QUEUES.values()))
#: the places in a queue, the first served first; so many lists are kept in Redis
PRIORITY_STEPS = tuple(range(10))
#: what begins work on a question, or on a wave of its pages: it lets through what goes on with work that was begun
FIRST_STEPS = frozenset({"wellread.retrieve", "wellread.seek"})
#: of a message that no question waits for
LAST = 9

#: the one task that works on a question in each open status; READING and EMBEDDING are worked on row by row
TASK_OF = {
    Status.ASKED: "wellread.retrieve",
    Status.RETRYING: "wellread.retry",
    Status.SEEKING: "wellread.seek",
    Status.REQUERYING: "wellread.requery",
}


def place(task: str, priority: int | None) -> int:
    """Return a message's place in its queue: by its question's priority, and of equal ones what ends questions first.

    ``priority`` is 0–9, 9 first (7–9, 4–6, 1–3 and 0 are told apart); None where no question waits.
    """
    return LAST if priority is None else 2 * ((9 - priority) // 3) + (task in FIRST_STEPS)


def places(task: str) -> tuple[int, ...]:
    """Return every place that a task's messages may have."""
    return tuple(sorted({place(task, priority) for priority in (None, *range(10))}))
