"""Logistic regression in plain numpy, from nothing or from coefficients that are known already."""

from __future__ import annotations

import numpy as np

from pipeline.learning.chances import Floats, Truth


def fit_logistic(
    rows: Floats,
    truth: Truth,
    counts: Floats,
    *,
    ridge: float = 1.0,
    towards: tuple[Floats, float] | None = None,
    steps: int = 50,
) -> tuple[Floats, float]:
    """Fit by Newton's method on standardised features; give the weights for the raw ones and the intercept.

    ``counts`` says how much each row counts. ``towards`` names weights and an intercept that the fit is pulled to by
    ``ridge`` (the most probable coefficients under a normal prior around them); without it, weights are pulled to 0 and
    the intercept is free.
    """
    mean = np.average(rows, 0, counts)
    spread = np.sqrt(np.average((rows - mean) ** 2, 0, counts)) + 1e-9
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    penalty = np.eye(scaled.shape[1]) * ridge
    known = np.zeros(scaled.shape[1])
    if towards is None:
        penalty[-1, -1] = 0.0
    else:
        known = np.append(towards[0] * spread, towards[1] + towards[0] @ mean)
    found = known.copy()
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (counts * (chance - truth)) + penalty @ (found - known)
        curve = (scaled * (counts * chance * (1 - chance))[:, None]).T @ scaled + penalty
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)
