"""Questions that other services enqueue: with all that HTTP takes, under their own ids, and without naming a queue."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from queue import Empty
from typing import Any

import pytest
import structlog
from celery import Celery
from structlog.testing import capture_logs

from domain import Status
from domain.access import Role
from domain.options import Asked
from store import keys
from store.questions import records
from store.questions.listing import latest
from store.questions.state import find
from store.sql.database import Database, DatabaseAway
from store.sql.tables import QuestionRow
from tests.workers.conftest import Outbox
from workers import messages, sweep
from workers.messages import MessageRefused
from workers.questions import submit
from workers.questions.submit import Payload
from workers.services import Services, collections

MANY = {"properties": {f"q{n}": {"type": "string"} for n in range(60)}}
ID = uuid.uuid4()
WHOLE: dict[str, Any] = {
    "id": str(ID),
    "question": "Who built the lighthouse?",
    "after": None,
    "thread": "new",
    "question_as_understood": "Who built the lighthouse of Skagen?",
    "answer_schema": {"properties": {"builder": {"type": "string"}}},
    "collection": "default",
    "owner": "",
    "exclude_sites": ["https://example.org/forum/"],
    "published_after": "2020-01-01T00:00:00Z",
    "published_before": "2021-01-01T00:00:00Z",
    "read_before": "2199-01-01T00:00:00Z",
    "filters": [],
    "source_kinds": ["web", "document"],
    "length": "long",
    "answer_language": "en",
    "verbatim": False,
    "strict": True,
    "instructions": "In short steps.",
    "batch": False,
    "crawl_enabled": True,
    "max_search_cycles": 2,
    "max_age": 3600,
    "strategy": "explanation",
    "threshold": 0.7,
    "variants": 2,
    "top_k": 7,
    "lang": "en",
    "priority": 9,
    "sites": ["https://example.org/"],
    "langs": ["en"],
    "reuse": False,
    "watch": True,
    "budget": {"seconds": 30, "pages": 3, "bytes": 1_000_000, "depth": 1, "tokens": 1_000, "usd": 0.01},
    "idempotency_key": "order-1",
    "callback_url": "https://example.org/answered",
    "callback_events": ["question.answered"],
    "reply_to": None,
    "metadata": {"order": 4713},
    "deadline": 60,
    "only_pages": False,
}


@pytest.fixture
def sender(services: Services) -> Celery:
    """Another service's Celery application, which knows only the broker."""
    return Celery(broker=services.settings.broker)


def _in_queue(sender: Celery, queue: str) -> list[dict[str, Any]]:
    """The payloads that stand in a queue, taken out as a worker takes them."""
    found = []
    with sender.connection_for_read() as connection, connection.SimpleQueue(queue) as waiting, suppress(Empty):
        while True:
            message = waiting.get(timeout=2)
            message.ack()
            found.append(message.payload[0][0])
    return found


def refused(services: Services, /, *arguments: Any, **fields: Any) -> None:
    with pytest.raises(MessageRefused):
        messages.accept(services, *arguments, **fields)


def test_message_carries_all_that_http_does(services: Services, outbox: Outbox) -> None:
    assert WHOLE.keys() == Payload.model_fields.keys() >= Asked.model_fields.keys()
    question = messages.accept(services, WHOLE)
    stored = question.budget
    assert (question.id, question.priority, question.langs, question.lang) == (ID.hex, 9, ("en",), "en")
    assert (stored.seconds, stored.pages, stored.bytes, stored.depth, stored.cycles) == (30, 3, 1_000_000, 1, 2)
    assert (stored.tokens, stored.usd) == (1_000, 0.01)
    assert (question.overrides.threshold, question.overrides.top_k, question.max_age_s) == (0.7, 7, 3600)
    assert (question.asked, question.text) == (WHOLE["question"], WHOLE["question_as_understood"])
    assert question.thread_id
    assert question.answer_schema == WHOLE["answer_schema"]
    own = question.overrides
    assert (own.exclude_sites, own.length, own.answer_language) == (["https://example.org/forum/"], "long", "en")
    assert own.published_after == datetime(2020, 1, 1, tzinfo=UTC)
    assert ("ASKED", ID.hex) in outbox.messages


