"""A question is completed by the model where there is one, and asked back where it says too little alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from domain import Question, Status
from domain.options import Asked
from evals.model.wire import Fail, Reply, say_json
from pipeline.models.calls import TRIES
from pipeline.models.pace import Pace
from pipeline.phrases import say
from store.questions import records, state, trace
from store.questions.new_questions import NewQuestion
from store.sql.tables import QuestionRow
from tests.claude_double import ClaudeDouble
from tests.openai_double import Chat, Endless, ErrorInside, OpenAIDouble, Silence, chat_json, model_at
from tests.openai_double import Reply as Said
from tests.openai_double import Status as Broken
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.pipeline.models.claude.lighthouse import Ask
from workers.questions import follow_ups, submit, writing
from workers.questions.step import finish, step
from workers.questions.submit import to_new
from workers.services import Services

__all__ = ["ask", "double", "made", "server"]


def asked(services: Services, question: str, **others: object) -> Question:
    body = Asked.model_validate({"question": question, "reuse": False, **others})
    return submit.submit(services, to_new(body, submit.default_budget(services)))[0]


def completed(services: Services, question: Question) -> Question:
    """Have a question begin; return it as it is understood then."""
    done = begun(services, question)
    assert done.status is Status.ASKED
    return done


def begun(services: Services, question: Question) -> Question:
    wait(services, question)
    writing.write(services, question.id)
    return found(services, question)


def wait(services: Services, question: Question) -> None:
    """Have a question wait for the model."""
    with step(services, question.id, Status.ASKED) as work:
        assert work is not None
        move = writing.before_first_pass(services, work.question)
        assert move is not None
        finish(services, work, move)


def found(services: Services, question: Question) -> Question:
    return services.read(state.find, question.id)


def needs_model(services: Services, question: Question) -> bool:
    return writing.before_first_pass(services, question) is not None


@pytest.fixture
def first(services: Services, ask: Ask) -> Question:
    services.__dict__["model"] = ask()
    return asked(services, "When was the lighthouse of Skagen built?", thread="new")


def test_model_completes_a_question_from_its_thread_and_the_trace_has_what_that_cost(
    services: Services,
    double: ClaudeDouble,
    first: Question,
) -> None:
    question = asked(services, "And the one before that?", after=UUID(first.id))
    double.script(say_json({"question": "When was the lighthouse before that of Skagen built?"}))
    done = completed(services, question)
    assert done.text == "When was the lighthouse before that of Skagen built?"
    with services.database.read() as session:
        record = records.read(session, question.id, services.now())
        step = trace.last(session, question.id, "understand")
    assert (record.question, record.question_as_understood) == ("And the one before that?", done.text)
    assert step is not None
    assert (step.outcome, record.cost.input_tokens > 0) == ("model", True)
    assert not needs_model(services, done)  # once is enough
    assert len(double.received) == 1


@pytest.mark.parametrize(
    "reply",
    [
        say_json({"question": "When was the lighthouse of Rubjerg built?"}),  # a name that nobody said
        say_json({"question": "When was the lighthouse of Skagen built in 1903?"}),  # a number
        say_json({"question": " "}),
        Fail(400, "invalid_request_error", "no"),
    ],
)
def test_what_the_model_makes_up_is_not_asked(
    services: Services,
    double: ClaudeDouble,
    first: Question,
    reply: Reply,
) -> None:
    question = asked(services, "And by whom?", after=UUID(first.id))
    double.script(reply)
    assert completed(services, question).text == question.text
    assert question.text == "By whom was the lighthouse of Skagen built?"  # as the rules say


@pytest.fixture(scope="module")
def chat_server() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as running:
        yield running


def test_server_that_speaks_openais_api_completes_a_question(services: Services, chat_server: OpenAIDouble) -> None:
    chat_server.forget()
    services.__dict__["model"] = model = model_at(chat_server.url)
    earlier = asked(services, "When was the lighthouse of Skagen built?", thread="new")
    question = asked(services, "And the one before that?", after=UUID(earlier.id))
    chat_server.script(chat_json({"question": "When was the lighthouse before that of Skagen built?"}))
    assert completed(services, question).text == "When was the lighthouse before that of Skagen built?"
    assert "lighthouse of Skagen" in chat_server.received[0].user
    model.close()


@pytest.mark.parametrize(
    "reply",
    [
        chat_json({"question": "Who keeps the lighthouse of Rubjerg?"}),  # a name that nobody said
        chat_json({"answer": "1874"}),
        Chat("I cannot do that."),
        Silence(30.0),
        Endless(every_s=0.05),
        ErrorInside(),
        Broken(500),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_rules_reading_is_kept_where_the_server_lies_or_fails(
    services: Services, chat_server: OpenAIDouble, reply: Said
) -> None:
    chat_server.forget()
    services.__dict__["model"] = model = model_at(chat_server.url, timeout_s=1.0)
    earlier = asked(services, "When was the lighthouse of Skagen built?", thread="new")
    question = asked(services, "And by whom?", after=UUID(earlier.id))
    chat_server.script(*[reply] * TRIES)
    done = completed(services, question)
    assert done.text == question.text == "By whom was the lighthouse of Skagen built?"
    assert not needs_model(services, done)  # a step that is tried again does not pay again
    with services.database.read() as session:
        tried = trace.last(session, question.id, "understand")
        cost = records.read(session, question.id, services.now()).cost
    assert tried is not None
    assert (tried.outcome, bool(tried.detail["error"])) == ("model failed", True)
    assert (cost.input_tokens > 0) == isinstance(reply, Chat | Endless | ErrorInside)  # also of half a reply
    model.close()


def test_model_does_not_touch_what_the_asker_says_is_meant(
    services: Services,
    double: ClaudeDouble,
    first: Question,
) -> None:
    question = asked(services, "And?", after=UUID(first.id), question_as_understood="Who painted it in Skagen?")
    assert not needs_model(services, question)
    assert double.received == []


@pytest.mark.parametrize(
    ("question", "lang"),
    [("And how deep is it?", "en"), ("Und wie tief ist er?", "de")],
)
def test_follow_up_that_the_model_leaves_as_it_is_is_asked_back_in_its_language(
    services: Services, double: ClaudeDouble, first: Question, question: str, lang: str
) -> None:
    then = asked(services, question, after=UUID(first.id))
    double.script(say_json({"question": question}))
    move = follow_ups.asked_back(services, completed(services, then))
    assert move is not None
    assert move.answer is not None
    assert (move.to, move.answer.text) == (Status.ABSTAINED, say("asks_back", lang))


def test_question_that_follows_none_or_is_completed_is_not_asked_back(services: Services) -> None:
    first = asked(services, "What is nginx?", thread="new")
    for question in (
        asked(services, "How deep is it at the quay?"),
        asked(services, "How deep is it at the quay?", thread="new"),
        asked(services, "And its configuration file?", sites=["https://example.org/nginx"]),
        asked(services, "How do I install it?", after=UUID(first.id)),
        asked(services, "Why?", question_as_understood="Why is nginx quick?"),
        first,
    ):
        assert follow_ups.asked_back(services, question) is None


def test_model_that_is_over_its_limit_is_waited_for_and_done_without_once(
    services: Services, first: Question, ask: Ask, double: ClaudeDouble
) -> None:
    services.__dict__["model"] = ask(pace=Pace())
    double.script(Fail(429, "rate_limit_error", headers={"retry-after": "20"}))
    then = asked(services, "And how high is it?", thread=first.thread_id)
    waits = begun(services, then)
    assert waits.status is Status.WRITING
    assert len(double.received) == 1
    with services.database.write() as session:
        row = session.get_one(QuestionRow, then.id)
        row.due_at, row.updated_at = services.now(), services.now() - timedelta(seconds=3_000)
    writing.write(services, then.id)
    done = found(services, then)
    assert done.status is Status.ASKED
    assert not needs_model(services, done)


def test_question_that_was_completed_by_a_worker_that_died_is_not_completed_again(
    services: Services, first: Question, double: ClaudeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    double.script(say_json({"question": "How high is the lighthouse of Skagen?"}))
    then = asked(services, "And how high is it?", thread=first.thread_id)
    monkeypatch.setattr(writing, "finish", lambda *_: False)
    begun(services, then)
    monkeypatch.undo()
    with services.database.write() as session:
        session.get_one(QuestionRow, then.id).lease_until = services.now() - timedelta(seconds=1)
    writing.write(services, then.id)
    done = found(services, then)
    assert (done.status, done.text) == (Status.ASKED, "How high is the lighthouse of Skagen?")
    assert len(double.received) == 1


def test_question_whose_worker_has_no_model_begins_without_it(services: Services, first: Question) -> None:
    then, model = asked(services, "And how high is it?", thread=first.thread_id), services.model
    wait(services, then)
    services.__dict__["model"] = None
    writing.write(services, then.id)
    services.__dict__["model"] = model
    done = found(services, then)
    assert done.status is Status.ASKED
    assert not needs_model(services, done)


def test_greeting_ends_without_a_lookup(services: Services) -> None:
    question, _ = submit.submit(services, NewQuestion(text="Guten Tag!"))
    move = follow_ups.asked_back(services, question)
    assert move is not None
    assert (move.to, move.answer and move.answer.text) == (Status.ABSTAINED, say("greeting", "de"))
