"""Whatever befalls a question while a model writes for it, it ends once, with what is true."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from domain import EventKind, Status
from evals.model.wire import Fail, Say
from pipeline.write import write_answer
from store.pages import deletion
from store.questions import state
from store.sql.tables import PageRow, QuestionRow
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.workers.questions.test_lookup import ask as asked
from tests.workers.questions.test_lookup import reading as reading
from tests.workers.questions.test_writing import (
    NOT_ENOUGH,
    QUOTED,
    REFUSES,
    SUPPORTED,
    WROTE,
    change,
    find,
    look,
    record_of,
    write,
)
from tests.workers.questions.test_writing import written as written
from workers.questions import lookup, writing
from workers.services import Services

__all__ = ["ask", "double", "made", "reading", "server"]

UNCITED = Say(["It was built in 1874, as every child in Vierburg knows."])


def draft_of(services: Services, question_id: str) -> object:
    with services.database.read() as session:
        return session.get_one(QuestionRow, question_id).draft


DECLINED = Say(["I'm sorry, but I can't help with that request."])


@pytest.mark.parametrize("reply", [UNCITED, Say(["<html><body>502 Bad Gateway</body></html>"]), DECLINED])
def test_reply_that_cites_nothing_is_a_failure_and_no_refusal(
    written: Services, double: ClaudeDouble, reply: Say
) -> None:
    question = look(written, asked(written))
    double.script(reply)
    record = record_of(written, write(written, question))
    assert (record.status, record.answer, record.composer) == (Status.ANSWERED, QUOTED, "extractive")
    assert "The language model did not answer" in record.notice
    assert record.cost.input_tokens > 0


def test_draft_goes_when_its_question_ends(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    double.script(WROTE, SUPPORTED)
    assert write(written, question).status is Status.ANSWERED
    assert draft_of(written, question.id) is None


def test_question_that_is_started_again_may_be_refused_anew(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    double.script(REFUSES)
    question = write(written, question)
    written.write(state.cancel, question.id, written.now())
    assert draft_of(written, question.id) is None
    written.write(state.replay, question.id, written.now())
    double.script(WROTE, SUPPORTED)
    question = write(written, look(written, find(written, question.id)))
    assert question.status is Status.ANSWERED


def test_answer_of_a_worker_that_died_before_its_check_is_not_given_as_a_quote(
    written: Services, double: ClaudeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = look(written, asked(written))
    double.script(WROTE, SUPPORTED)
    monkeypatch.setattr(writing, "finish", lambda *_: False)  # it has shown the answer, and dies
    write(written, question)
    monkeypatch.undo()
    assert record_of(written, question).composer == "claude-sonnet-5-5"
    with written.database.write() as session:
        session.get_one(QuestionRow, question.id).lease_until = written.now() - timedelta(seconds=1)
    double.script(Fail(401, "authentication_error"))
    record = record_of(written, write(written, question))
    assert (record.status, record.answer, record.composer) == (Status.ANSWERED, QUOTED, "extractive")


def test_answer_of_a_question_that_was_cancelled_is_not_shown(
    written: Services, double: ClaudeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = look(written, asked(written))
    published: list[EventKind] = []
    monkeypatch.setattr(written.events, "publish", lambda _, kind, __: published.append(kind))

    def cancelled(*args: object, on_written: Callable[[object], None], **named: object) -> object:
        written.write(state.cancel, question.id, written.now())
        return write_answer(*args, on_written=on_written, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("workers.questions.writing.write_answer", cancelled)
    double.script(WROTE, SUPPORTED)
    record = record_of(written, write(written, question))
    assert (record.status, record.answer) == (Status.CANCELLED, QUOTED)
    assert EventKind.PROVISIONAL not in published
    assert EventKind.FINAL not in published


def test_quote_that_a_model_has_refused_is_not_the_answer_of_a_later_pass(
    written: Services, double: ClaudeDouble
) -> None:
    question = look(written, asked(written))
    double.script(REFUSES)
    question = write(written, question)
    change(written, question, crawl_enabled=False, text="Which harbour office sells permits?")  # as if it found less
    question = look(written, find(written, question.id))
    while question.status is Status.WRITING:
        double.script(REFUSES)
        question = write(written, question)
    assert question.status is Status.ABSTAINED


@pytest.mark.parametrize(
    "other",
    [
        {"ask": "poem"},
        {"failed": None},
        {"failed": {"to": "ANSWERED", "outcome": "", "changes": {"gone": 1}}},  # a column that is no more
        {"reading": None},
        {"refused": None},
        {"refused": {"to": "ABSTAINED"}},
        {"reading": {"confidence": 0.5, "lang": "en"}},
        {"read": {"a": 1}},
    ],
)
def test_question_with_a_draft_of_another_version_is_looked_up_again(
    written: Services, double: ClaudeDouble, other: dict[str, object]
) -> None:
    question = look(written, asked(written))
    changed = {**question.draft, **other}
    change(written, question, draft={name: value for name, value in changed.items() if value is not None})
    question = write(written, question)
    assert question.status is Status.ASKED
    double.script(WROTE, SUPPORTED)
    assert write(written, look(written, question)).status is Status.ANSWERED


def test_page_that_was_deleted_while_a_model_was_awaited_leaves_no_answer_without_a_source(
    written: Services, double: ClaudeDouble
) -> None:
    question = look(written, asked(written))
    with written.database.write() as session:
        page = session.get_one(PageRow, question.draft["reading"]["spans"][0]["page_id"])
        page.gone_at, page.text = written.now(), ""
    question = write(written, question)
    assert double.received == []
    record = record_of(written, question)
    assert not (record.status is Status.ANSWERED and not record.citations)


def test_page_that_became_anothers_is_not_sent_and_the_question_is_looked_up_again(
    written: Services, double: ClaudeDouble
) -> None:
    question = look(written, asked(written))
    with written.database.write() as session:
        session.get_one(PageRow, question.draft["reading"]["spans"][0]["page_id"]).private = True
    question = write(written, question)
    assert (double.received, question.status) == ([], Status.RETRYING)
    assert lookup.earlier_answer(written, question) is None


def test_page_that_fits_the_filters_no_longer_is_not_sent_and_the_question_is_looked_up_again(
    written: Services, double: ClaudeDouble
) -> None:
    question = asked(written)
    change(written, question, overrides={"filters": ["team!=sales"]})
    question = look(written, find(written, question.id))
    with written.database.write() as session:
        page = session.get_one(PageRow, question.draft["reading"]["spans"][0]["page_id"])
        page.tags = ["document", "team=sales"]
    assert lookup.earlier_answer(written, question) is None
    question = write(written, question)
    assert (double.received, question.status) == ([], Status.RETRYING)


def test_written_answer_of_what_was_read_says_why_the_reading_stopped(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    change(written, question, crawl_started_at=written.now())
    double.script(WROTE, SUPPORTED)
    assert record_of(written, write(written, question)).stop_reason == "the answer was found"


def test_what_the_small_model_misses_is_looked_for_and_the_reason_to_read_is_true(
    written: Services, double: ClaudeDouble
) -> None:
    question = look(written, asked(written))
    double.script(REFUSES)
    question = write(written, question)
    question = look(written, question)
    reading = question.draft["reading"] | {"confidence": 0.1}
    change(written, question, draft={**question.draft, "read": [], "reading": reading})
    double.script(NOT_ENOUGH)
    question = write(written, find(written, question.id))
    assert (question.status, question.missing) == (Status.SEEKING, ("year",))
    assert question.crawl_reason == "The model found no answer in the passages."


def test_page_that_is_erased_is_not_named_by_what_was_to_be_said(written: Services, double: ClaudeDouble) -> None:
    question = look(written, asked(written))
    double.script(REFUSES)
    question = write(written, question)
    change(written, question, crawl_enabled=False)
    question = look(written, question)
    page_id = question.draft["reading"]["spans"][0]["page_id"]
    with written.database.write() as session:
        url = session.get_one(PageRow, page_id).url
        assert url in str(question.draft["unknown"])
        deletion.delete_page(session, page_id, written.now())
    assert draft_of(written, question.id) == {}
    assert write(written, question).status is Status.ASKED


def test_answer_whose_page_is_erased_while_it_is_written_is_not_given(
    written: Services, double: ClaudeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = look(written, asked(written))

    def erased(*args: object, **named: object) -> object:
        outcome = write_answer(*args, **named)  # type: ignore[arg-type]
        with written.database.write() as session:
            page_id = question.draft["reading"]["spans"][0]["page_id"]
            deletion.delete_page(session, page_id, written.now())
        return outcome

    monkeypatch.setattr("workers.questions.writing.write_answer", erased)
    double.script(WROTE, SUPPORTED)
    question = write(written, question)
    assert question.status is Status.RETRYING
    assert "1874" not in (record_of(written, question).answer or "")
