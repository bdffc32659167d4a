"""The pinned sample: cases whose answer is known, and how well a judge must do on them to serve.

The cases stand in ``judge_floor.json`` as the features the judge weighs, for each bundled embedder, in English and
German: what answers the question is known, or taken out. ``evals/fit/learning_floors.py`` writes it. A judge of another
language is held to all of them; one of an unknown embedder to the words alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from pipeline.judging.calibration import ANY_EMBEDDER, FEATURES, OTHER
from pipeline.learning.metrics import Floats, Truth, auroc, balanced_accuracy

#: the confidence that suffices unless a strategy says otherwise
THRESHOLD = 0.7
#: how far a figure may fall below what the shipped judge reaches, or false passes rise above it
_SLACK = {"AUROC": 0.02, "balanced accuracy": 0.05, "false passes": 0.05}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Cases whose answer is known."""

    rows: Floats  #: (cases, features), in the order of FEATURES
    beside: Truth  #: no quoted sentence holds the kind of thing that is asked for
    truth: Truth  #: the hits hold the answer

    def columns(self, features: Sequence[str]) -> Floats:
        """Return the columns of these features: (cases, features)."""
        return self.rows[:, [FEATURES.index(name) for name in features]]


def pinned_sample(embedder: str, lang: str) -> Sample:
    """Return the cases that a judge of this embedder and language is held to."""
    stored = _stored()["samples"]
    of = stored.get(embedder) or next(iter(stored.values()))
    return to_sample([of[lang]] if lang in of else list(of.values()))


def pinned_floor(embedder: str, lang: str) -> Mapping[str, float]:
    """Return the least value of each figure on those cases, of "false passes" the greatest."""
    stored = _stored()["floors"]
    of: Mapping[str, Mapping[str, float]] = stored.get(embedder) or stored[ANY_EMBEDDER]
    return of.get(lang) or of[OTHER]


def metrics_on(sample: Sample, chances: Floats) -> dict[str, float]:
    """Return what is held to the floor."""
    passed = chances >= THRESHOLD
    return {
        "AUROC": auroc(chances, sample.truth),
        "balanced accuracy": balanced_accuracy(passed, sample.truth),
        "false passes": float(passed[~sample.truth].mean()),
    }


def floor_from(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the floor to pin under the figures of the shipped judge."""
    return {
        name: round(value + _SLACK[name] if name == "false passes" else value - _SLACK[name], 4)
        for name, value in figures.items()
    }


def broken_floors(figures: Mapping[str, float], floor: Mapping[str, float]) -> str:
    """Say which figure does not keep the floor; "" when all do."""
    broken = [
        f"{name} {value:.3f} instead of {'at most' if name == 'false passes' else 'at least'} {floor[name]:.3f}"
        for name, value in figures.items()
        if (value > floor[name] if name == "false passes" else value < floor[name])
    ]
    return ", ".join(broken)


def to_sample(parts: Sequence[Mapping[str, Sequence[Sequence[float]]]]) -> Sample:
    """Join stored cases: rows under "answered" and "unanswered", each with its beside-the-point last."""
    cases = [(row, kind == "answered") for part in parts for kind, rows in part.items() for row in rows]
    table = np.array([row for row, _ in cases], dtype=np.float64)
    return Sample(
        rows=table[:, :-1], beside=table[:, -1] > 0, truth=np.array([truth for _, truth in cases], dtype=np.bool_)
    )


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(files(__package__).joinpath("judge_floor.json").read_text("utf-8"))
    return stored
