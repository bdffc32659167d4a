"""Refit the learned reranker from what readers said: hits that a right answer cites above those that it does not.

As with the judge, the fit is pulled to the shipped weights, and is taken only when it ranks the answers left out better
than what serves and keeps the floor on the pinned lists. Of an answer whose citation was called wrong, any other hit is
the likelier one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from pipeline.learning.feedback import RankedHits, Refit, is_held_out
from pipeline.learning.listwise import Floats, fit_listwise, losses, padded
from pipeline.learning.metrics import is_better
from pipeline.retrieval.rerank.features import Signals
from pipeline.retrieval.rerank.learned import weights as shipped_weights

SIGNALS = tuple(field.name for field in fields(Signals))
#: questions that there must be, and of these among those left out
MIN_QUESTIONS, MIN_HELD_OUT = 40, 10
#: what pulls to the shipped weights; 3 to 30 did about as well on HotpotQA, SQuAD 2.0 and XQuAD
RIDGE = 10.0
#: how sharply the mean of the signals tells hits apart: fitted with the shipped weights, 24 to 32 by set
SCALE = 25.0
#: how far MRR and the share of right first hits may fall on the pinned lists
_SLACK = 0.02


def refit_reranker(ranked: Sequence[RankedHits], *, serving: Mapping[str, float] | None = None) -> Refit:
    """Fit the weights anew; ``serving`` are the learned ones in use, None: the shipped ones."""
    usable = [each for each in ranked if any(each.right) and not all(each.right)]
    held = [each for each in usable if is_held_out(each.question)]
    if len(usable) < MIN_QUESTIONS or len(held) < MIN_HELD_OUT:
        lacking = (
            f"too few answers were judged whose hits are kept: {len(usable)} ({len(held)} left out); "
            f"{MIN_QUESTIONS} are needed ({MIN_HELD_OUT})"
        )
        return Refit(said=lacking, examples=len(usable))
    now = serving or shipped_weights()
    found = fit_weights([each for each in usable if not is_held_out(each.question)])
    before, after = (_costs(each, held) for each in (now, found))
    pinned_now, pinned_found = metrics_on(pinned_lists(), now), metrics_on(pinned_lists(), found)
    metrics = {
        "log loss": _change(float(before.mean()), float(after.mean())),
        "MRR": _change(metrics_on(held, now)["MRR"], metrics_on(held, found)["MRR"]),
        **{f"pinned {name}": _change(pinned_now[name], pinned_found[name]) for name in pinned_now},
    }
    said = _said(metrics, len(held))
    if not is_better(before, after) or metrics["MRR"]["after"] < metrics["MRR"]["before"]:
        return Refit(said=f"no better than what serves: {said}", examples=len(usable), metrics=metrics)
    if below := _broken_floors(pinned_found):
        return Refit(said=f"below the pinned floor: {below}", examples=len(usable), metrics=metrics)
    return Refit(said=said, examples=len(usable), parameters={"weights": found}, metrics=metrics)


def fit_weights(ranked: Sequence[RankedHits]) -> dict[str, float]:
    """Return the weight of each signal, 1 together, that the answers call for, pulled to the shipped ones."""
    shipped = dict(shipped_weights())
    if not ranked:
        return shipped
    rows, right = _stacked(ranked)
    known = SCALE * _vector(shipped)
    found = fit_listwise(rows, right, np.ones(len(ranked)), ridge=RIDGE, known=known)
    if not found.any():  # every signal was turned against its meaning: nothing to rank by
        return shipped
    return {name: round(float(weight), 4) for name, weight in zip(SIGNALS, found / found.sum(), strict=True)}


def metrics_on(ranked: Sequence[RankedHits], weights: Mapping[str, float]) -> dict[str, float]:
    """Return MRR and the share of questions with a right hit first."""
    first = [_first_right(each, _vector(weights)) for each in ranked]
    return {
        "MRR": float(np.mean([1 / rank for rank in first])),
        "right first": float(np.mean([rank == 1 for rank in first])),
    }


@cache
def pinned_lists() -> tuple[RankedHits, ...]:
    """Return the pinned questions' hits; ``evals/fit/learning_floors.py`` writes them."""
    return tuple(
        RankedHits(
            question="", signals=each["signals"], right=[at in each["right"] for at in range(len(each["signals"]))]
        )
        for each in _stored()["lists"]
    )


def floor_from(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the floor to pin under the figures of the shipped weights."""
    return {name: round(value - _SLACK, 4) for name, value in figures.items()}


def _broken_floors(figures: Mapping[str, float]) -> str:
    floor: Mapping[str, float] = _stored()["floor"]
    broken = [name for name, value in figures.items() if value < floor[name]]
    return ", ".join(f"{name} {figures[name]:.3f} instead of at least {floor[name]:.3f}" for name in broken)


def _first_right(each: RankedHits, weights: Floats) -> int:
    """Return the rank of the first right hit, 1 is best; a right one is among them."""
    scores = np.array(each.signals) @ weights
    order = np.argsort(-scores, kind="stable")
    return next(rank for rank, at in enumerate(order, start=1) if each.right[at])


def _costs(weights: Mapping[str, float], ranked: Sequence[RankedHits]) -> Floats:
    rows, right = _stacked(ranked)
    return losses(rows, right, SCALE * _vector(weights))


def _stacked(ranked: Sequence[RankedHits]) -> tuple[Floats, Floats]:
    most = max(len(each.signals) for each in ranked)
    rows = padded([np.array(each.signals, dtype=np.float64) for each in ranked], most, filler=-1.0)
    return rows, padded([np.array(each.right, dtype=np.float64) for each in ranked], most, filler=0.0)


def _vector(weights: Mapping[str, float]) -> Floats:
    return np.array([weights[name] for name in SIGNALS], dtype=np.float64)


def _change(before: float, after: float) -> dict[str, float]:
    return {"before": round(before, 4), "after": round(after, 4)}


def _said(metrics: Mapping[str, Mapping[str, float]], held: int) -> str:
    shown = ("log loss", "MRR")
    parts = [f"{name} {metrics[name]['before']:.3f} → {metrics[name]['after']:.3f}" for name in shown]
    return f"{', '.join(parts)} on {held} answers left out"


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(files(__package__).joinpath("rerank_floor.json").read_text("utf-8"))
    return stored
