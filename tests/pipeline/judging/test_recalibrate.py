"""Feedback corrects the judge's confidence where that helps, and no further than it may."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.outcome import Recalibration, logit
from pipeline.judging.recalibrate import (
    INTERCEPTS,
    MIN_EACH,
    SLOPES,
    JudgedAnswer,
    fit_recalibration,
    is_better,
    is_held_out,
    recalibrate,
)

SHIPPED = Recalibration()
CONFIDENCES = [at / 20 for at in range(1, 20)]


def history(count: int, truth: Recalibration, *, seed: int = 1) -> list[JudgedAnswer]:
    """Answers that are right as often as the judge says, once ``truth`` has corrected it."""
    chance = random.Random(seed)
    made = []
    for at in range(count):
        sure = chance.uniform(0.05, 0.99)
        right = chance.random() < truth.apply(sure)
        made.append(JudgedAnswer(question=f"question {at}?", confidence=sure, right=right))
    return made


def flipped(judged: list[JudgedAnswer]) -> list[JudgedAnswer]:
    return [replace(each, right=not each.right) for each in judged]


def attack(count: int, sure: float = 0.97) -> list[JudgedAnswer]:
    """Good answers, each called wrong."""
    return [JudgedAnswer(question=f"attack {at}?", confidence=sure, right=False) for at in range(count)]


@pytest.mark.parametrize(
    "truth", [Recalibration(intercept=-1.0), Recalibration(slope=0.6), Recalibration(intercept=1.2)]
)
def test_judge_that_is_wrong_by_the_same_each_time_is_corrected(truth: Recalibration) -> None:
    fit = recalibrate(history(800, truth))
    assert fit.said == "in use"
    assert fit.loss_before is not None
    assert fit.loss_after is not None
    assert fit.loss_after < fit.loss_before
    for sure in (0.3, 0.6, 0.9):
        learned, meant = fit.recalibration.apply(sure), truth.apply(sure)
        assert abs(learned - meant) < 0.6 * abs(sure - meant)


def test_judge_that_is_right_is_left_alone() -> None:
    fit = recalibrate(history(200, SHIPPED))
    assert (fit.recalibration, fit.said) == (SHIPPED, "refused: no better than the shipped judge")


@pytest.mark.parametrize(("right", "wrong"), [(MIN_EACH - 1, 60), (60, MIN_EACH - 1), (0, 200), (0, 0)])
def test_few_answers_of_a_kind_teach_nothing(right: int, wrong: int) -> None:
    judged = [JudgedAnswer(question=f"{at}?", confidence=0.6, right=at < right) for at in range(right + wrong)]
    fit = recalibrate(judged)
    assert (fit.right, fit.wrong, fit.recalibration) == (right, wrong, SHIPPED)
    assert fit.said.startswith("too few")


def test_feedback_that_contradicts_everything_is_refused() -> None:
    fit = recalibrate(flipped(history(400, SHIPPED)))
    assert fit.recalibration == SHIPPED
    assert "contradicts the judge" in fit.said


def test_200_wrong_judgements_among_honest_ones_are_refused_or_move_confidence_within_the_bounds() -> None:
    few, many = (recalibrate([*history(honest, SHIPPED), *attack(200)]) for honest in (150, 1500))
    assert (few.recalibration, few.said) == (SHIPPED, "refused: the feedback contradicts the judge altogether")
    assert many.said == "in use"
    for sure in CONFIDENCES:
        assert _is_within_bounds(many.recalibration, sure)
        assert many.recalibration.apply(sure) < many.recalibration.apply(sure + 0.04)  # the order of answers stays


@given(st.integers(0, 200), st.floats(-4, 4), st.floats(-3, 5), st.integers(20, 300), st.sampled_from(CONFIDENCES))
@settings(deadline=None, max_examples=50)  # SciPy takes a second to import
def test_no_feedback_moves_a_confidence_beyond_the_bounds(
    seed: int, intercept: float, slope: float, wrong: int, sure: float
) -> None:
    truth = Recalibration(intercept=intercept, slope=slope)
    assert _is_within_bounds(fit_recalibration([*history(100, truth, seed=seed), *attack(wrong)]), sure)


def _is_within_bounds(learned: Recalibration, sure: float) -> bool:
    least, most = sorted(slope * logit(sure) for slope in SLOPES)
    return least + INTERCEPTS[0] - 1e-6 <= logit(learned.apply(sure)) <= most + INTERCEPTS[1] + 1e-6


@given(st.floats(0.05, 0.95), st.integers(1, 30), st.booleans())
@settings(deadline=None, max_examples=30)  # SciPy takes a second to import
def test_more_answers_called_wrong_make_it_less_sure_of_such_answers_and_right_ones_surer(
    sure: float, more: int, right: bool
) -> None:
    judged = history(60, SHIPPED)
    added = [JudgedAnswer(question=f"more {at}?", confidence=sure, right=right) for at in range(more)]
    was, became = (fit_recalibration(each).apply(sure) for each in (judged, [*judged, *added]))
    assert became >= was - 2e-3 if right else became <= was + 2e-3


def test_a_third_of_the_questions_is_held_out_and_the_same_ones_each_time() -> None:
    held = [is_held_out(f"question {at}?") for at in range(900)]
    assert 250 < sum(held) < 350
    assert is_held_out("Wer baute den  Turm?") == is_held_out("wer baute den turm?")


@given(st.floats(0, 1))
def test_a_recalibration_that_changes_nothing_gives_the_confidence(sure: float) -> None:
    assert SHIPPED.apply(sure) == pytest.approx(sure, abs=2e-6)


def test_better_is_better_by_more_than_chance() -> None:
    before = np.array([0.5, 0.6, 0.5, 0.6])
    assert is_better(before, before - 0.1)
    assert not is_better(before, before)
    assert not is_better(before, before - np.array([0.9, -0.4, -0.4, 0.1]))  # one case decides
    assert not is_better(before[:1], before[:1] - 0.1)  # nothing to tell chance by
