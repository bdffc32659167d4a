"""Follow-ups are completed from their threads as well as was measured; none is lost unnoticed."""

from __future__ import annotations

import pytest

from domain.question import Turn
from evals.measure.follow_ups import Case, measure_wording, read_cases
from pipeline.question.follow_up import understand

#: as measured; `seen`, `dev` and `tune` are what the rules were made with
FLOORS = {"seen": 0.77, "unseen": 0.87, "dev": 0.85, "check": 0.84, "tune": 0.94, "held": 0.9}


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


@pytest.mark.parametrize("lang", ["en", "de"])
def test_whole_question_stays_as_it_is_whatever_was_asked_before(lang: str) -> None:
    cases = [case for split in ("seen", "dev", "tune") for case in read_cases(split) if case.lang == lang]
    whole = list(dict.fromkeys(case.turns[0].question for case in cases))
    changed = {
        (before, question): understand(question, [Turn(question=before)])
        for before in whole[::5]
        for question in whole
        if before != question
    }
    assert {key: text for key, text in changed.items() if text != key[1]} == {}
