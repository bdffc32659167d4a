"""A follow-up in a conversation is completed by the model where there is one, as one in a thread is; paid once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from domain import Question
from store.questions import records, state, trace
from store.questions.listing import latest
from tests.api import walk
from tests.openai_double import Chat, ErrorInside, OpenAIDouble, Reply, Silence, Status, chat_json, model_at
from tests.workers.questions.test_follow_ups import completed, needs_model
from workers.services import Services

COMPLETED = "When was the lighthouse before that of Skagen built?"
BY_RULES = "By whom was the lighthouse of Skagen built?"
TALK = [
    {"role": "user", "content": "When was the lighthouse of Skagen built?"},
    {"role": "assistant", "content": "It was built in 1858 [1]."},
]


@pytest.fixture(scope="module")
def chat_server() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as running:
        yield running


@pytest.fixture
def with_model(services: Services, chat_server: OpenAIDouble) -> Iterator[Services]:
    chat_server.forget()
    services.__dict__["model"] = model = model_at(chat_server.url, timeout_s=1.0)
    yield services
    model.close()


def complete(http: TestClient, question: str, **options: Any) -> dict[str, Any]:
    body = {"model": "wellread", "messages": [*TALK, {"role": "user", "content": question}], "wellread": options}
    answer: dict[str, Any] = http.post("/v1/chat/completions", json=body).json()
    return answer


def asked(http: TestClient, services: Services, question: str, **options: Any) -> Question:
    """The question that a conversation ends with; nobody waits for its answer."""
    assert complete(http, question, wait=0, **options)["error"]["code"] == "no_answer"
    with services.database.read() as session:
        return state.find(session, latest(session)[0].id)


def told(services: Services, question: Question) -> tuple[str, dict[str, Any]]:
    """The outcome and the details of the step that understood it."""
    with services.database.read() as session:
        step = trace.last(session, question.id, "understand")
    assert step is not None
    return step.outcome, step.detail


def test_model_completes_it_once_and_the_same_conversation_shares_run_and_answer(
    http: TestClient, with_model: Services, chat_server: OpenAIDouble
) -> None:
    chat_server.script(chat_json({"question": COMPLETED}))
    question = asked(http, with_model, "And the one before that?")
    done = completed(with_model, question)
    assert done.text == COMPLETED
    assert "1858" in chat_server.received[0].user
    assert not needs_model(with_model, done)
    follower = asked(http, with_model, "And the one before that?")
    walk.move(with_model, question.id, walk.answered(walk.keep_page(with_model)))
    again = complete(http, "And the one before that?")
    assert again["wellread"]["question_as_understood"] == COMPLETED
    with with_model.database.read() as session:
        followed = records.read(session, follower.id, with_model.now())
    assert (followed.question, followed.question_as_understood) == ("And the one before that?", COMPLETED)
    assert len(chat_server.received) == 1


def test_what_was_said_is_kept_only_until_the_model_has_read_it(
    http: TestClient, with_model: Services, chat_server: OpenAIDouble
) -> None:
    chat_server.script(chat_json({"question": COMPLETED}))
    question = asked(http, with_model, "And the one before that?")
    assert "1858" in str(told(with_model, question))
    completed(with_model, question)
    assert "1858" not in http.get(f"/api/questions/{question.id}/trace").text


@pytest.mark.parametrize(
    "reply",
    [
        chat_json({"question": "Who built the lighthouse of Rubjerg?"}),  # a name that nobody said
        Chat("I cannot do that."),
        Silence(30.0),
        ErrorInside(),
        Status(500),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_rules_reading_is_kept_where_the_model_lies_or_fails(
    http: TestClient, with_model: Services, chat_server: OpenAIDouble, reply: Reply
) -> None:
    chat_server.script(reply)
    question = asked(http, with_model, "And by whom?")
    done = completed(with_model, question)
    assert (done.text, told(with_model, question)[0]) == (BY_RULES, "model failed")
    assert not needs_model(with_model, done)


def test_rules_complete_it_without_a_model_and_keep_nothing_that_was_said(http: TestClient, services: Services) -> None:
    question = asked(http, services, "And by whom?")
    assert (question.text, told(services, question)) == (BY_RULES, ("rules", {"turns": []}))


def test_asker_says_what_is_meant_and_the_model_does_not_touch_it(
    http: TestClient, with_model: Services, chat_server: OpenAIDouble
) -> None:
    question = asked(http, with_model, "And by whom?", question_as_understood="Who painted it?")
    assert (question.text, needs_model(with_model, question)) == ("Who painted it?", False)
    assert chat_server.received == []


def test_other_conversation_shares_nothing(http: TestClient, with_model: Services) -> None:
    first = asked(http, with_model, "And by whom?")
    body = {"model": "wellread", "messages": [{"role": "user", "content": "Who sank the Batavia?"}, TALK[1]]}
    body["messages"] = [*body["messages"], {"role": "user", "content": "And by whom?"}]
    http.post("/v1/chat/completions", json=body | {"wellread": {"wait": 0}})
    with with_model.database.read() as session:
        other = latest(session)[0]
    assert (other.id == first.id, other.leader_id) == (False, None)