def test_message_goes_to_its_collection_and_its_answer_to_its_owner(services: Services) -> None:
    collections.add(services, "research")
    key = services.write(keys.add, "reader", Role.ask, services.now())
    question = messages.accept(services, {"question": "Who?", "collection": "research", "owner": "reader"})
    with services.of("research").database.read() as session:
        assert session.get_one(QuestionRow, question.id).owner == key.owner
    with services.database.read() as session:
        assert session.get(QuestionRow, question.id) is None
    for wrong in ({"collection": "nowhere"}, {"owner": "nobody"}, {"collection": "../x"}):
        refused(services, {"question": "Who?", **wrong})


def test_message_is_asked_with_no_key_that_could_not_read_its_answer(services: Services) -> None:
    collections.add(services, "research")
    now = services.now()
    with services.database.write() as session:
        keys.add(session, "bound", Role.ask, now, names=["research"])
        keys.add(session, "former", Role.ask, now - timedelta(days=2), expires_at=now - timedelta(days=1))
    with capture_logs() as logs:
        refused(services, {"question": "Who?", "owner": "bound"})
        refused(services, {"question": "Who?", "owner": "former"})
        messages.accept(services, {"question": "Who?", "owner": "bound", "collection": "research"})
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["message_refused"] * 2


def test_message_of_an_earlier_version_is_still_taken(services: Services) -> None:
    question = messages.accept(services, {"question": "Who?", "strategy": "", "lang": "", "callback_url": ""})
    assert question.strategy == ""


def test_repeat_of_an_id_is_harmless_and_another_question_is_refused(services: Services) -> None:
    asked = {"question": "Who built it?", "id": str(ID)}
    first, again = messages.accept(services, asked), messages.accept(services, asked)
    assert first.id == again.id == ID.hex
    with structlog.testing.capture_logs() as logs:
        refused(services, {"question": "Who broke it?", "id": ID.hex})
    assert [(entry["event"], "belongs to another question" in entry["error"]) for entry in logs] == [
        ("message_refused", True)
    ]
    with services.database.read() as session:
        assert find(session, ID.hex).text == "Who built it?"


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "../x"},
        {"budget": {"pages": 10_000}},
        {"budget": {"dollars": 1}},
        {"strategy": "guessing"},
        {"sites": ["http://127.0.0.1/"]},
        {"deadline": 0},
        {"colour": "red"},
        {"instructions": "say \0"},
        {"answer_schema": {"properties": {"\ud800": {"type": "string"}}}},
        {"answer_schema": {"properties": {f"p{n}": {"$ref": "#/$defs/a"} for n in range(60)}, "$defs": {"a": MANY}}},
    ],
)
def test_message_that_asks_for_what_cannot_be_is_refused(services: Services, wrong: Mapping[str, Any]) -> None:
    with structlog.testing.capture_logs() as logs:
        refused(services, {"question": "Who?", **wrong})
    assert [entry["event"] for entry in logs] == ["message_refused"]
    with services.database.read() as session:
        assert latest(session) == []


def test_refusal_is_read_under_the_id_that_the_sender_gave(services: Services) -> None:
    wrong = {"question": "Who built it?", "id": str(ID), "colour": "red", "budget": {"pages": "many"}}
    refused(services, wrong)
    record = services.read(records.read, ID.hex, services.now())
    assert (record.status, record.question) == (Status.FAILED, "Who built it?")
    assert record.error is not None
    assert "budget.pages: Input should be a valid integer" in record.error
    assert "colour: Extra inputs are not permitted" in record.error
    assert submit.replay(services, ID.hex).status is Status.FAILED  # it was never asked
    right = messages.accept(services, {"question": "Who built it?", "id": str(ID)})
    assert (right.id, right.status) == (ID.hex, Status.ASKED)


