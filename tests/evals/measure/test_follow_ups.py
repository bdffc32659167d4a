"""Follow-ups are completed from their threads as well as was measured; none is lost unnoticed."""

from __future__ import annotations

import pytest

from domain.question import Turn
from evals.measure.follow_ups import Case, measure_wording, read_cases
from pipeline.question.follow_up import needs_thread

#: as measured; `seen` and `dev` are what the rules were made with
FLOORS = {"seen": 1.0, "unseen": 0.88, "dev": 0.92, "check": 0.69}


@pytest.mark.parametrize(("split", "floor"), FLOORS.items())
def test_share_that_is_completed_rightly_keeps_its_floor(split: str, floor: float) -> None:
    cases = read_cases(split)
    assert len(cases) >= 25
    assert measure_wording(cases)["resolved"] >= floor


def test_question_is_right_that_has_what_is_needed_and_nothing_of_another_subject() -> None:
    case = Case(
        id="x",
        lang="en",
        site="",
        turns=(Turn(question="How do I install nginx on Debian?"),),
        asked="And on Windows?",
        needs=("nginx", "windows"),
        never=("debian",),
        gold="",
    )
    assert case.is_right("How do I install nginx on Windows?")
    assert not case.is_right("How do I install nginx on Windows or Debian?")
    assert not case.is_right("And on Windows?")
    assert measure_wording([case]) == {"resolved": 1.0, "resolved.en": 1.0}


def test_no_first_question_of_a_thread_is_asked_back() -> None:
    first = {case.turns[0].question for split in FLOORS for case in read_cases(split)}
    assert [question for question in first if needs_thread(question)] == []
