"""The figures of probabilities, against tables worked out by hand."""

import numpy as np
import pytest

from evals.measure.judge import false_positives
from pipeline.learning.metrics import (
    auroc,
    balanced_accuracy,
    calibration_error,
    is_better,
    log_losses,
)

TRUTH = np.array([True, True, True, False, False])
CHANCES = np.array([0.9, 0.8, 0.4, 0.4, 0.1])


def test_auroc_counts_pairs_and_halves_ties() -> None:
    # of the six pairs five are in order, and .4 against .4 is a tie
    assert auroc(CHANCES, TRUTH) == pytest.approx(5.5 / 6)
    assert auroc(-CHANCES, TRUTH) == pytest.approx(0.5 / 6)


def test_false_positives_pass_the_threshold_of_the_true() -> None:
    assert false_positives(CHANCES, TRUTH, recall=1.0) == 0.5  # the threshold is .4: one of two false ones passes
    assert false_positives(CHANCES, TRUTH, recall=0.5) == 0.0  # it is .8


def test_balanced_accuracy_is_the_mean_of_both_kinds() -> None:
    # two of three true ones pass, both false ones do not
    assert balanced_accuracy(CHANCES >= 0.7, TRUTH) == pytest.approx((2 / 3 + 1) / 2)


def test_calibration_error_is_the_mean_gap_of_the_bins() -> None:
    # two cases in the bin .9–1 say .95 and one is true; two in 0–.1 say .05 and none is
    chances, truth = np.array([0.95, 0.95, 0.05, 0.05]), np.array([True, False, False, False])
    assert calibration_error(chances, truth) == pytest.approx(0.5 * 0.45 + 0.5 * 0.05)


def test_log_losses_are_of_what_is_so_and_bounded() -> None:
    losses = log_losses(np.array([0.5, 0.9, 0.9, 1.0]), np.array([True, True, False, False]))
    assert losses == pytest.approx([np.log(2), -np.log(0.9), -np.log(0.1), -np.log(1e-6)])


def test_better_is_better_by_more_than_chance() -> None:
    before = np.array([0.5, 0.6, 0.5, 0.6])
    assert is_better(before, before - 0.1)
    assert not is_better(before, before)
    assert not is_better(before, before - np.array([0.9, -0.4, -0.4, 0.1]))  # one case decides
    assert not is_better(before[:1], before[:1] - 0.1)  # nothing to tell chance by
