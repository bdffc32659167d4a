"""Questions that may wait go to the model in batches, at half the price, and lose nothing whatever becomes of these."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from domain import Question, Status
from domain.access import Role
from domain.options import BATCH_DEADLINE_S, Overrides
from domain.question import LAST_PRIORITY
from evals.model.wire import Fail, say_json
from store import keys
from store.questions import trace
from store.questions.new_questions import NewQuestion
from store.sql.tables import BatchedRequestRow, QuestionRow
from tests.claude_double import ClaudeDouble
from tests.openai_double import OpenAIDouble, model_at
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.workers.conftest import Outbox
from tests.workers.questions.test_lookup import TEXT
from tests.workers.questions.test_lookup import reading as reading
from tests.workers.questions.test_writing import (
    ENOUGH,
    QUOTED,
    SUPPORTED,
    VARIANTS,
    WROTE,
    change,
    find,
    look,
    record_of,
    write,
)
from tests.workers.questions.test_writing import written as written
from workers.deletion import delete_question
from workers.questions import batches, submit, writing
from workers.questions.step import finish, step
from workers.services import Services

__all__ = ["ask", "double", "made", "server"]

ANSWER = "It was built in 1874. [1]"


def asked(services: Services, **others: object) -> Question:
    new = NewQuestion(text=TEXT, overrides=Overrides(batch=True), reuse=False, **others)  # type: ignore[arg-type]
    return submit.submit(services, new)[0]


def sent(services: Services, *questions: Question) -> list[Question]:
    """Let questions come to what they ask the model, and send that."""
    waiting = [write(services, look(services, question)) for question in questions]
    batches.run(services)
    return waiting


def requests(services: Services) -> int:
    with services.database.read() as session:
        return session.scalar(select(func.count()).select_from(BatchedRequestRow)) or 0


def is_due(services: Services, question: Question) -> bool:
    with services.database.read() as session:
        return session.get_one(QuestionRow, question.id).due_at <= services.now()


def later(services: Services, **time: float) -> None:
    at = services.now() + timedelta(**time)
    services.now = lambda: at  # type: ignore[method-assign]


def test_two_questions_are_answered_and_checked_in_two_batches_at_half_the_price(
    written: Services, double: ClaudeDouble
) -> None:
    questions = sent(written, asked(written), asked(written))
    assert {question.status for question in questions} == {Status.WRITING}
    assert not any(is_due(written, question) for question in questions)
    batch = double.batches.last
    assert len(batch.requests) == 2
    batches.run(written)  # it has not ended
    assert not any(is_due(written, question) for question in questions)
    batch.end(WROTE, WROTE)
    batches.run(written)
    assert all(is_due(written, question) for question in questions)
    for question in questions:
        assert write(written, question).status is Status.WRITING  # its sentences are to be checked
    batches.run(written)
    assert len(double.batches.last.requests) == 2
    double.batches.last.end(SUPPORTED, SUPPORTED)
    batches.run(written)
    for question in questions:
        record = record_of(written, write(written, question))
        assert (record.status, record.answer, record.composer) == (Status.ANSWERED, ANSWER, "claude-sonnet-5-5")
    assert double.received == []  # no call was single
    assert double.batches.deleted == ["msgbatch_1", "msgbatch_2"]
    assert requests(written) == 0
    batched = record.cost
    double.script(WROTE, SUPPORTED)
    single = look(written, submit.submit(written, NewQuestion(text=TEXT, reuse=False))[0])
    cost = record_of(written, write(written, single)).cost
    assert cost.input_tokens >= batched.input_tokens
    assert batched.usd == pytest.approx(cost.usd / 2, rel=0.02)


def test_step_that_begins_again_asks_nothing_twice(written: Services, double: ClaudeDouble) -> None:
    (question,) = sent(written, asked(written))
    change(written, question, due_at=written.now())
    later(written, hours=20)  # another day
    assert write(written, question).status is Status.WRITING
    batches.run(written)
    assert (double.batches.made, requests(written), double.received) == (1, 1, [])


def test_batch_whose_sender_died_is_found_again(written: Services, double: ClaudeDouble) -> None:
    double.batches.goes_silent = True
    (question,) = sent(written, asked(written))
    double.batches.goes_silent = False
    batches.run(written)
    assert double.batches.made == 1
    later(written, minutes=11)
    batches.run(written)
    double.batches.last.end(WROTE)
    batches.run(written)
    assert is_due(written, question)
    assert double.batches.made == 1


def test_batch_that_never_arrived_is_sent_again(written: Services, double: ClaudeDouble) -> None:
    double.batches.goes_silent = True
    sent(written, asked(written))
    double.batches.held.clear()
    double.batches.goes_silent = False
    later(written, minutes=11)
    batches.run(written)
    batches.run(written)
    assert len(double.batches.held) == 1


def test_reply_that_comes_while_the_step_begins_is_not_waited_for(written: Services, double: ClaudeDouble) -> None:
    (question,) = sent(written, asked(written))
    change(written, question, due_at=written.now())
    with step(written, question.id, Status.WRITING) as work:
        assert work is not None
        double.batches.last.end(WROTE)
        batches.run(written)
        batches.wait(written, work)
    assert is_due(written, question)


@pytest.mark.parametrize("result", [Fail(500, "api_error"), "expired", "canceled"])
def test_request_that_its_batch_does_not_answer_is_asked_singly(
    written: Services, double: ClaudeDouble, result: Fail
) -> None:
    first, second = sent(written, asked(written), asked(written))
    double.batches.last.end(WROTE, result)
    batches.run(written)
    assert is_due(written, first)
    assert is_due(written, second)
    double.script(WROTE, SUPPORTED)
    ended = [write(written, question).status for question in (first, second)]
    assert sorted(ended) == [Status.ANSWERED, Status.WRITING]
    assert len(double.received) == 2  # what follows a single call is single: its reply is kept nowhere
    batches.run(written)
    double.batches.last.end(SUPPORTED)
    batches.run(written)
    for question in (first, second):
        write(written, question)
        assert record_of(written, question).answer == ANSWER


def test_batch_that_never_ends_is_given_up_before_the_deadline(written: Services, double: ClaudeDouble) -> None:
    (question,) = sent(written, asked(written, deadline_s=3_600.0))
    later(written, minutes=49)
    assert not is_due(written, question)
    later(written, minutes=2)
    assert is_due(written, question)
    double.script(WROTE, SUPPORTED)
    record = record_of(written, write(written, question))
    assert record.answer == ANSWER
    assert len(double.received) == 2
    batches.run(written)  # nobody waits for the batch: it is cancelled
    assert double.batches.last.results == {name: {"type": "canceled"} for name in double.batches.last.requests}
    batches.run(written)
    assert (double.batches.deleted, requests(written)) == (["msgbatch_1"], 0)
    assert record_of(written, question).cost == record.cost


def test_reply_that_comes_after_a_single_call_costs_what_it_costs_and_changes_nothing(
    written: Services, double: ClaudeDouble
) -> None:
    late, _ = sent(written, asked(written, deadline_s=3_600.0), asked(written))
    later(written, minutes=51)
    double.script(WROTE, SUPPORTED)
    record = record_of(written, write(written, late))
    batches.run(written)  # the other question waits for the same batch
    assert double.batches.last.results is None
    double.batches.last.end(WROTE, WROTE)
    for _ in range(2):
        batches.run(written)
    after = record_of(written, late)
    assert (after.status, after.answer, after.revision) == (record.status, record.answer, record.revision)
    assert record.cost.usd < after.cost.usd < 2 * record.cost.usd
    assert after.cost.input_tokens > record.cost.input_tokens


def test_reply_that_comes_during_a_single_call_is_paid_for(written: Services, double: ClaudeDouble) -> None:
    (question,) = sent(written, asked(written, deadline_s=3_600.0))
    later(written, minutes=51)
    with written.database.read() as session:
        (request,) = session.scalars(select(BatchedRequestRow.body)).all()
    assert batches.Replies(written, find(written, question.id)).reply_to(request) is None  # the call begins
    double.batches.last.end(WROTE)
    batches.run(written)
    assert record_of(written, question).cost.usd > 0
    assert requests(written) == 0


def test_reply_that_no_step_has_used_is_paid_for_when_its_question_ends(
    written: Services, double: ClaudeDouble
) -> None:
    (question,) = sent(written, asked(written))
    double.batches.last.end(WROTE)
    batches.run(written)
    assert write(written, question).status is Status.WRITING  # its sentences are to be checked
    submit.cancel(written, question.id)
    for _ in range(2):
        batches.run(written)
    record = record_of(written, question)
    assert (record.status, requests(written), double.batches.made) == (Status.CANCELLED, 0, 1)
    assert record.cost.usd > 0


def test_batch_that_cannot_be_cancelled_keeps_no_other_from_being_read(written: Services, double: ClaudeDouble) -> None:
    (first,) = sent(written, asked(written))
    later(written, minutes=1)
    (second,) = sent(written, asked(written))
    submit.cancel(written, first.id)
    double.batches.refuses_cancel = Fail(400, "invalid_request_error")
    double.batches.last.end(WROTE)
    batches.run(written)
    assert is_due(written, second)


def test_question_with_little_time_is_asked_singly(written: Services, double: ClaudeDouble) -> None:
    double.script(WROTE, SUPPORTED)
    question = write(written, look(written, asked(written, deadline_s=300.0)))
    assert (question.status, len(double.received), requests(written)) == (Status.ANSWERED, 2, 0)


@pytest.mark.parametrize(
    "refusal",
    [Fail(404, "not_found_error"), Fail(401, "authentication_error"), {"id": "msg_1", "type": "message"}, {"a": 1}],
)
def test_server_that_takes_no_batches_is_asked_singly(
    written: Services, double: ClaudeDouble, refusal: Fail | dict[str, str]
) -> None:
    double.batches.refuses = refusal
    (question,) = sent(written, asked(written))
    assert is_due(written, question)
    double.script(WROTE, SUPPORTED)
    assert record_of(written, write(written, question)).answer == ANSWER


def test_key_that_is_rejected_now_keeps_no_new_question_waiting(written: Services, double: ClaudeDouble) -> None:
    (first,) = sent(written, asked(written))
    key, double.key = double.key, "another"
    (second,) = sent(written, asked(written))
    double.key = key
    assert (is_due(written, first), is_due(written, second)) == (False, True)


def test_batch_that_is_refused_for_its_number_is_sent_later(written: Services, double: ClaudeDouble) -> None:
    double.batches.refuses = Fail(429, "rate_limit_error")
    (question,) = sent(written, asked(written))
    assert not is_due(written, question)
    double.batches.refuses = None
    batches.run(written)
    assert double.batches.made == 1


def test_without_a_model_any_more_the_question_ends_with_the_quote(written: Services) -> None:
    (question,) = sent(written, asked(written))
    written.__dict__["model"] = None
    batches.run(written)
    assert is_due(written, question)
    assert record_of(written, write(written, question)).answer == QUOTED
    assert requests(written) == 0


def test_question_that_is_deleted_leaves_no_request(written: Services, double: ClaudeDouble) -> None:
    first, second = sent(written, asked(written), asked(written))
    delete_question(written, first.id)
    assert requests(written) == 1
    double.batches.last.end(WROTE, WROTE)
    batches.run(written)
    assert is_due(written, second)
    assert requests(written) == 1


def test_reply_to_a_cancelled_question_is_dropped_and_its_cost_noted(written: Services, double: ClaudeDouble) -> None:
    first, second = sent(written, asked(written), asked(written))
    submit.cancel(written, first.id)
    with written.database.read() as session:
        assert [row.body for row in session.scalars(select(BatchedRequestRow)) if row.question_id == first.id] == [{}]
    double.batches.last.end(WROTE, WROTE)
    batches.run(written)
    assert is_due(written, second)
    assert requests(written) == 1
    record = record_of(written, first)
    assert (record.status, record.composer) == (Status.CANCELLED, "extractive")
    assert record.cost.usd > 0


def test_each_call_has_a_batch_of_its_own_and_is_paid_once(written: Services, double: ClaudeDouble) -> None:
    question = asked(written)
    change(written, question, text="Which harbour office sells permits?", crawl_enabled=False)
    question = find(written, question.id)
    for replies in ((VARIANTS,), (ENOUGH, WROTE, SUPPORTED)):
        question = look(written, question)
        for reply in replies:
            write(written, question)
            batches.run(written)
            double.batches.last.end(reply)
            batches.run(written)
        question = write(written, question)
    assert (question.status, double.batches.made, double.received) == (Status.ANSWERED, 4, [])
    step = written.read(trace.last, question.id, "write")
    assert step is not None
    assert step.detail["asked"] == ["verdict", "answer", "check"]
    sizes = [len(json.dumps(params)) // 4 for batch in double.batches.read for params in batch.requests.values()]
    assert record_of(written, question).cost.input_tokens == sum(sizes)


def test_form_is_filled_in_a_batch_too(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written, answer_schema={"properties": {"height": {"type": "number"}}}))
    for reply in (WROTE, SUPPORTED, say_json({"values": [{"path": "/height", "value": "41", "quote": 1}]})):
        assert write(written, question).status is Status.WRITING
        batches.run(written)
        double.batches.last.end(reply)
        batches.run(written)
    record = record_of(written, write(written, question))
    assert record.structured is not None
    assert (record.structured.value, double.received, requests(written)) == ({"height": 41}, [], 0)


def test_wordings_come_in_a_batch_too(written: Services, double: ClaudeDouble) -> None:
    question = asked(written)
    change(written, question, text="Which harbour office sells permits?", crawl_enabled=False)
    (question,) = sent(written, find(written, question.id))
    double.batches.last.end(VARIANTS)
    batches.run(written)
    question = write(written, question)
    assert (question.status, len(question.variants)) == (Status.RETRYING, 1)
    assert requests(written) == 0


def test_follow_up_is_completed_in_a_batch_too(written: Services, double: ClaudeDouble) -> None:
    double.script(WROTE, SUPPORTED)
    first = write(written, look(written, submit.submit(written, NewQuestion(text=TEXT, thread_id="new"))[0]))
    new = NewQuestion(text="And how tall is it?", after_id=first.id, overrides=Overrides(batch=True))
    question, _ = submit.submit(written, new)
    with step(written, question.id, Status.ASKED) as work:
        assert work is not None
        move = writing.before_first_pass(written, question)
        assert move is not None
        finish(written, work, move)
    assert write(written, question).status is Status.WRITING
    batches.run(written)
    complete = "How tall is the lighthouse of Vierburg?"
    double.batches.last.end(say_json({"question": complete}))
    batches.run(written)
    question = write(written, question)
    assert (question.status, question.text) == (Status.ASKED, complete)
    assert len(double.received) == 2


def test_request_that_is_too_dear_is_not_sent(written: Services, double: ClaudeDouble) -> None:
    question = asked(written)
    change(written, question, budget={**vars(question.budget), "usd": 0.0001})
    record = record_of(written, write(written, look(written, find(written, question.id))))
    assert (record.answer, requests(written)) == (QUOTED, 0)


def test_operator_says_whose_questions_may_wait(written: Services) -> None:
    nightly = written.write(keys.add, "nightly", Role.ask, written.now())
    new = NewQuestion(text=TEXT, reuse=False)
    written.settings = written.settings.model_copy(update={"batch_for": ("key:nightly",)})
    assert not submit.submit(written, new)[0].may_wait
    question = submit.submit(written, replace(new, owner=nightly.owner))[0]
    assert (question.may_wait, question.priority) == (True, LAST_PRIORITY)
    assert question.deadline - question.created_at == timedelta(seconds=BATCH_DEADLINE_S)
    prompt = replace(new, owner=nightly.owner, overrides=Overrides(batch=False))
    assert not submit.submit(written, prompt)[0].may_wait
    written.settings = written.settings.model_copy(update={"batch_for": ("collection:default",)})
    assert submit.submit(written, new)[0].may_wait


def test_question_that_joins_one_that_waits_is_not_kept_waiting(written: Services, double: ClaudeDouble) -> None:
    patient, _ = submit.submit(written, NewQuestion(text=TEXT, overrides=Overrides(batch=True)))
    (patient,) = sent(written, patient)
    prompt, _ = submit.submit(written, NewQuestion(text=TEXT))
    assert prompt.status is Status.FOLLOWING
    assert is_due(written, patient)
    double.script(WROTE, SUPPORTED)
    write(written, patient)
    assert record_of(written, prompt).answer == ANSWER


def test_model_without_batches_is_asked_singly_after_all_others(written: Services, outbox: Outbox) -> None:
    with OpenAIDouble() as double:
        written.__dict__["model"] = model_at(double.url)
        question = look(written, asked(written))
        assert outbox.priorities[Status.WRITING, question.id] == LAST_PRIORITY
        question = write(written, question)
        assert question.status is Status.ANSWERED
        assert double.received
        assert requests(written) == 0
        written.model.close()  # type: ignore[union-attr]
