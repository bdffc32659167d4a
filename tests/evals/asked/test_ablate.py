"""A family of rules is switched off wherever it is called from, and what that changes is counted."""

from __future__ import annotations

from evals.asked.ablate import FAMILIES, count, without
from evals.asked.grade import Graded, Reply, grade
from evals.asked.questions import Question, QuestionSet
from pipeline.question import analysis
from pipeline.question.analysis import analyse_question

QUESTION = Question(
    id="a", site="s", lang="en", kind="fact", question="When was it built?", gold=("1874",), gold_pages=("a.html",)
)
OF = QuestionSet(name="x", sites={}, questions=(QUESTION,), pages={})


def graded(answer: str, confidence: float = 0.9) -> Graded:
    return grade(QUESTION, Reply(id="a", status="ANSWERED", answer=answer, first=answer, confidence=confidence), OF)


def test_family_does_nothing_within_and_all_that_it_did_afterwards() -> None:
    with without("kind of answer"):
        assert analysis.answer_type_of("When was it built?") == "any"
    assert analysis.answer_type_of("When was it built?") == "time"
    with without("entities"):
        assert analyse_question("Who built the Eiffel Tower?").entities == ()
    assert analyse_question("Who built the Eiffel Tower?").entities == ("Eiffel Tower",)


def test_each_family_names_functions_that_there_are() -> None:
    for family in FAMILIES:
        with without(family):
            pass


def test_what_a_family_changes_is_counted() -> None:
    right, wrong = graded("In 1874."), graded("Long ago.")
    counts = count([right, wrong, right, right], [wrong, right, graded("In 1874.", 0.8), right])["all"]
    assert {name: counts[name] for name in ("questions", "acts", "helps", "harms")} == {
        "questions": 4,
        "acts": 3,
        "helps": 1,
        "harms": 1,
    }
