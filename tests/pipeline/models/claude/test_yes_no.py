"""Test that Claude's yes or no is the short answer when it is first, cited, and no page says the contrary."""

from __future__ import annotations

import pytest

from domain import Verdict
from domain.short_answer import short_answer
from evals.model.wire import Cite, Say
from pipeline.fallback import compose_answer
from pipeline.models.model import LanguageModel
from pipeline.question.analysis import analyse_question
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.claude.lighthouse import hits

ENOUGH = Verdict(sufficient=True, confidence=0.9, reason="")
WHETHER = "Is Vierburg a town by the sea?"
CITED = [Cite(result=0, start=0, end=1)]


def shortly(double: ClaudeDouble, claude: LanguageModel, question: str, *texts: str, said: Say) -> str | None:
    double.script(said)
    answer, _ = compose_answer(analyse_question(question), hits(*texts), ENOUGH, model=claude).value
    assert answer is not None
    assert answer.composer == "claude-sonnet-5-5"
    return short_answer(answer.sentences)


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("Yes, it lies by the sea.", "The sea is near Vierburg, a town.", "Yes"),
        ("No, it lies inland.", "Vierburg lies inland, as a town of miners.", "No"),
        ("It lies by the sea.", "The sea is near Vierburg, a town.", None),
        ("No one says so.", "No one says that of Vierburg.", None),
    ],
)
def test_it_is_what_the_first_sentence_begins_with(
    double: ClaudeDouble, claude: LanguageModel, said: str, text: str, expected: str | None
) -> None:
    assert shortly(double, claude, WHETHER, text, said=Say([(said, CITED)])) == expected


def test_it_is_not_given_against_what_a_page_says(double: ClaudeDouble, claude: LanguageModel) -> None:
    said = Say([("No, it lies inland.", CITED)])
    texts = ("Vierburg lies inland.", "Vierburg is a town by the sea.")
    assert shortly(double, claude, WHETHER, *texts, said=said) is None


def test_question_of_another_kind_has_no_yes(double: ClaudeDouble, claude: LanguageModel) -> None:
    said = Say([("Yes, it lies by the sea.", CITED)])
    assert shortly(double, claude, "Where is Vierburg?", "Vierburg is a town by the sea.", said=said) is None
