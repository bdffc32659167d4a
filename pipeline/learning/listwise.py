"""Listwise logistic regression in plain numpy: the chance that a hit is the right one among those of its question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fit_listwise(
    rows: Floats, right: Floats, counts: Floats, *, ridge: float = 3.0, known: Floats | None = None
) -> Floats:
    """Fit a conditional softmax and give a weight for each feature, none below 0.

    ``rows`` are (questions, hits, features), ``right`` (questions, hits) is 1 where the hit is right, and ``counts``
    (questions,) says how much a question counts. The fit is pulled by ``ridge`` to the weights ``known``, else to 0. A
    feature that would count against its meaning is left out.
    """
    centre = np.zeros(rows.shape[2]) if known is None else known
    kept = list(range(rows.shape[2]))
    while kept:
        fitted = _newton(_Lists(rows=rows[:, :, kept], right=right, counts=counts / counts.mean()), ridge, centre[kept])
        worst = int(np.argmin(fitted))
        if fitted[worst] >= 0:
            break
        kept.pop(worst)
    weights = np.zeros(rows.shape[2])
    weights[kept] = fitted[: len(kept)]
    return weights


def padded(lists: Sequence[Floats], length: int, *, filler: float) -> Floats:
    """Stack lists of up to ``length`` rows into one array, what is lacking filled."""
    stacked = np.full((len(lists), length, *lists[0].shape[1:]), filler)
    for place, each in enumerate(lists):
        stacked[place, : len(each)] = each
    return stacked


def losses(rows: Floats, right: Floats, weights: Floats) -> Floats:
    """Return what each question costs: −log of the chance that one of its right hits is the right one, (questions,)."""
    return _chances(rows, right, weights)[0]


@dataclass(frozen=True, kw_only=True)
class _Lists:
    rows: Floats
    right: Floats
    counts: Floats


def _newton(lists: _Lists, ridge: float, known: Floats, steps: int = 40) -> Floats:
    """Maximise the log chance of the right hits together by Newton's method, its step halved until it helps."""
    spread = lists.rows.reshape(-1, lists.rows.shape[2]).std(0) + 1e-9
    scaled, counts = lists.rows / spread, lists.counts
    centre = known * spread

    def look(weights: Floats) -> tuple[float, Floats, Floats]:
        costs, chance, among_right = _chances(scaled, lists.right, weights)
        pulled = 0.5 * ridge * float((weights - centre) @ (weights - centre))
        return float(counts @ costs) + pulled, chance, among_right

    found = centre.copy()
    loss, chance, among_right = look(found)
    for _ in range(steps):
        mean = np.einsum("qhf,qh->qf", scaled, chance)
        slope = ridge * (found - centre) - counts @ (np.einsum("qhf,qh->qf", scaled, among_right) - mean)
        curve = np.einsum("q,qhf,qh,qhg->fg", counts, scaled, chance, scaled, optimize=True)
        curve += ridge * np.eye(len(found)) - np.einsum("q,qf,qg->fg", counts, mean, mean)
        step = np.linalg.solve(curve, slope)
        before = loss
        for _ in range(20):
            loss, chance, among_right = look(found - step)
            if loss <= before:
                break
            step /= 2
        found -= step
        if before - loss < 1e-8 * before:
            break
    weights: Floats = found / spread
    return weights


def _chances(rows: Floats, right: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each question's cost, the chance of each hit, and its chance if one of the right ones it must be."""
    scores = rows @ weights
    chance = np.exp(scores - scores.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    of_right = (chance * right).sum(1) + 1e-12
    costs: Floats = -np.log(of_right)
    return costs, chance, chance * right / of_right[:, None]
