"""The pinned sample of cases whose answer is known, and the floor that a judge must reach on it.

``judge_floor.json`` holds the cases as the judge's features, for each bundled embedder, in English and German, with the
answering passage or without it; ``evals/fit/learning_floors.py`` writes it. A judge of another language is held to the
cases of all languages; a judge of an unknown embedder is held to its word features alone.
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
#: how far a metric may fall below the shipped judge's, or false passes rise above it
_SLACK = {"AUROC": 0.02, "balanced accuracy": 0.05, "false passes": 0.05}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Cases of which it is known whether the hits hold the answer."""

    rows: Floats  #: (cases, features), in the order of FEATURES
    beside: Truth  #: no quoted sentence holds the kind of thing asked for
    truth: Truth  #: the hits hold the answer

    def columns(self, features: Sequence[str]) -> Floats:
        """Return the columns of these features: (cases, features)."""
        return self.rows[:, [FEATURES.index(name) for name in features]]


def pinned_sample(embedder: str, lang: str) -> Sample:
    """Return the cases for a judge of this embedder and language."""
    stored = _stored()["samples"]
    by_lang = stored.get(embedder) or next(iter(stored.values()))
    return to_sample([by_lang[lang]] if lang in by_lang else list(by_lang.values()))


def pinned_floor(embedder: str, lang: str) -> Mapping[str, float]:
    """Return the lowest allowed value of each metric on those cases; for "false passes" the highest."""
    stored = _stored()["floors"]
    by_lang: Mapping[str, Mapping[str, float]] = stored.get(embedder) or stored[ANY_EMBEDDER]
    return by_lang.get(lang) or by_lang[OTHER]


def metrics_on(sample: Sample, chances: Floats) -> dict[str, float]:
    """Return the metrics that are held to the floor."""
    passed = chances >= THRESHOLD
    return {
        "AUROC": auroc(chances, sample.truth),
        "balanced accuracy": balanced_accuracy(passed, sample.truth),
        "false passes": float(passed[~sample.truth].mean()),
    }


def floor_from(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return the floor to pin from the shipped judge's metrics."""
    return {
        name: round(value + _SLACK[name] if name == "false passes" else value - _SLACK[name], 4)
        for name, value in metrics.items()
    }


def to_sample(parts: Sequence[Mapping[str, Sequence[Sequence[float]]]]) -> Sample:
    """Join stored cases: rows under "answered" and "unanswered", the last column of each is beside-the-point."""
    cases = [(row, kind == "answered") for part in parts for kind, rows in part.items() for row in rows]
    table = np.array([row for row, _ in cases], dtype=np.float64)
    return Sample(
        rows=table[:, :-1], beside=table[:, -1] > 0, truth=np.array([truth for _, truth in cases], dtype=np.bool_)
    )


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(files(__package__).joinpath("judge_floor.json").read_text("utf-8"))
    return stored
