"""Logistic regression in plain numpy, from nothing or from coefficients that are known already."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from pipeline.learning.metrics import Floats, Truth

#: a step of the fit that is no step any more
_SMALL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Known:
    """Coefficients from before, and the features as they were there: what a fit is pulled to, and in which units."""

    weights: Floats
    intercept: float
    mean: Floats
    spread: Floats


def fit_logistic(
    rows: Floats, truth: Truth, counts: Floats, *, ridge: float = 1.0, known: Known | None = None, steps: int = 50
) -> tuple[Floats, float]:
    """Fit by Newton's method on standardised features; give the weights for the raw ones and the intercept.

    ``counts`` says how much each row counts. From nothing, weights are pulled to 0 by ``ridge`` and the intercept is
    free. With coefficients ``known``, all are pulled to those: the most probable ones under a normal prior around them.
    """
    mean = np.average(rows, 0, counts) if known is None else known.mean
    spread = (np.sqrt(np.average((rows - mean) ** 2, 0, counts)) if known is None else known.spread) + 1e-9
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    penalty = np.eye(scaled.shape[1]) * ridge
    centre = np.zeros(scaled.shape[1])
    if known is None:
        penalty[-1, -1] = 0.0
    else:
        centre = np.append(known.weights * spread, known.intercept + known.weights @ mean)
    loss = partial(_loss, scaled, truth, counts, penalty=penalty, centre=centre)
    found, least = centre.copy(), loss(centre)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (counts * (chance - truth)) + penalty @ (found - centre)
        curve = (scaled * (counts * chance * (1 - chance))[:, None]).T @ scaled + penalty
        step = np.linalg.solve(curve, slope)
        while loss(found - step) > least and np.abs(step).max() > _SMALL:
            step /= 2  # where the coefficients known are sure of the opposite, a whole step goes far too far
        found, least = found - step, loss(found - step)
        if np.abs(step).max() <= _SMALL:
            break
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


def _loss(rows: Floats, truth: Truth, counts: Floats, found: Floats, *, penalty: Floats, centre: Floats) -> float:
    """Return what is minimised: −log of the probability of what is so, and half the pull."""
    signed = np.where(truth, 1.0, -1.0) * (rows @ found)
    return float(counts @ np.logaddexp(0, -signed)) + 0.5 * float((found - centre) @ penalty @ (found - centre))
