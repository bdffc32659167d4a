"""The figures that say how good probabilities are: one a case, and whether the case is true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truth = NDArray[np.bool_]

#: a probability counts as no nearer than this to 0 or 1: one sure mistake is not infinitely bad
_UNSURE = 1e-6


def auroc(scores: Floats, truth: Truth) -> float:
    """Return the probability that a true case scores above a false one; ties count half."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, scores))


def false_positives(scores: Floats, truth: Truth, *, recall: float) -> float:
    """Return the share of false cases that pass the threshold which ``recall`` of the true ones pass."""
    threshold = np.quantile(scores[truth], 1 - recall)
    return float((scores[~truth] >= threshold).mean())


def calibration_error(chances: Floats, truth: Truth, *, bins: int = 10) -> float:
    """Return the expected calibration error over equal bins."""
    bin_of = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = [
        (bin_of == each).mean() * abs(chances[bin_of == each].mean() - truth[bin_of == each].mean())
        for each in np.unique(bin_of)
    ]
    return float(sum(gaps))


def balanced_accuracy(passed: Truth, truth: Truth) -> float:
    """Return the mean of the share of true cases that passed and of false ones that did not."""
    from sklearn.metrics import balanced_accuracy_score

    return float(balanced_accuracy_score(truth, passed))


def log_losses(chances: Floats, truth: Truth) -> Floats:
    """Return what each case costs: −log of the probability given to what is so, in nats."""
    sure = np.clip(chances, _UNSURE, 1 - _UNSURE)
    losses: Floats = -np.log(np.where(truth, sure, 1 - sure))
    return losses


def is_better(before: Floats, after: Floats) -> bool:
    """Return whether the losses fell by more than their mean difference's standard error: not by chance alone."""
    gains = before - after
    if len(gains) < 2:
        return False
    return bool(gains.mean() > gains.std(ddof=1) / np.sqrt(len(gains)))
