"""Claude where pages contradict each other, and where it is overloaded: through the pipeline, over real HTTP."""

from __future__ import annotations

import json

import pytest

from domain import Answer, Hit, Verdict
from domain.contradiction import Contradiction
from domain.short_answer import contradictions_of, short_answer
from evals.model.wire import Cite, Fail, FailInside, Reply, Say
from pipeline.fallback import DISPUTED, compose_answer
from pipeline.models.calls import TRIES
from pipeline.models.model import LanguageModel
from pipeline.question.analysis import analyse_question
from tests.claude_double import ClaudeDouble
from tests.fakes import passage
from tests.pipeline.models.claude.lighthouse import QUESTION, Ask

BUILT = "The lighthouse of Vierburg was built in {}."
DISPUTE = Contradiction(citations=(1, 2), values=("1874", "1880"))
ENOUGH = Verdict(sufficient=True, confidence=0.9, reason="")


@pytest.fixture
def claude(ask: Ask) -> LanguageModel:
    return ask()


def written(double: ClaudeDouble, claude: LanguageModel, *texts: str, reply: Reply | None = None) -> tuple[Answer, str]:
    """Give the answer with all its notices."""
    double.forget()
    if reply is not None:
        double.script(*[reply] * TRIES)
    hits = [
        Hit(passage=passage(text, page_id=at), score=1 - at / 20, scale="rerank", rank=at)
        for at, text in enumerate(texts, start=1)
    ]
    made = compose_answer(analyse_question(QUESTION), hits, ENOUGH, model=claude)
    answer, _ = made.value
    assert answer is not None
    return answer, f"{answer.notice} {made.notice}".strip()


def told(double: ClaudeDouble) -> list[str]:
    return [block["text"] for block in double.received[0].body["system"]]


def test_claude_is_told_of_a_contradiction_and_of_nothing_else(double: ClaudeDouble, claude: LanguageModel) -> None:
    written(double, claude, BUILT.format(1874), BUILT.format(1880))
    assert DISPUTED in told(double)
    assert "1880" not in json.dumps(told(double))
    written(double, claude, BUILT.format(1874), BUILT.format(1874))
    assert DISPUTED not in told(double)


def test_side_that_claude_leaves_out_is_quoted_after_what_it_says(double: ClaudeDouble, claude: LanguageModel) -> None:
    one = Say([("It was built in 1874.", [Cite(result=0, start=0, end=1)])])
    answer, _ = written(double, claude, BUILT.format(1874), BUILT.format(1880), reply=one)
    assert answer.text == f"It was built in 1874. [1] {BUILT.format(1880)} [2]"
    assert contradictions_of(answer.sentences) == (DISPUTE,)
    assert [sentence.contradicts for sentence in answer.sentences] == [(2,), (1,)]
    assert [citation.quote for citation in answer.citations] == [BUILT.format(1874), BUILT.format(1880)]


def test_answer_that_cites_both_sides_needs_no_notice(double: ClaudeDouble, claude: LanguageModel) -> None:
    both = Say(
        [
            ("One page says 1874.", [Cite(result=0, start=0, end=1)]),
            " ",
            ("Another says 1880.", [Cite(result=1, start=0, end=1)]),
        ]
    )
    answer, notice = written(double, claude, BUILT.format(1874), BUILT.format(1880), reply=both)
    assert answer.text == "One page says 1874. [1] Another says 1880. [2]"
    assert notice == ""
    assert contradictions_of(answer.sentences) == (DISPUTE,)


def test_one_sentence_may_give_both_sides(double: ClaudeDouble, claude: LanguageModel) -> None:
    both = Say([("It was built in 1874 or 1880.", [Cite(result=0, start=0, end=1), Cite(result=1, start=0, end=1)])])
    answer, _ = written(double, claude, BUILT.format(1874), BUILT.format(1880), reply=both)
    assert contradictions_of(answer.sentences) == (DISPUTE,)
    assert short_answer(answer.sentences) is None


@pytest.mark.parametrize(
    "reply", [Fail(529, "overloaded_error"), Fail(429, "rate_limit_error"), FailInside("overloaded_error")]
)
def test_overloaded_claude_is_replaced_by_quotes_which_is_said(
    double: ClaudeDouble, claude: LanguageModel, reply: Reply
) -> None:
    answer, notice = written(double, claude, BUILT.format(1874), reply=reply)
    assert answer.composer == "extractive"
    assert answer.text == f"{BUILT.format(1874)} [1]"
    assert "busy" in notice
    assert "made locally instead" in notice
    assert ".)" not in notice


def test_refusal_is_no_answer_and_is_said(double: ClaudeDouble, claude: LanguageModel) -> None:
    answer, notice = written(double, claude, BUILT.format(1874), reply=Say(["I cannot"], stop_reason="refusal"))
    assert answer.composer == "extractive"
    assert "declines to reply" in notice
