"""Fit a logistic regression, from nothing or from a prior around known coefficients, and one over lists of hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.learning.metrics import Floats, Truth


@dataclass(frozen=True, kw_only=True)
class Prior:
    """Coefficients of an earlier fit, and the mean and the standard deviation of its features."""

    weights: Floats
    intercept: float
    mean: Floats
    spread: Floats


def fit_from_prior(rows: Floats, truth: Truth, prior: Prior, *, ridge: float) -> tuple[Floats, float]:
    """Return the most probable weights and intercept under a normal prior of precision ``ridge`` around the known ones.

    scikit-learn pulls coefficients to 0 only, so SciPy minimises this loss.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    spread = prior.spread + 1e-9
    scaled = np.column_stack([(rows - prior.mean) / spread, np.ones(len(rows))])
    centre = np.append(prior.weights * spread, prior.intercept + prior.weights @ prior.mean)
    signs = np.where(truth, 1.0, -1.0)

    def loss(coefficients: Floats) -> tuple[float, Floats]:
        scores, away = scaled @ coefficients, coefficients - centre
        cost = np.logaddexp(0, -signs * scores).sum() + ridge / 2 * away @ away
        return float(cost), scaled.T @ (expit(scores) - truth) + ridge * away

    fitted = minimize(loss, centre, jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-8}).x
    weights = fitted[:-1] / spread
    return weights, float(fitted[-1] - weights @ prior.mean)


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
