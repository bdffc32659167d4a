"""Test that all model calls of one question stay within its budget over all its steps."""

from __future__ import annotations

from datetime import timedelta

import pytest

from domain import Budget, PageText, Question, Status, Validators
from evals.model.wire import Say, say_json
from store.pages import pages
from store.questions import new_questions, records, state
from store.questions.new_questions import NewQuestion
from store.questions.trace import spent
from store.sql import leases
from store.sql.tables import QuestionRow
from tests.claude_double import ClaudeDouble
from tests.fakes import HashingEmbedder
from tests.pipeline.models.claude.lighthouse import Ask
from tests.workers.conftest import bell, services
from workers.indexing import embed
from workers.questions import lookup, transitions
from workers.questions.crawl_progress import Progress
from workers.services import Services

__all__ = ["bell", "services"]

TEXT = "The lighthouse of Vierburg was built by Robert Tallis in 1874. It stands at the end of the quay."
#: what the double says every call used, and what that costs: haiku 4.5 $1 and $5 a million, sonnet $2 and $10
USAGE = {"input_tokens": 1_200, "output_tokens": 400}
TOKENS, SMALL_USD, LARGE_USD = 1_600, 0.0032, 0.0064
INSUFFICIENT = {"sufficient": False, "confidence": 0.2, "reason": "Too little.", "missing": ["lens"]}


@pytest.fixture
def ready(services: Services, ask: Ask) -> Services:
    services.__dict__.update(embedder=HashingEmbedder(), model=ask(max_tokens=400, small_model="claude-haiku-4-5"))
    with services.database.write() as session:
        page_id, _ = pages.save(
            session, url="https://example.org/", host="https://example.org", content_hash="h", depth=0,
            page=PageText(title="The lighthouse of Vierburg", text=TEXT, lang="en"), validators=Validators(),
            now=services.now(),
        )  # fmt: skip
    embed.embed(services, page_id)
    return services


def asked(services: Services, budget: Budget) -> Question:
    new = NewQuestion(text="Who built the lens of the lighthouse of Vierburg?", budget=budget)
    with services.database.write() as session:
        return new_questions.ask(session, new, services.now())[0]


def look_until_the_end(services: Services, question_id: str, *, cycles: int) -> None:
    """Both looks, then one after each cycle of a crawl that finds nothing."""
    _step(services, question_id, "retrieve", lambda q: transitions.after_first_pass(q, lookup.first_pass(services, q)))
    _step(services, question_id, "retry", lambda q: transitions.after_second_pass(q, lookup.second_pass(services, q)))
    for cycle in range(1, cycles + 1):
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if Status(row.status).is_final:  # without a model the local judge may be content
                return
            state.advance(session, row, Status.REQUERYING, services.now())
        progress = Progress(cycle=cycle, news=True)
        _step(
            services,
            question_id,
            "requery",
            lambda q, p=progress: transitions.after_final_pass(q, lookup.final_pass(services, q), p),
        )


def _step(services: Services, question_id: str, name: str, work) -> None:  # type: ignore[no-untyped-def]
    now = services.now()
    with services.database.write() as session:
        question = state.find(session, question_id)
    if question.status.is_final:
        return
    move = work(question)
    with services.database.write() as session:
        lease = leases.claim(session, QuestionRow, question_id, QuestionRow.status == question.status, now)
        assert state.record(session, lease, move, step=name, started_at=now, now=services.now())


@pytest.mark.parametrize(
    ("budget", "sent"),
    [
        (Budget(cycles=9), range(10, 12)),  # nothing stops it: variants, and a verdict of each of the ten looks
        (Budget(cycles=9, tokens=4 * TOKENS), range(1, 5)),
        (Budget(cycles=9, usd=4 * SMALL_USD), range(1, 5)),
        (Budget(cycles=9, usd=0.0), range(1)),
        (Budget(cycles=9, tokens=0), range(1)),
    ],
)
def test_calls_of_all_steps_together_stay_within_the_budget(
    ready: Services, double: ClaudeDouble, budget: Budget, sent: range
) -> None:
    double.script(*(say_json({**INSUFFICIENT, "variants": []}, usage=USAGE) for _ in range(40)))
    question = asked(ready, budget)
    look_until_the_end(ready, question.id, cycles=8)
    with ready.database.read() as session:
        cost, record = spent(session, question.id), records.read(session, question.id, ready.now())
    assert len(double.received) in sent
    assert cost.usd == pytest.approx(SMALL_USD * len(double.received))
    assert cost.input_tokens + cost.output_tokens == TOKENS * len(double.received)
    assert cost.usd <= budget.usd
    assert cost.input_tokens + cost.output_tokens <= budget.tokens
    assert record.cost.usd == pytest.approx(cost.usd)
    assert ("nothing was sent" in record.notice) is (len(sent) < 10 and len(double.received) < 10)


def test_answer_that_cannot_be_paid_for_is_written_without_the_model_and_says_so(
    ready: Services, double: ClaudeDouble
) -> None:
    sufficient = {"sufficient": True, "confidence": 0.9, "reason": "It says so.", "missing": []}
    double.script(say_json(sufficient, usage=USAGE), Say(["Never sent."], usage=USAGE))
    question = asked(ready, Budget(usd=SMALL_USD + LARGE_USD / 2))
    result = lookup.first_pass(ready, question)
    assert len(double.received) == 1
    assert result.answer is not None
    assert result.answer.composer == "extractive"
    assert "WELLREAD_MAX_USD_PER_QUESTION" in result.answer.notice


def test_question_asked_again_later_has_its_budget_anew(ready: Services, double: ClaudeDouble) -> None:
    double.script(*(say_json({**INSUFFICIENT, "variants": []}, usage=USAGE) for _ in range(9)))
    question = asked(ready, Budget())
    _step(ready, question.id, "retrieve", lambda q: transitions.after_first_pass(q, lookup.first_pass(ready, q)))
    with ready.database.write() as session:
        assert spent(session, question.id).usd == pytest.approx(SMALL_USD)
        state.lock(session, question.id).asked_again_at = ready.now() + timedelta(seconds=1)
    with ready.database.read() as session:
        assert spent(session, question.id).usd == 0.0
