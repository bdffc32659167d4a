"""Metrics of probabilities, one per case, against whether the case is true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truth = NDArray[np.bool_]


def auroc(scores: Floats, truth: Truth) -> float:
    """Return the probability that a true case scores above a false one; ties count half."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, scores))


def calibration_error(chances: Floats, truth: Truth, *, bins: int = 10) -> float:
    """Return the expected calibration error over equal bins."""
    bin_of = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = [
        (bin_of == bin).mean() * abs(chances[bin_of == bin].mean() - truth[bin_of == bin].mean())
        for bin in np.unique(bin_of)
    ]
    return float(sum(gaps))


def balanced_accuracy(passed: Truth, truth: Truth) -> float:
    """Return the mean of the share of true cases that passed and the share of false cases that did not."""
    from sklearn.metrics import balanced_accuracy_score

    return float(balanced_accuracy_score(truth, passed))


def log_loss(chances: Floats, truth: Truth) -> float:
    """Return the mean log loss, in nats."""
    from sklearn.metrics import log_loss as mean_loss

    return float(mean_loss(truth, chances, labels=[False, True]))
