"""What is right, and which failure it is otherwise."""

from pathlib import Path
from typing import Any

import pytest

from api.operations.bench import plain
from evals.asked.figures import curve_of, failures_of, figures_of, rows_by
from evals.asked.grade import FAILURES, Graded, Passage, Reply, grade
from evals.asked.questions import QuestionSet, read_question_set
from tests.evals.asked.small_site import write_site

FOUND = (Passage(page="sea:index.html", text="It was built by Ada Ferrier."),)
WITHOUT_TEXT = (Passage(page="sea:index.html", text="Dogs may come."),)
ELSEWHERE = (Passage(page="sea:lamp.html", text="Whale oil."),)


@pytest.fixture
def sea(tmp_path: Path) -> QuestionSet:
    return read_question_set(write_site(tmp_path / "sea"))


def graded(sea: QuestionSet, number: int = 0, **reply: Any) -> Graded:
    question = sea.questions[number]
    return grade(question, Reply(id=question.id, **{"status": "ANSWERED", **reply}), sea)


@pytest.mark.parametrize(
    ("reply", "outcome", "failure"),
    [
        ({"answer": "Built by ada ferrier.", "context": FOUND}, "right", None),
        ({"answer": "Dogs may come.", "context": FOUND}, "wrong", "wrong_sentence"),
        ({"answer": "Dogs may come.", "context": WITHOUT_TEXT}, "wrong", "passage_not_found"),
        ({"answer": "Whale oil.", "context": ELSEWHERE}, "wrong", "page_not_found"),
        ({"status": "ABSTAINED", "context": ELSEWHERE}, "abstained", "page_not_found"),
        (
            {"status": "ABSTAINED", "withheld": "Ada Ferrier.", "context": FOUND},
            "abstained",
            "withheld_though_right",
        ),
        ({"status": "ABSTAINED", "withheld": "Dogs.", "context": FOUND}, "abstained", "abstained_wrong_sentence"),
        ({"status": "ABSTAINED", "context": FOUND}, "abstained", "abstained_though_there"),
        ({"status": "FAILED"}, "abstained", "no_answer"),
    ],
)
def test_answerable_question(sea: QuestionSet, reply: dict[str, Any], outcome: str, failure: str | None) -> None:
    one = graded(sea, **reply)
    assert (one.outcome, one.failure) == (outcome, failure)
    assert failure is None or failure in FAILURES


def test_unanswerable_question_is_right_when_it_is_not_answered(sea: QuestionSet) -> None:
    assert graded(sea, 2, status="ABSTAINED").outcome == "right"
    answered = graded(sea, 2, answer="3776 metres.", confidence=0.9)
    assert (answered.outcome, answered.failure) == ("wrong", "answered_unanswerable")
    assert answered.is_sure_and_wrong


def test_unsure_answer_is_graded_by_its_one_sentence(sea: QuestionSet) -> None:
    said = {"answer": "Dogs may come. Ada Ferrier.", "first": "Dogs may come.", "context": FOUND}
    assert graded(sea, 0, ended_as="answered", **said).outcome == "right"
    assert graded(sea, 0, ended_as="unsure", **said).outcome == "wrong"


def test_outcomes_have_their_shares_and_precisions(sea: QuestionSet) -> None:
    every = [
        graded(sea, 0, answer="Ada Ferrier.", first="Ada Ferrier.", ended_as="answered", confidence=0.9),
        graded(sea, 1, answer="Dogs may come.", first="Dogs may come.", ended_as="unsure", confidence=0.4),
        graded(sea, 2, answer="Whale oil.", first="Whale oil.", ended_as="unsure", confidence=0.5),
        graded(sea, 2, status="ABSTAINED", ended_as="unknown"),
    ]
    figures = figures_of(every)
    assert [figures[name] for name in ("answered", "unsure", "unknown")] == [0.25, 0.5, 0.25]
    assert (figures["answered_right"], figures["unsure_right"]) == (1, 0)
    assert (figures["unanswerable_withheld"], figures["unanswerable_withheld_or_unsure"]) == (0.5, 1)
    curve = curve_of(every)
    assert curve["0.4"] == {"given": 0.75, "right": pytest.approx(1 / 3)}
    assert curve["0.6"] == {"given": 0.25, "right": 1}


def test_figures_count_the_questions_they_are_about(sea: QuestionSet) -> None:
    every = [
        graded(sea, 0, answer="Ada Ferrier.", first="Ada Ferrier.", context=FOUND, confidence=0.9),
        graded(sea, 1, answer="Dogs may come.", context=ELSEWHERE, confidence=0.85),
        graded(sea, 2, status="ABSTAINED"),
    ]
    figures = figures_of(every)
    assert (figures["questions"], figures["answerable"]) == (3, 2)
    assert (figures["right"], figures["wrong"], figures["abstained"]) == (0.5, 0.5, 0)
    assert (figures["right_page_words"], figures["right_own_words"]) == (1, 0)
    assert figures["unanswerable_withheld"] == 1
    assert figures["gold_page_in_1"] == figures["gold_text_in_8"] == 1
    assert figures["auroc"] == 1
    assert figures["answer_words"] == 2.5
    assert figures["ece"] == pytest.approx(0.5 * (1 - 0.9) + 0.5 * 0.85)  # two answers given, each in a bin of its own
    assert failures_of(every) == {"wrong_sentence": 1, "sure_and_wrong": 1}
    assert rows_by(every, "kind")["all"]["right"] == 2


def test_share_without_a_case_is_none() -> None:
    assert figures_of([])["right"] is None
    assert figures_of([])["ece"] is None


def test_markers_are_taken_out() -> None:
    assert plain("It was Ada [1].\n  In 1841 [2]") == "It was Ada. In 1841"
