"""Refit the learned reranker from feedback: hits that a right answer cites should rank above those it does not cite.

As with the judge, the fit is pulled to the shipped weights, and is taken only when it ranks the held-out questions
better than the weights in use and reaches the floor on the pinned lists. Where a reader called a citation wrong, every
hit that was not cited counts as right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from pipeline.learning.feedback import RankedHits, Refit, change, is_held_out
from pipeline.learning.fits import fit_listwise, losses, padded
from pipeline.learning.metrics import Floats, broken_floors, is_better
from pipeline.retrieval.rerank.features import Signals
from pipeline.retrieval.rerank.learned import weights as shipped_weights

SIGNALS = tuple(field.name for field in fields(Signals))
#: questions needed: in all, and among those held out
MIN_QUESTIONS, MIN_HELD_OUT = 40, 10
#: precision of the prior around the shipped weights; 3 to 30 did about as well on HotpotQA, SQuAD 2.0 and XQuAD
RIDGE = 10.0
#: scale of the weighted mean in the softmax: fitted with the shipped weights, 24 to 32 by set
SCALE = 25.0
#: how far MRR and the share of right first hits may fall on the pinned lists
_SLACK = 0.02


def refit_reranker(ranked: Sequence[RankedHits], *, serving: Mapping[str, float] | None = None) -> Refit:
    """Refit the weights; ``serving`` are the learned weights in use, None: the shipped ones."""
    usable = [hits for hits in ranked if any(hits.right) and not all(hits.right)]
    held_out = [hits for hits in usable if is_held_out(hits.question)]
    if len(usable) < MIN_QUESTIONS or len(held_out) < MIN_HELD_OUT:
        too_few = (
            f"too few answers were judged whose hits are stored: {len(usable)} ({len(held_out)} held out); "
            f"{MIN_QUESTIONS} are needed ({MIN_HELD_OUT})"
        )
        return Refit(reason=too_few, examples=len(usable))
    current = serving or shipped_weights()
    fitted = fit_weights([hits for hits in usable if not is_held_out(hits.question)])
    before, after = (_losses(weights, held_out) for weights in (current, fitted))
    pinned_before, pinned_after = metrics_on(pinned_lists(), current), metrics_on(pinned_lists(), fitted)
    metrics = {
        "log loss": change(float(before.mean()), float(after.mean())),
        "MRR": change(metrics_on(held_out, current)["MRR"], metrics_on(held_out, fitted)["MRR"]),
        **{f"pinned {name}": change(pinned_before[name], pinned_after[name]) for name in pinned_before},
    }
    reason = _reason(metrics, len(held_out))
    if not is_better(before, after) or metrics["MRR"]["after"] < metrics["MRR"]["before"]:
        return Refit(reason=f"no better than the version in use: {reason}", examples=len(usable), metrics=metrics)
    if below := broken_floors(pinned_after, _stored()["floor"]):
        return Refit(reason=f"below the pinned floor: {below}", examples=len(usable), metrics=metrics)
    return Refit(reason=reason, examples=len(usable), parameters={"weights": fitted}, metrics=metrics)


def fit_weights(ranked: Sequence[RankedHits]) -> dict[str, float]:
    """Return the weight of each signal, 1 together, fitted to the answers with a prior around the shipped ones."""
    shipped = dict(shipped_weights())
    if not ranked:
        return shipped
    rows, right = _stacked(ranked)
    known = SCALE * _vector(shipped)
    fitted = fit_listwise(rows, right, np.ones(len(ranked)), ridge=RIDGE, known=known)
    if not fitted.any():  # every signal speaks against the right hits: nothing is left to rank by
        return shipped
    return {name: round(float(weight), 4) for name, weight in zip(SIGNALS, fitted / fitted.sum(), strict=True)}


def metrics_on(ranked: Sequence[RankedHits], weights: Mapping[str, float]) -> dict[str, float]:
    """Return MRR and the share of questions with a right hit first."""
    first = [_first_right(hits, _vector(weights)) for hits in ranked]
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


def floor_from(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return the floor to pin from the metrics of the shipped weights."""
    return {name: round(value - _SLACK, 4) for name, value in metrics.items()}


def _first_right(hits: RankedHits, weights: Floats) -> int:
    """Return the rank of the first right hit, from 1; there is one."""
    scores = np.array(hits.signals) @ weights
    order = np.argsort(-scores, kind="stable")
    return next(rank for rank, at in enumerate(order, start=1) if hits.right[at])


def _losses(weights: Mapping[str, float], ranked: Sequence[RankedHits]) -> Floats:
    rows, right = _stacked(ranked)
    return losses(rows, right, SCALE * _vector(weights))


def _stacked(ranked: Sequence[RankedHits]) -> tuple[Floats, Floats]:
    most = max(len(hits.signals) for hits in ranked)
    rows = padded([np.array(hits.signals, dtype=np.float64) for hits in ranked], most, filler=-1.0)
    return rows, padded([np.array(hits.right, dtype=np.float64) for hits in ranked], most, filler=0.0)


def _vector(weights: Mapping[str, float]) -> Floats:
    return np.array([weights[name] for name in SIGNALS], dtype=np.float64)


def _reason(metrics: Mapping[str, Mapping[str, float]], held_out: int) -> str:
    shown = ("log loss", "MRR")
    parts = [f"{name} {metrics[name]['before']:.3f} → {metrics[name]['after']:.3f}" for name in shown]
    return f"{', '.join(parts)} on {held_out} held-out questions"


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(files(__package__).joinpath("rerank_floor.json").read_text("utf-8"))
    return stored
