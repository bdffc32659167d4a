"""Logistic regression in plain numpy."""

from __future__ import annotations

import numpy as np

from evals.metrics import Floats, Truth, auroc, calibration_error, false_positives

__all__ = ["auroc", "calibration_error", "false_positives", "fit_logistic"]


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
