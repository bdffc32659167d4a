"""Fit a logistic regression: from nothing, or from a prior around known coefficients."""

from __future__ import annotations

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


def fit_logistic(rows: Floats, truth: Truth, counts: Floats, *, ridge: float = 1.0) -> tuple[Floats, float]:
    """Return the weights of the raw features and the intercept; ``counts`` are the rows' weights.

    The weights of the standardised features are pulled to 0 by ``ridge``; the intercept is free.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(rows, sample_weight=counts)
    model = LogisticRegression(C=1 / ridge, tol=1e-8, max_iter=1000)
    model.fit(scaler.transform(rows), truth, sample_weight=counts)
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


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
