"""Listwise logistic regression in plain numpy: the chance that a hit is the right one among those of its question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fit_listwise(rows: Floats, right: Floats, counts: Floats, *, ridge: float = 3.0) -> Floats:
    """Fit a conditional softmax and give a weight for each feature, none below 0.

    ``rows`` are (questions, hits, features), ``right`` (questions, hits) is 1 where the hit is right, and ``counts``
    (questions,) says how much a question counts. A feature that would count against its meaning is left out.
    """
    kept = list(range(rows.shape[2]))
    while True:
        fitted = _newton(rows[:, :, kept], right, counts / counts.mean(), ridge)
        worst = int(np.argmin(fitted))
        if fitted[worst] >= 0:
            break
        kept.pop(worst)
    weights = np.zeros(rows.shape[2])
    weights[kept] = fitted
    return weights


def padded(lists: Sequence[Floats], length: int, *, filler: float) -> Floats:
    """Stack lists of up to ``length`` rows into one array, what is lacking filled."""
    stacked = np.full((len(lists), length, *lists[0].shape[1:]), filler)
    for place, each in enumerate(lists):
        stacked[place, : len(each)] = each
    return stacked


def _newton(rows: Floats, right: Floats, counts: Floats, ridge: float, steps: int = 40) -> Floats:
    """Maximise the log chance of the right hits together by Newton's method, its step halved until it helps."""
    spread = rows.reshape(-1, rows.shape[2]).std(0) + 1e-9
    scaled = rows / spread
    found = np.zeros(rows.shape[2])
    loss, chance, among_right = _look(scaled, right, counts, ridge, found)
    for _ in range(steps):
        mean = np.einsum("qhf,qh->qf", scaled, chance)
        slope = ridge * found - counts @ (np.einsum("qhf,qh->qf", scaled, among_right) - mean)
        curve = np.einsum("q,qhf,qh,qhg->fg", counts, scaled, chance, scaled, optimize=True)
        curve += ridge * np.eye(len(found)) - np.einsum("q,qf,qg->fg", counts, mean, mean)
        step = np.linalg.solve(curve, slope)
        before = loss
        for _ in range(20):
            loss, chance, among_right = _look(scaled, right, counts, ridge, found - step)
            if loss <= before:
                break
            step /= 2
        found -= step
        if before - loss < 1e-8 * before:
            break
    weights: Floats = found / spread
    return weights


def _look(rows: Floats, right: Floats, counts: Floats, ridge: float, weights: Floats) -> tuple[float, Floats, Floats]:
    """Give the loss, the chance of each hit, and its chance if one of the right ones it must be."""
    scores = rows @ weights
    chance = np.exp(scores - scores.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    of_right = (chance * right).sum(1) + 1e-12
    loss = -float(counts @ np.log(of_right)) + 0.5 * ridge * float(weights @ weights)
    return loss, chance, chance * right / of_right[:, None]
