"""A question's priority goes with it through every step, and what was begun is ended before more is begun."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from functools import partial
from unittest.mock import patch

import pytest
from celery import Celery
from kombu import Queue

from domain import Status
from domain.access import DEFAULT
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.ephemeral.shares import Waiting
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.sql.tables import PageRow, QuestionRow
from tests.api import walk
from tests.logged_site import article, served
from tests.workers.conftest import Outbox
from tests.workers.crawl.one_candidate import add, work
from workers import indexing as embedding
from workers import services as composition
from workers import sweep
from workers.app import app
from workers.priorities import place
from workers.questions import submit
from workers.services import Services
from workers.services.collections import open_collection
from workers.services.dispatch import SHARED_AT, Dispatcher
from workers.tasks import answer


@pytest.fixture
def sender(services: Services) -> Celery:
    """The application as it is set up, on the broker of this test."""
    names = ("broker_transport_options", "task_queues", "task_create_missing_queues", "task_default_queue")
    return Celery(broker=services.settings.broker, changes={name: app.conf[name] for name in names})


def _served(sender: Celery, queue: str) -> list[tuple[str, object]]:
    """Every message of a queue, in the order in which a worker gets them."""
    got: list[tuple[str, object]] = []
    with sender.connection_for_read() as connection:
        waiting = connection.SimpleQueue(Queue(queue, routing_key=queue), no_ack=True)
        with suppress(waiting.Empty):
            while True:
                message = waiting.get(timeout=1)
                got.append((message.headers["task"], message.payload[0][0]))
        waiting.close()
    return got


def test_what_ends_questions_is_served_before_what_begins_them(sender: Celery) -> None:
    dispatcher = Dispatcher(sender)
    for number in range(30):
        dispatcher.send("wellread.retrieve", f"new {number}", priority=0)
    dispatcher.send("wellread.requery", "read", priority=0)
    dispatcher.send("wellread.retry", "half done", priority=0)
    dispatcher.send("wellread.retrieve", "urgent", priority=1)
    served = [row for _, row in _served(sender, "answer")]
    assert served[:3] == ["urgent", "read", "half done"]
    assert served[3:] == [f"new {number}" for number in range(30)]  # the oldest first


def test_pages_that_no_question_waits_for_are_read_last(sender: Celery) -> None:
    dispatcher = Dispatcher(sender)
    dispatcher.send("wellread.read", 1)
    dispatcher.send("wellread.seek", "asked", priority=0)
    dispatcher.send("wellread.read", 2, priority=0)
    assert [row for _, row in _served(sender, "crawl")] == [2, "asked", 1]


def _ask(services: Services, status: Status, *, priority: int, text: str = "Who?", **options: object) -> str:
    asked_at = services.now() - timedelta(seconds=60)
    new = NewQuestion(text=text, priority=priority, **options)  # type: ignore[arg-type]
    with services.database.write() as session:
        question, _ = new_questions.ask(session, new, asked_at)
        session.get_one(QuestionRow, question.id).status = status
    return question.id


def test_a_page_takes_its_question_along_to_the_answer(services: Services, outbox: Outbox) -> None:
    question_id = _ask(services, Status.READING, priority=7)
    with served({"/lamp": article(1)}) as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        candidate_id = add(services, f"{site.origin}/lamp", question_id)
        work(services, candidate_id, until=lambda row: row.status == CandidateStatus.SETTLED)
    with services.database.read() as session:
        page_id = session.query(PageRow).one().id
        assert session.get_one(QuestionRow, question_id).status == Status.EMBEDDING
    embedding.embed(services, page_id)
    assert outbox.priorities["wellread.embed", page_id] == 7
    assert outbox.priorities[Status.REQUERYING, question_id] == 7


def test_what_is_sent_again_keeps_its_questions_priority(services: Services, outbox: Outbox) -> None:
    plain, urgent = (_ask(services, Status.REQUERYING, priority=priority, text=f"{priority}?") for priority in (0, 9))
    reading = _ask(services, Status.READING, priority=4, text="What is read?")
    asked_at = services.now() - timedelta(seconds=60)
    with services.database.write() as session:
        found = [candidates.Candidate(url="http://site.example/")]
        (candidate_id,) = candidates.add(session, reading, found, wave=0, status=CandidateStatus.WAITING, now=asked_at)
        (alone,) = candidates.add(session, None, found, wave=0, status=CandidateStatus.WAITING, now=asked_at)
    sweep.sweep(services)
    assert outbox.messages == [
        ("wellread.requery", urgent),
        ("wellread.requery", plain),
        ("wellread.read", candidate_id),
        ("wellread.read", alone),
    ]
    assert [outbox.priorities[call] for call in outbox.messages] == [9, 0, 4, None]


def test_a_lost_last_step_is_sent_again_however_many_first_steps_wait(services: Services, outbox: Outbox) -> None:
    lost = _ask(services, Status.REQUERYING, priority=0)
    dispatched = place("wellread.retrieve", 0)
    services.redis.lpush(f"answer\x06\x16{dispatched}", *(f"first step {n}" for n in range(500)))
    sweep.sweep(services)
    assert ("wellread.requery", lost) in outbox.messages


def test_the_heir_of_a_run_has_its_followers_priority(services: Services, outbox: Outbox) -> None:
    leader, heir, urgent = (
        submit.submit(services, NewQuestion(text="Who keeps the light?", priority=priority))[0].id
        for priority in (0, 2, 8)
    )
    submit.cancel(services, leader)
    assert outbox.priorities[Status.ASKED, heir] == 8
    assert outbox.messages[-1] == (Status.ASKED, heir)
    assert urgent != heir


def test_page_of_one_key_is_embedded_after_the_one_under_way_of_another(services: Services) -> None:
    dispatcher = Dispatcher(Celery(broker=services.settings.broker), shares=services.shares)
    dispatcher.send_all("wellread.embed", [1, 2, 3], priority=0, owner="key:many")
    dispatcher.send("wellread.embed", 9, priority=0, owner="key:one")
    at = place("wellread.embed", 0)
    assert [services.shares.next("wellread.embed", at) for _ in range(3)] == ["default/1", "default/9", "default/2"]


def test_rows_of_a_deleted_collection_take_no_message_from_the_others(services: Services) -> None:
    question, at = walk.ask(services), place("wellread.retrieve", 0)
    for number in range(3):
        services.shares.stand(Waiting(task="wellread.retrieve", place=at, key="key:gone", row=f"gone/{number}"), 1.0)
    opened = partial(open_collection, services)
    with (
        patch.object(composition, "services", lambda name=DEFAULT: opened(name)),
        patch.object(answer, "services", opened),
    ):
        answer.retrieve.apply(args=(question.id,), headers={SHARED_AT: at})
    assert services.read(state.get, question.id).status == Status.RETRYING
