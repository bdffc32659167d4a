"""Test that all model calls of one question stay within its budget over all its steps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from domain import Budget, PageText, Question, Status, Validators
from evals.model.wire import say_json
from pipeline.phrases import say
from store.pages import pages
from store.questions import new_questions, records, state, trace
from store.questions.new_questions import NewQuestion
from store.questions.trace import spent
from store.sql.tables import QuestionRow
from tests.claude_double import ClaudeDouble
from tests.fakes import HashingEmbedder
from tests.pipeline.models.claude.lighthouse import Ask
from tests.workers.conftest import outbox, services
from workers import indexing
from workers.questions import lookup, transitions, writing
from workers.questions.conditions import Progress
from workers.services import Services
from workers.tasks import answer

__all__ = ["outbox", "services"]

TEXT = "The lighthouse of Vierburg was built by Robert Tallis in 1874. It stands at the end of the quay."
#: what the double says every call used, and what that costs: haiku 4.5 $1 and $5 a million, sonnet $2 and $10
USAGE = {"input_tokens": 1_200, "output_tokens": 400}
TOKENS, SMALL_USD, LARGE_USD = 1_600, 0.0032, 0.0064
INSUFFICIENT = {"sufficient": False, "reason": "Too little.", "missing": ["lens"]}


@pytest.fixture
def ready(services: Services, ask: Ask) -> Services:
    services.__dict__.update(embedder=HashingEmbedder(), model=ask(max_tokens=400, small_model="claude-haiku-4-5"))
    with services.database.write() as session:
        page_id, _ = pages.save(
            session, url="https://example.org/", host="https://example.org", content_hash="h", depth=0,
            page=PageText(title="The lighthouse of Vierburg", text=TEXT, lang="en"), validators=Validators(),
            now=services.now(),
        )  # fmt: skip
    indexing.embed(services, page_id)
    return services


def asked(services: Services, budget: Budget, text: str = "What colour is the door of the lighthouse?") -> Question:
    new = NewQuestion(text=text, budget=budget)
    with services.database.write() as session:
        return new_questions.ask(session, new, services.now())[0]


def look_until_the_end(services: Services, question_id: str, *, cycles: int) -> None:
    """Both looks, then one after each cycle of a crawl that finds nothing, and all that a model is asked for."""
    cycle = 0
    while not (question := _find(services, question_id)).status.is_final:
        if question.status is Status.WRITING:
            writing.write(services, question_id)
        elif question.status is Status.SEEKING:
            cycle += 1
            with services.database.write() as session:
                state.advance(session, state.lock(session, question_id), Status.REQUERYING, services.now())
        else:
            look(services, question, Progress(cycle=cycle, news=cycle < cycles))


def look(services: Services, question: Question, progress: Progress | None = None) -> None:
    """Run the pass that a question waits for."""
    passes: dict[Status, Any] = {
        Status.ASKED: (lookup.first_pass, transitions.after_first_pass),
        Status.RETRYING: (lookup.second_pass, transitions.after_second_pass),
        Status.REQUERYING: (
            lookup.final_pass,
            lambda q, result, earlier: transitions.after_final_pass(q, result, progress or Progress(), earlier),
        ),
    }
    answer._search(services, question.id, question.status, *passes[question.status])


def _find(services: Services, question_id: str) -> Question:
    with services.database.read() as session:
        return state.find(session, question_id)


@pytest.mark.parametrize(
    ("budget", "sent"),
    [
        (Budget(cycles=9), 2),  # variants, and a verdict: what the later looks find is the same, and was refused
        (Budget(cycles=9, tokens=TOKENS + 100), 1),
        (Budget(cycles=9, usd=1.5 * SMALL_USD), 1),
        (Budget(cycles=9, usd=0.0), 0),
        (Budget(cycles=9, tokens=0), 0),
    ],
)
def test_calls_of_all_steps_together_stay_within_the_budget(
    ready: Services, double: ClaudeDouble, budget: Budget, sent: int
) -> None:
    double.script(*(say_json({**INSUFFICIENT, "variants": []}, usage=USAGE) for _ in range(40)))
    question = asked(ready, budget)
    look_until_the_end(ready, question.id, cycles=8)
    with ready.database.read() as session:
        cost, record = spent(session, question.id), records.read(session, question.id, ready.now())
    assert len(double.received) == sent
    assert cost.usd == pytest.approx(SMALL_USD * sent)
    assert cost.input_tokens + cost.output_tokens == TOKENS * sent
    assert cost.usd <= budget.usd
    assert cost.input_tokens + cost.output_tokens <= budget.tokens
    assert record.cost.usd == pytest.approx(cost.usd)


def test_answer_that_cannot_be_paid_for_is_made_of_quotes_and_says_so(ready: Services, double: ClaudeDouble) -> None:
    question = asked(ready, Budget(usd=LARGE_USD / 2), "Who built the lens of the lighthouse of Vierburg?")
    look_until_the_end(ready, question.id, cycles=1)
    with ready.database.read() as session:
        record = records.read(session, question.id, ready.now())
        errors = [
            step.detail.get("error", "") for step in trace.read(session, session.get_one(QuestionRow, question.id))
        ]
    assert double.received == []
    assert record.composer == "extractive"
    assert record.notice == say("not_asked", "en")  # an asker cannot change the setting, an operator reads the trace
    assert any("WELLREAD_MAX_USD_PER_QUESTION" in error for error in errors)


def test_question_asked_again_later_has_its_budget_anew(ready: Services, double: ClaudeDouble) -> None:
    double.script(say_json({**INSUFFICIENT, "variants": []}, usage=USAGE))
    question = asked(ready, Budget())
    look(ready, question)
    writing.write(ready, question.id)
    with ready.database.write() as session:
        assert spent(session, question.id).usd == pytest.approx(SMALL_USD)
        state.lock(session, question.id).asked_again_at = ready.now() + timedelta(seconds=1)
    with ready.database.read() as session:
        assert spent(session, question.id).usd == 0.0