def test_refusal_of_a_text_that_cannot_be_stored_is_stored(services: Services) -> None:
    refused(services, {"question": "Who \ud800 built \0 it?", "id": str(ID), "\udfff": 1})
    record = services.read(records.read, ID.hex, services.now())
    assert record.question == "Who \ufffd built \ufffd it?"
    assert "cannot be stored" in str(record.error)


@pytest.mark.parametrize(
    ("arguments", "fields", "why"),
    [
        ([{"id": str(ID), "question": "Who?", "colour": "red", "collection": "research"}], {}, "colour"),
        ([], {"payload": {"id": str(ID), "question": "Who?", "collection": "research"}}, "payload"),
        ([{"payload": {"id": str(ID), "collection": "research"}}], {}, "payload"),
        ([{"id": str(ID), "question": "Who?", "collection": "research", "owner": "nobody"}], {}, "nobody"),
        ([{"id": str(ID), "collection": "research"}, 7], {}, "one argument"),
    ],
)
def test_refusal_stands_in_the_collection_that_was_named(
    services: Services, arguments: list[Any], fields: dict[str, Any], why: str
) -> None:
    collections.add(services, "research")
    with pytest.raises(MessageRefused, match=why):
        messages.accept(services, *arguments, **fields)
    with services.of("research").database.read() as session:
        assert why in (records.read(session, ID.hex, services.now()).error or "")
    with services.database.read() as session:
        assert session.get(QuestionRow, ID.hex) is None


def test_message_beyond_what_may_be_open_is_refused_under_its_id(services: Services) -> None:
    services.settings = services.settings.model_copy(update={"max_open_questions": 1})
    messages.accept(services, {"question": "Who built it?"})
    refused(services, {"question": "Who broke it?", "id": str(ID)})
    error = services.read(records.read, ID.hex, services.now()).error
    assert error == "The question was refused: 1 questions are open, as many as may be at a time: ask again in 60 s."


def test_payload_may_be_keyword_arguments_but_not_both(services: Services) -> None:
    given = messages.accept(services, question="Who built it?", id=str(ID))
    assert (given.id, given.text) == (ID.hex, "Who built it?")
    other = uuid.uuid4()
    refused(services, {"question": "Who?"}, id=str(other))
    with services.database.read() as session:
        assert "its payload is one argument" in str(session.get_one(QuestionRow, other.hex).error)
    refused(services)
    refused(services, {"question": "Who?"}, "now")
    refused(services, services="x", self="y")


def test_message_is_taken_later_while_the_database_is_away(services: Services) -> None:
    services.__dict__["database"] = Database("postgresql+psycopg://127.0.0.1:1/none")
    with pytest.raises(DatabaseAway):
        messages.accept(services, {"question": "Who built it?"})


def test_message_without_a_queue_is_served_and_other_programs_messages_stay(services: Services, sender: Celery) -> None:
    sender.send_task("wellread.ask", args=[{"question": "Who?", "id": str(ID)}])
    sender.send_task("wellread.ask", args=[{"question": "When?"}], priority=9)
    sender.send_task("billing.send", args=[{"order": 1}])
    services.redis.lpush("celery", b"no message", b'{"headers": []}')
    sweep.sweep(services)
    sweep.sweep(services)
    assert {payload["question"] for payload in _in_queue(sender, "answer")} == {"Who?", "When?"}
    left = services.redis.lrange("celery", 0, -1)
    assert [b"billing.send" in message for message in left].count(True) == 1  # type: ignore[union-attr]
    assert len(left) == 3  # type: ignore[arg-type]


def test_message_behind_many_of_another_program_is_found(services: Services, sender: Celery) -> None:
    services.redis.lpush("celery", b"[" * 200_000, *[b'{"headers": {"task": "billing.send"}}'] * 1_200)
    sender.send_task("wellread.ask", args=[{"question": "Who?"}])
    sweep.sweep(services)
    assert [payload["question"] for payload in _in_queue(sender, "answer")] == ["Who?"]
    assert services.redis.llen("celery") == 1_201
