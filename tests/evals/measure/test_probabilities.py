"""The figures of probabilities, against tables worked out by hand."""

import numpy as np
import pytest

from evals.measure.judge import false_positives
from evals.measure.probabilities import auroc, balanced_accuracy, calibration_error, log_loss

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


def test_log_loss_is_the_mean_over_what_is_so() -> None:
    assert log_loss(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])) == pytest.approx(
        -np.log([0.5, 0.9, 0.1]).mean()
    )
