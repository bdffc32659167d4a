"""The flow of a question in one table: status, phase, task, queue, and what the queue's worker loads.

Workers, API, command line, MCP and supervisor read it. `make docs` writes it into the web page's script and into the
documentation; tests compare Celery's tasks, `docker-compose.yml` and `docs/kubernetes` with it. Every name here is a
published contract. What a task does is in its docstring, in `workers/tasks`.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal


class Status(StrEnum):
    """Where a question stands; each open status names exactly one next task, FOLLOWING none: another moves it."""

    ASKED = "ASKED"
    RETRYING = "RETRYING"
    SEEKING = "SEEKING"
    READING = "READING"
    EMBEDDING = "EMBEDDING"
    REQUERYING = "REQUERYING"
    WRITING = "WRITING"  #: a model is asked
    FOLLOWING = "FOLLOWING"  #: an equal question is in progress and shares its answer
    ANSWERED = "ANSWERED"
    ABSTAINED = "ABSTAINED"
    CANCELLED = "CANCELLED"
    TIMED_OUT = "TIMED_OUT"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        """Return whether the question moves no further by itself."""
        return self in FINAL


#: the ends of a question that was looked up to the end
COMPLETED = frozenset({Status.ANSWERED, Status.ABSTAINED})
FINAL = COMPLETED | {Status.CANCELLED, Status.TIMED_OUT, Status.FAILED}


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A queue, and what its worker needs."""

    name: str
    #: before the first task: the detection of languages, what extracts pages, what a lookup searches and reads with,
    #: the writer of passages, the client of the language model
    loads: frozenset[Literal["language", "extraction", "search", "writer", "model"]] = frozenset()
    size: str = ""  #: the setting that says how many threads its worker has; "": one
    is_needed: bool = False  #: whether no question is answered without it; its worker starts before the others
    served_by: str = ""  #: the queue whose worker serves this one too; "": its own

    @property
    def opens_passages(self) -> bool:
        """Return whether its worker has LanceDB open."""
        return bool(self.loads & {"search", "writer"})

    @property
    def worker(self) -> str:
        """Return the name of the worker that serves it."""
        return self.served_by or self.name


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task of Celery. Its argument is a row's id."""

    name: str
    queue: str
    #: the rows that wait for it, each with a message of its own; None: it works on no row, or on one that is gone
    row: Literal["question", "candidate", "page", "webhook"] | None = None
    begins: bool = False  #: whether it begins work on a question, or on a wave of its pages: what was begun goes first
    every_s: float | None = None  #: how often beat sends it

    @property
    def step(self) -> str:
        """Return its name in traces."""
        return self.name.removeprefix("wellread.")


@dataclass(frozen=True, kw_only=True)
class QuestionTask(Task):
    """A task that works on the questions in one open status."""

    status: Status
    phase: str  #: one of those that users see; its sixth character is its number
    doing: str  #: in the terminal, beside a provisional answer on the web page, and for assistants
    label: str  #: on the web page


# fmt: off
_QUEUES = (
    Queue(name="answer", loads=frozenset({"language", "search"}), size="answer_processes", is_needed=True),
    Queue(name="crawl", loads=frozenset({"language", "extraction"}), size="crawl_processes"),
    Queue(name="embed", loads=frozenset({"language", "writer"})),
    Queue(name="model", loads=frozenset({"model"}), size="model_threads"),
    Queue(name="notify", served_by="model"),
    Queue(name="upkeep"),
)
_TASKS = (
    QuestionTask(name="wellread.retrieve", queue="answer", row="question", begins=True, status=Status.ASKED,
         phase="phase1_initial_lookup", doing="looking in the knowledge base", label="Look it up"),
    QuestionTask(name="wellread.retry", queue="answer", row="question", status=Status.RETRYING,
         phase="phase2_retry_paraphrased", doing="looking again in other words", label="Try other wordings"),
    QuestionTask(name="wellread.seek", queue="crawl", row="question", begins=True, status=Status.SEEKING,
         phase="phase3_web_crawl", doing="choosing pages to read", label="Find pages"),
    QuestionTask(name="wellread.read", queue="crawl", row="candidate", status=Status.READING,
         phase="phase3_web_crawl", doing="reading", label="Read them"),
    QuestionTask(name="wellread.embed", queue="embed", row="page", status=Status.EMBEDDING,
         phase="phase3_web_crawl", doing="adding what was read to the knowledge base", label="Note what they say"),
    QuestionTask(name="wellread.requery", queue="answer", row="question", status=Status.REQUERYING,
         phase="phase4_requery", doing="looking again with what was read", label="Look again"),
    QuestionTask(name="wellread.write", queue="model", row="question", status=Status.WRITING,
         phase="phase5_write", doing="writing the answer", label="Write the answer"),
    Task(name="wellread.ask", queue="answer"),
    Task(name="wellread.news", queue="answer", every_s=10.0),
    Task(name="wellread.sweep", queue="upkeep", every_s=3.0),
    Task(name="wellread.refresh", queue="upkeep", every_s=10.0),
    Task(name="wellread.look", queue="crawl"),
    Task(name="wellread.notify", queue="notify", row="webhook"),
    Task(name="wellread.batch", queue="model", every_s=60.0),
    Task(name="wellread.learn", queue="upkeep", every_s=300.0),
    Task(name="wellread.expire", queue="upkeep", every_s=60.0),
    Task(name="wellread.erase", queue="embed"),
    Task(name="wellread.compact", queue="embed", every_s=300.0),
)
# fmt: on
QUEUES: Final = {queue.name: queue for queue in _QUEUES}
#: by the name of each worker, the queues that it serves, its own first
WORKERS: Final = {
    queue.name: (queue.name, *(each.name for each in _QUEUES if each.served_by == queue.name))
    for queue in _QUEUES
    if not queue.served_by
}
#: the workers of the embedded stack, by the queues that each serves with those: what computes, and what waits
STACK: Final = tuple(tuple(name for name in WORKERS if QUEUES[name].opens_passages is it) for it in (True, False))
TASKS: Final = {task.name: task for task in _TASKS}
#: the task that works on a question in each open status, in the order of the flow
STEPS: Final = {task.status: task for task in _TASKS if isinstance(task, QuestionTask)}
#: the only queue whose worker writes passages: one worker with one thread
(WRITER,) = (queue for queue in _QUEUES if "writer" in queue.loads)
