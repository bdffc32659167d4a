"""The tasks, the queue of each task, and the task that each status waits for."""

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
    "wellread.compact": "embed",
}
QUEUE_NAMES = tuple(dict.fromkeys(QUEUES.values()))
PRIORITY_STEPS = (0, 3, 6, 9)

#: the one task that works on a question in each open status; READING and EMBEDDING are worked on row by row
TASK_OF = {
    Status.ASKED: "wellread.retrieve",
    Status.RETRYING: "wellread.retry",
    Status.SEEKING: "wellread.seek",
    Status.REQUERYING: "wellread.requery",
}
