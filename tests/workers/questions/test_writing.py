"""A question waits for a model in a step of its own, and loses nothing whatever the model does."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from domain import Question, Status
from domain.record import Record
from evals.model.wire import Cite, Fail, Ping, Reply, Say, say_json
from pipeline import llm
from pipeline.models.pace import Pace
from store.questions import records, state, trace
from store.questions.new_questions import NewQuestion
from store.sql import leases
from store.sql.tables import QuestionRow
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.pipeline.models.claude.lighthouse import Ask
from tests.workers.conftest import Outbox
from tests.workers.questions.test_lookup import TEXT, put
from tests.workers.questions.test_lookup import ask as asked
from tests.workers.questions.test_lookup import reading as reading
from workers import monitoring
from workers.questions import lookup, submit, transitions, writing
from workers.services import Services
from workers.services.pipeline import MARGIN_S
from workers.tasks import answer

__all__ = ["ask", "double", "made", "reading", "server"]

BUILT = "The lighthouse of Vierburg was built in 1874."
QUOTED = f"{BUILT} It is 41 m tall. [1]"  #: the answer without a model
WROTE = Say([("It was built in 1874.", [Cite(result=0, start=0, end=1)])])
REFUSES = Say(["The search results do not say."])
SUPPORTED = say_json({"sentences": [{"n": 1, "says": "supported"}]})
VARIANTS = say_json({"variants": [{"kind": "paraphrase", "text": "Which year was it built?"}]})
ENOUGH = say_json({"sufficient": True, "reason": "It says so.", "missing": []})
NOT_ENOUGH = say_json({"sufficient": False, "reason": "No.", "missing": ["year"]})


@pytest.fixture
def written(reading: Services, ask: Ask) -> Services:
    """Services with a model, whose knowledge base says when the lighthouse was built."""
    reading.__dict__["model"] = ask()
    put(reading, f"{BUILT} It is 41 m tall.")
    return reading


def look(services: Services, question: Question) -> Question:
    """Run the pass that a question waits for."""
    passes = {
        Status.ASKED: (lookup.first_pass, transitions.after_first_pass),
        Status.RETRYING: (lookup.second_pass, transitions.after_second_pass),
    }
    answer._search(services, question.id, question.status, *passes[question.status])
    return find(services, question.id)


def write(services: Services, question: Question) -> Question:
    writing.write(services, question.id)
    return find(services, question.id)


def find(services: Services, question_id: str) -> Question:
    return services.read(state.find, question_id)


def record_of(services: Services, question: Question) -> Record:
    return services.read(records.read, question.id, services.now())


def change(services: Services, question: Question, **values: object) -> None:
    with services.database.write() as session:
        row = session.get_one(QuestionRow, question.id)
        for name, value in values.items():
            setattr(row, name, value)


def test_sure_question_waits_for_the_model_with_its_quote_as_the_provisional_answer(
    written: Services, double: ClaudeDouble, outbox: Outbox
) -> None:
    question = look(written, asked(written))
    assert question.status is Status.WRITING
    assert outbox.messages[-1] == (Status.WRITING, question.id)
    provisional = record_of(written, question)
    assert (provisional.provisional, provisional.answer, provisional.composer) == (True, QUOTED, "extractive")
    assert double.received == []  # no process waited
    double.script(WROTE, SUPPORTED)
    question = write(written, question)
    record = record_of(written, question)
    assert (question.status, record.answer) == (Status.ANSWERED, "It was built in 1874. [1]")
    assert record.composer == "claude-sonnet-5-5"
    assert record.citations[0].quote == BUILT
    assert record.confidence > 0.8
    assert record.verdict is not None
    assert record.verdict.sufficient
    assert len(double.received) == 2  # the answer, and the check of its sentence
    assert record.cost.input_tokens > 0


@pytest.mark.parametrize(
    ("strict", "status", "outcome"), [(False, Status.ANSWERED, "unsure"), (True, Status.RETRYING, None)]
)
def test_models_answer_below_the_border_is_unsure_and_a_strict_question_goes_on(
    written: Services, double: ClaudeDouble, strict: bool, status: Status, outcome: str | None
) -> None:
    question = look(written, asked(written))
    change(written, question, overrides={"threshold": 0.999, "strict": strict})
    double.script(WROTE, SUPPORTED)
    question = write(written, question)
    record = record_of(written, question)
    assert (question.status, record.outcome) == (status, outcome)
    if not strict:
        assert (record.answer, record.short_answer) == ("Perhaps: It was built in 1874. [1]", None)


def test_answer_is_shown_while_its_sentences_are_checked(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    finding = say_json({"sentences": [{"n": 1, "says": "not_said"}]})
    double.script(WROTE, finding)
    question = write(written, question)
    with written.database.read() as session:
        given = [row.text for row in session.query(records.AnswerRow).order_by(records.AnswerRow.revision)]
    assert given == [QUOTED, "It was built in 1874. [1]", f"{BUILT} [1]"]
    step = written.read(trace.last, question.id, "write")
    assert step is not None
    assert [each["kind"] for each in step.detail["findings"]] == ["not_said"]


def test_answer_has_the_form_that_its_asker_and_the_operator_want(written: Services, double: ClaudeDouble) -> None:
    written.settings = written.settings.model_copy(update={"instructions": "Use plain words."})
    own = {"verbatim": True, "instructions": "For a beginner.", "length": "report"}
    question = look(written, asked(written))
    change(written, question, overrides=own)
    double.script(WROTE)
    question = write(written, question)
    record = record_of(written, question)
    assert (record.answer, [each.origin for each in record.sentences]) == (f"{BUILT} [1]", ["quoted"])
    (received,) = double.received  # there is nothing to check in quotes
    system = " ".join(block["text"] for block in received.body["system"])
    assert "Use plain words." in system
    assert "For a beginner." not in system
    assert "For a beginner." in str(received.body["messages"])
    assert received.body["max_tokens"] == 8192


@pytest.mark.parametrize("reply", [Fail(401, "authentication_error"), Fail(400, "invalid_request_error"), Say([""])])
def test_model_that_fails_leaves_the_quote_and_a_notice_without_hosts_and_settings(
    written: Services, double: ClaudeDouble, reply: Reply
) -> None:
    question = look(written, asked(written))
    before = record_of(written, question)
    double.script(reply)
    record = record_of(written, write(written, question))
    assert (record.status, record.answer, record.composer) == (Status.ANSWERED, QUOTED, "extractive")
    assert record.confidence == before.confidence
    assert record.notice == "The language model did not answer; this answer is made of quotes instead."
    with written.database.read() as session:
        last = trace.last(session, question.id, "write")
        assert last is not None
        assert last.detail["error"]
        assert last.detail["kind"] in vars(llm)


def test_busy_model_is_waited_for_and_done_without_when_that_takes_too_long(
    written: Services, double: ClaudeDouble, ask: Ask
) -> None:
    written.__dict__["model"] = ask(pace=Pace())
    question = look(written, asked(written))
    double.script(Fail(529, "overloaded_error", headers={"retry-after": "20"}))
    question = write(written, question)
    assert question.status is Status.WRITING
    with written.database.read() as session:
        row = session.get_one(QuestionRow, question.id)
        assert row.due_at > written.now() + timedelta(seconds=15)
        assert (row.attempts, row.lease_by) == (0, None)
    change(written, question, due_at=written.now(), updated_at=written.now() - timedelta(seconds=3_000))
    double.script(Fail(529, "overloaded_error", headers={"retry-after": "20"}))
    record = record_of(written, write(written, question))
    assert (record.status, record.composer) == (Status.ANSWERED, "extractive")
    assert "The language model was not asked" in record.notice


def test_model_that_is_slow_is_left_before_the_questions_own_deadline(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    change(written, question, deadline=written.now() + timedelta(seconds=MARGIN_S + 0.5))
    double.script(Ping())
    record = record_of(written, write(written, question))
    assert (record.status, record.answer, record.composer) == (Status.ANSWERED, QUOTED, "extractive")
    assert "The language model did not answer" in record.notice
    assert len(double.received) == 1


def test_verdict_of_an_answer_that_must_wait_is_kept_and_its_cost_counted(
    written: Services, double: ClaudeDouble, ask: Ask
) -> None:
    written.__dict__["model"] = ask(pace=Pace())
    question = look(written, asked(written))
    reading = question.draft["reading"] | {"confidence": 0.1}
    change(written, question, draft=question.draft | {"reading": reading})
    double.script(ENOUGH, Fail(529, "overloaded_error", headers={"retry-after": "20"}))
    question = write(written, question)
    assert (question.status, question.draft["judged"]) == (Status.WRITING, True)
    assert record_of(written, question).cost.input_tokens > 0
    change(written, question, due_at=written.now())
    written.__dict__["model"] = ask()
    double.script(WROTE, SUPPORTED)
    assert write(written, question).status is Status.ANSWERED
    assert len(double.received) == 4


def test_refusal_leads_on_and_what_was_refused_is_not_sent_again(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    double.script(REFUSES)
    question = write(written, question)
    assert question.status is Status.RETRYING
    change(written, question, crawl_enabled=False)
    question = look(written, find(written, question.id))
    assert question.status is Status.WRITING
    question = write(written, question)  # the page is the same
    assert len(double.received) == 1
    record = record_of(written, question)
    assert record.status is Status.ABSTAINED
    assert record.answer is not None
    assert record.answer.startswith("I do not know")
    assert record.verdict is not None
    assert (record.verdict.sufficient, record.verdict.confidence) == (False, 0.0)
    assert record.verdict.reason == "The model found no answer in the passages."
    assert record.verdict.judge == "claude-sonnet-5-5"


def test_unsure_question_gets_its_variants_from_the_model_and_a_verdict_before_its_answer(
    written: Services, double: ClaudeDouble
) -> None:
    question = asked(written)
    change(written, question, text="Which harbour office sells permits?", crawl_enabled=False)
    question = look(written, find(written, question.id))
    assert (question.status, question.draft["ask"]) == (Status.WRITING, "variants")
    double.script(VARIANTS)
    question = write(written, question)
    assert (question.status, [each.text for each in question.variants]) == (
        Status.RETRYING,
        ["Which year was it built?"],
    )
    question = look(written, question)
    assert question.queries == (question.text, "Which year was it built?")


def test_variants_that_the_model_does_not_give_are_made_by_the_rules(written: Services, double: ClaudeDouble) -> None:
    question = asked(written)
    change(written, question, text="Which harbour office sells permits?", crawl_enabled=False)
    question = look(written, find(written, question.id))
    double.script(Fail(401, "authentication_error"))
    question = write(written, question)
    assert (question.status, question.variants) == (Status.RETRYING, ())
    assert len(look(written, question).queries) > 1


def test_task_that_comes_twice_writes_once(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    double.script(WROTE, SUPPORTED)
    write(written, question)
    write(written, question)
    assert len(double.received) == 2


def test_page_that_is_gone_in_the_meantime_is_not_sent_and_the_question_is_looked_up_again(
    written: Services, double: ClaudeDouble
) -> None:
    question = look(written, asked(written))
    with written.database.write() as session:
        page_id = question.draft["reading"]["spans"][0]["page_id"]
        session.get_one(records.PageRow, page_id).gone_at = written.now()
    question = write(written, question)
    assert (double.received, question.status) == ([], Status.RETRYING)
    assert look(written, question).status is not Status.ANSWERED


def test_without_a_model_any_more_the_question_ends_as_it_would_have(written: Services) -> None:
    question = look(written, asked(written))
    written.__dict__["model"] = None
    record = record_of(written, write(written, question))
    assert (record.status, record.answer, record.notice) == (Status.ANSWERED, QUOTED, "")


def test_writing_that_lost_its_lease_records_nothing(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    with written.database.claim() as session:
        lease = leases.claim(session, QuestionRow, question.id, QuestionRow.status == Status.WRITING, written.now())
    assert lease is not None
    write(written, question)
    assert double.received == []


FORM = {
    "properties": {
        "year": {"type": "integer", "description": "The year of its completion"},
        "height": {"type": "number"},
        "open": {"type": "boolean"},
        "facts": {
            "type": "array",
            "items": {"properties": {"name": {"type": "string"}, "amount": {"type": "number"}}},
        },
    }
}
GIVEN = [
    {"path": "/year", "value": "1874", "quote": 1},
    {"path": "/height", "value": "140", "quote": 1},  # it is no number of the quote
    {"path": "/open", "value": "yes", "quote": 7},  # there is no such quote
    {"path": "/facts/0/name", "value": "lighthouse of Vierburg", "quote": 1},
    {"path": "/facts/0/amount", "value": "41", "quote": 1},
    {"path": "/facts/1/name", "value": "the mill", "quote": 1},
]


def formed(services: Services) -> Question:
    return submit.submit(services, NewQuestion(text=TEXT, answer_schema=FORM, crawl_enabled=False, reuse=False))[0]


def test_form_is_filled_from_the_quotes_with_what_stands_in_them(written: Services, double: ClaudeDouble) -> None:
    question = look(written, formed(written))
    double.script(WROTE, SUPPORTED, say_json({"values": GIVEN}))
    record = record_of(written, write(written, question))
    assert record.structured is not None
    assert record.structured.value == {
        "year": 1874,
        "height": None,  # though the rules have found it
        "open": None,
        "facts": [{"name": "lighthouse of Vierburg", "amount": 41}],
    }
    fields = {field.path: field for field in record.structured.fields}
    cited = fields["/facts/0/amount"].citation
    assert cited is not None
    assert "41 m tall" in cited.quote
    step = written.read(trace.last, question.id, "write")
    assert step is not None
    assert step.detail["asked"] == ["answer", "check", "form"]
    asked = json.loads(double.received[-1].body["messages"][0]["content"][-1]["text"])
    assert [field["path"] for field in asked["fields"]] == [
        "/year", "/height", "/open", "/facts/*/name", "/facts/*/amount",
    ]  # fmt: skip


@pytest.mark.parametrize("reply", [Fail(400, "invalid_request_error"), say_json({"values": 3}), say_json({})])
def test_form_that_the_model_does_not_fill_is_as_the_rules_filled_it(
    written: Services, double: ClaudeDouble, reply: Reply
) -> None:
    question = look(written, formed(written))
    before = record_of(written, question).structured
    double.script(WROTE, SUPPORTED, reply)
    record = record_of(written, write(written, question))
    assert (record.status, record.composer, record.structured) == (Status.ANSWERED, "claude-sonnet-5-5", before)
    step = written.read(trace.last, question.id, "write")
    assert step is not None
    assert step.detail["error"].startswith("form: ")


def test_check_that_fails_leaves_its_error_in_the_trace(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    double.script(WROTE, Fail(400, "invalid_request_error", "too much"))
    assert record_of(written, write(written, question)).composer == "claude-sonnet-5-5"
    step = written.read(trace.last, question.id, "write")
    assert step is not None
    assert (step.outcome, step.detail["kind"]) == ("written", "BadReply")
    assert "too much" in step.detail["error"]


def test_monitoring_is_told_what_became_of_a_question_that_a_model_is_asked(
    written: Services, double: ClaudeDouble, ask: Ask
) -> None:
    written.__dict__["model"] = ask(pace=Pace())
    with monitoring.listening() as told:
        question = look(written, asked(written))
        assert told() == "enough for the model to write: What has been read answers the question."
        double.script(Fail(529, "overloaded_error", headers={"retry-after": "20"}))
        question = write(written, question)
        assert told().startswith("waits for the model until ")
        change(written, question, due_at=written.now(), updated_at=written.now() - timedelta(seconds=3_000))
        write(written, question)
        assert told().startswith("answered, the model failed: ")
