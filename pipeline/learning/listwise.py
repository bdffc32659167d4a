"""Fit a listwise logistic regression: the probability of each of a question's hits to be the right one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fit_listwise(
    rows: Floats, right: Floats, counts: Floats, *, ridge: float = 3.0, known: Floats | None = None
) -> Floats:
    """Fit a conditional softmax and return the weight of each feature, none below 0.

    ``rows`` are (questions, hits, features), ``right`` (questions, hits) is 1 where the hit is right, and ``counts``
    (questions,) says the weight of each question. The fit is pulled by ``ridge`` to the weights ``known``, else to 0.
    scikit-learn has no loss over lists, so SciPy minimises it.
    """
    from scipy.optimize import minimize

    spread = rows.reshape(-1, rows.shape[2]).std(0) + 1e-9
    scaled, counts = rows / spread, counts / counts.mean()
    centre = np.zeros(rows.shape[2]) if known is None else known * spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        costs, chance, chance_of_right = _chances(scaled, right, weights)
        away = weights - centre
        slope = np.einsum("qhf,qh->f", scaled, counts[:, None] * (chance - chance_of_right))
        return float(counts @ costs + ridge / 2 * away @ away), slope + ridge * away

    bounds = [(0, None)] * len(centre)
    fitted = minimize(loss, centre, jac=True, bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-8}).x
    weights: Floats = fitted / spread
    return weights


def padded(lists: Sequence[Floats], length: int, *, filler: float) -> Floats:
    """Stack lists of up to ``length`` rows into one array, the missing rows filled."""
    stacked = np.full((len(lists), length, *lists[0].shape[1:]), filler)
    for place, rows in enumerate(lists):
        stacked[place, : len(rows)] = rows
    return stacked


def losses(rows: Floats, right: Floats, weights: Floats) -> Floats:
    """Return the loss of each question, (questions,): −log of the chance that a right hit is chosen."""
    return _chances(rows, right, weights)[0]


def _chances(rows: Floats, right: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each question's loss, the chance of each hit, and the same if the chosen hit is a right one."""
    scores = rows @ weights
    chance = np.exp(scores - scores.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    of_right = (chance * right).sum(1) + 1e-12
    costs: Floats = -np.log(of_right)
    return costs, chance, chance * right / of_right[:, None]
