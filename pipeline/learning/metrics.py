"""Metrics of probabilities, one per case, against whether the case is true."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truth = NDArray[np.bool_]

#: probabilities are clipped this far from 0 and 1: one sure mistake must not cost infinitely much
_CLIP = 1e-6


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


def log_losses(chances: Floats, truth: Truth) -> Floats:
    """Return the log loss of each case, in nats."""
    clipped = np.clip(chances, _CLIP, 1 - _CLIP)
    losses: Floats = -np.log(np.where(truth, clipped, 1 - clipped))
    return losses


def is_better(before: Floats, after: Floats) -> bool:
    """Return whether the losses fell by more than the standard error of their mean difference."""
    gains = before - after
    if len(gains) < 2:
        return False
    return bool(gains.mean() > gains.std(ddof=1) / np.sqrt(len(gains)))


def broken_floors(metrics: Mapping[str, float], floor: Mapping[str, float]) -> str:
    """Return which metrics miss the floor, as a text; "" when none does. The floor of "false passes" is a ceiling."""
    broken = [
        f"{name} {value:.3f} instead of {'at most' if name == 'false passes' else 'at least'} {floor[name]:.3f}"
        for name, value in metrics.items()
        if (value > floor[name] if name == "false passes" else value < floor[name])
    ]
    return ", ".join(broken)
