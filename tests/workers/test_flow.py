"""The table of the flow is the one that Celery, the supervisor and the messages have."""

from __future__ import annotations

import pytest
from celery import Celery
from sqlalchemy import select

from domain import FINAL, Status
from domain.flow import QUEUES, STEPS, TASKS, WORKERS
from store import activity
from store.questions import webhooks
from store.sql.tables import QuestionRow, WebhookRow
from tests.api import walk
from tests.workers.crawl import one_candidate
from workers.app import app
from workers.entrypoints import UnknownQueue, run_worker
from workers.pools import pool_size
from workers.processes.stack import programs
from workers.services import Services
from workers.services.dispatch import Dispatcher
from workers.settings import load


class _Sender(Celery):
    """Keeps what each message shows as its arguments."""

    def __init__(self) -> None:
        super().__init__(broker="memory://")
        self.shown: list[object] = []

    def send_task(self, name: str, **options: object) -> None:  # type: ignore[override]
        self.shown.append(options["argsrepr"])


def test_every_task_of_the_application_is_in_the_table_in_the_module_of_its_worker() -> None:
    app.loader.import_default_modules()
    ours = {name: task for name, task in app.tasks.items() if not name.startswith("celery.")}
    assert {name: task.__module__ for name, task in ours.items()} == {
        task.name: f"workers.tasks.{QUEUES[task.queue].worker}" for task in TASKS.values()
    }


def test_every_queue_has_a_task_and_every_task_a_queue() -> None:
    assert {task.queue for task in TASKS.values()} == QUEUES.keys()


def test_each_open_status_has_one_task() -> None:
    assert STEPS.keys() == set(Status) - FINAL - {Status.FOLLOWING}
    assert len({step.name for step in STEPS.values()}) == len(STEPS)


def test_whatever_has_a_row_is_sent_again_by_the_sweep() -> None:
    assert activity.WAITING.keys() == {task.name for task in TASKS.values() if task.row}


def test_supervisor_starts_every_worker_and_each_queue_is_served_by_one() -> None:
    started = [program.command for program in programs(load(), api_port=1, flower_port=0)]
    workers = [command[command.index("worker") + 1 :] for command in started if "worker" in command]
    assert workers == [("answer", "embed"), ("crawl", "model", "upkeep", "--beat")]
    assert sorted(name for served in WORKERS.values() for name in served) == sorted(QUEUES)


def test_worker_has_as_many_threads_for_a_queue_as_its_setting_says_or_one() -> None:
    settings = load(answer_processes=3, crawl_processes=5, model_threads=7)
    assert [pool_size(settings, queue) for queue in map(QUEUES.get, WORKERS) if queue] == [3, 5, 1, 7, 1]


def test_worker_of_an_unknown_queue_is_refused() -> None:
    with pytest.raises(UnknownQueue, match="'weather': it is one of answer, crawl, embed, model, upkeep"):
        run_worker(load(), "weather")


def test_each_row_but_a_question_waits_for_one_task() -> None:
    """Two tasks would take each other's rows: the table tells them apart by the kind of row."""
    rows = [task.row for task in TASKS.values() if task.row not in (None, "question")]
    assert len(rows) == len(set(rows))


def test_message_shows_the_words_of_its_own_row(services: Services) -> None:
    question, page_id = walk.ask(services), walk.keep_page(services)
    candidate_id = one_candidate.add(services, "https://example.org/found")
    with services.database.write() as session:
        row = session.get_one(QuestionRow, question.id)
        webhooks.add(session, row, url="https://caller.example/", event="question.answered", now=services.now())
        webhook_id = session.scalars(select(WebhookRow.id)).one()
    asked = [task.name for task in TASKS.values() if task.row == "question"]
    shown: dict[str, tuple[str | int, str]] = {
        **dict.fromkeys(asked, (question.id, f"{question.text} ({question.id})")),
        "wellread.read": (candidate_id, f"https://example.org/found ({candidate_id})"),
        "wellread.embed": (page_id, f"https://example.org/tower ({page_id})"),
        "wellread.notify": (webhook_id, f"{question.text} ({webhook_id})"),
        "wellread.erase": (webhook_id, str(webhook_id)),  # its row is gone: no other row's words
    }
    assert shown.keys() - {"wellread.erase"} == activity.WAITING.keys()
    sender = _Sender()
    for task, (row_id, _) in shown.items():
        Dispatcher(sender, shown=services.database).send(task, row_id)
    assert sender.shown == [words for _, words in shown.values()]
