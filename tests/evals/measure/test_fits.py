"""The fits of judge and reranker."""

from __future__ import annotations

import numpy as np
import pytest

from evals.fit.judge_models import fit_logistic
from evals.fit.rerank import fit_listwise

RANDOM = np.random.default_rng(7)
ROWS = RANDOM.normal(size=(300, 2)) * [1.0, 5.0] + [0.0, 3.0]
TRUTH = RANDOM.random(300) < 1 / (1 + np.exp(-(1.5 * ROWS[:, 0] - 0.2 * ROWS[:, 1])))


def test_a_row_that_counts_double_is_as_good_as_two() -> None:
    counted = fit_logistic(ROWS, TRUTH, np.where(np.arange(300) < 50, 2.0, 1.0))
    repeated = fit_logistic(np.vstack([ROWS, ROWS[:50]]), np.append(TRUTH, TRUTH[:50]), np.ones(350))
    assert counted[0] == pytest.approx(repeated[0], rel=1e-4)
    assert counted[1] == pytest.approx(repeated[1], abs=1e-4)


def test_choice_of_two_is_a_logistic_regression_of_their_difference() -> None:
    first, second = RANDOM.random((2, 200, 2))
    chosen = RANDOM.random(200) < 1 / (1 + np.exp(-(first - second) @ [4.0, 2.0]))
    right = np.column_stack([chosen, ~chosen]).astype(np.float64)
    weights = fit_listwise(np.stack([first, second], axis=1), right, np.ones(200), ridge=1e-9)
    mirrored = np.vstack([first - second, second - first])  # so that the intercept is 0
    of_differences, _ = fit_logistic(mirrored, np.append(chosen, ~chosen), np.ones(400), ridge=1e-6)
    assert weights == pytest.approx(of_differences, rel=1e-3)
    assert fit_listwise(np.stack([first, second], axis=1), 1 - right, np.ones(200)) == pytest.approx([0.0, 0.0])
