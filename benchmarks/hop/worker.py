"""A worker of our application whose tasks do nothing: plain ones, and a question's step in our frame.

Counters in Valkey count the tasks until all have ended.
"""

from __future__ import annotations

import os

os.environ.setdefault("WELLREAD_QUEUE", "none")  # none of the real tasks: two of those below have the same names

import redis

from domain import Status
from store.questions.state import Move
from workers.app import app
from workers.questions.step import finish, step
from workers.services import services

NEXT, NOTHING, RETRIEVE, RETRY = "benchmarks.next", "benchmarks.nothing", "wellread.retrieve", "wellread.retry"
#: as many threads as huey is given processes
PROCESSES = 2
#: a list that gets an entry when all tasks have ended
DONE = "benchmark:done"
_LEFT, _STEPS = "benchmark:left", "benchmark:steps"


def expect(client: redis.Redis, count: int, *, steps: int = 0) -> None:
    """Set how many tasks will end, and in how many steps together."""
    client.delete(DONE)
    client.mset({_LEFT: count, _STEPS: steps})


def ended(client: redis.Redis) -> None:
    """Count a task that ended."""
    if client.decr(_LEFT) == 0:
        client.rpush(DONE, 1)


def send(task: str, argument: object) -> None:
    """Send a message as the dispatcher does."""
    app.send_task(task, args=(argument,), queue="answer", retry=False)


@app.task(name=NEXT)
def pass_on(left: int) -> None:
    """Send the message on until no hop is left."""
    if left > 1:
        send(NEXT, left - 1)
    else:
        ended(services().redis)


@app.task(name=NOTHING)
def nothing(_: int) -> None:
    """Count the task; do nothing else."""
    ended(services().redis)


@app.task(name=RETRIEVE)
def retrieve(question_id: str) -> None:
    """Move a question on to the second step."""
    _move(question_id, Status.ASKED, Status.RETRYING)


@app.task(name=RETRY)
def retry(question_id: str) -> None:
    """Move a question back to the first step."""
    _move(question_id, Status.RETRYING, Status.ASKED)


def _move(question_id: str, status: Status, to: Status) -> None:
    ready = services()
    with step(ready, question_id, status) as work:
        if work is not None:
            continues = int(ready.redis.decr(_STEPS)) > 0
            finish(ready, work, Move(to=to if continues else Status.CANCELLED, outcome="nothing"))
            if not continues:
                ended(ready.redis)


if __name__ == "__main__":
    os.environ["WELLREAD_ANSWER_PROCESSES"] = str(PROCESSES)
    from workers.pools import Threads

    app.Worker(
        queues=["answer"],
        concurrency=PROCESSES,
        pool_cls=Threads,
        without_gossip=True,
        without_mingle=True,
        loglevel="WARNING",
    ).start()
