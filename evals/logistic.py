"""Logistic regression in plain numpy, and the figures that say how good a probability is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truth = NDArray[np.bool_]


def fit_logistic(
    rows: Floats, truth: Truth, counts: Floats, *, ridge: float = 1.0, steps: int = 50
) -> tuple[Floats, float]:
    """Fit by Newton's method on standardised features; give the weights for the raw ones and the intercept.

    ``counts`` says how much each row counts.
    """
    mean = np.average(rows, 0, counts)
    spread = np.sqrt(np.average((rows - mean) ** 2, 0, counts)) + 1e-9
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    penalty = np.eye(scaled.shape[1]) * ridge
    penalty[-1, -1] = 0.0
    found = np.zeros(scaled.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (counts * (chance - truth)) + penalty @ found
        curve = (scaled * (counts * chance * (1 - chance))[:, None]).T @ scaled + penalty
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


def auroc(scores: Floats, truth: Truth) -> float:
    """Give the probability that a true case scores above a false one; ties count half."""
    _, where, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = ((last - counts + 1 + last) / 2)[where]
    true, false = int(truth.sum()), int((~truth).sum())
    return float((ranks[truth].sum() - true * (true + 1) / 2) / (true * false))


def false_positives(scores: Floats, truth: Truth, *, recall: float) -> float:
    """Give the share of false cases that pass the threshold which ``recall`` of the true ones pass."""
    threshold = np.quantile(scores[truth], 1 - recall)
    return float((scores[~truth] >= threshold).mean())


def calibration_error(chances: Floats, truth: Truth, *, bins: int = 10) -> float:
    """Give the expected calibration error over equal bins."""
    bin_of = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = [
        (bin_of == each).mean() * abs(chances[bin_of == each].mean() - truth[bin_of == each].mean())
        for each in np.unique(bin_of)
    ]
    return float(sum(gaps))
