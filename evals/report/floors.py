"""The figures that must not get worse: each has a floor (or a ceiling) pinned in ``floors.json``."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from domain.errors import WellreadError

PINNED = Path(__file__).with_name("floors.json")
#: the figures that have a floor, by the last two parts of their names
FLOORED = frozenset(
    """
    bm25.recall@1 dense.recall@1 fused.recall@1 reranked.recall@1 reranked.mrr@10
    final.recall@1 final.recall@5 final.recall@10 final.mrr@10 final.ndcg@10 final.all@8 final.all@10
    must_crawl.auroc must_crawl.balanced_accuracy must_crawl.fpr_at_tpr95 must_crawl.ece answerable.auroc
    answers.contains_gold answers.contains_gold_1 answers.f1 answers.citation_valid
    answers.abstained_answerable answers.abstained_unanswerable
    variants.recall@5_second variants.recall@10_second
    """.split()
)
#: of these less is better: what is pinned is a ceiling
_CEILINGS = frozenset({"fpr_at_tpr95", "ece", "abstained_answerable"})
#: what another processor's arithmetic may change; a share that is whole stays whole
_SLACK = 0.01

#: set → name of a figure ("retrieval.final.recall@1") → number
Numbers = Mapping[str, Mapping[str, float | None]]


class FloorError(WellreadError):
    """A floor cannot be lowered, or there is none of that name."""


@dataclass(frozen=True, kw_only=True)
class Fall:
    """A figure that is worse than its floor."""

    name: str  #: with its set: "squad2-part.judge.must_crawl.auroc"
    pinned: float
    measured: float | None  #: None: no longer measured

    def __str__(self) -> str:
        measured = "not measured" if self.measured is None else f"{self.measured:.4f}"
        return f"{self.name}: {measured}, and {'at most' if _is_ceiling(self.name) else 'at least'} {self.pinned:g}"


def read_floors(path: Path = PINNED) -> dict[str, dict[str, float]]:
    """Read the floors; none where there is no file."""
    if not path.exists():
        return {}
    stored: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8"))
    return stored


def write_floors(floors: Mapping[str, Mapping[str, float]], path: Path = PINNED) -> None:
    """Write the floors."""
    path.write_text(json.dumps(floors, indent=1, sort_keys=True) + "\n", "utf-8")


def falls(measured: Numbers, floors: Mapping[str, Mapping[str, float]]) -> list[Fall]:
    """Return the figures that are worse than their floors, or that have one and were not measured."""
    return [
        Fall(name=f"{of}.{name}", pinned=pinned, measured=value)
        for of, names in floors.items()
        for name, pinned in names.items()
        if (value := measured.get(of, {}).get(name)) is None or _is_worse(name, value, pinned)
    ]


def not_allowed(fallen: Collection[Fall], allowed: Collection[str], floors: Numbers) -> list[Fall]:
    """Return the falls that were not allowed by name. Raises FloorError for a name that no floor has."""
    names = {f"{of}.{name}" for of, figures in floors.items() for name in figures}
    if unknown := sorted(set(allowed) - names):
        raise FloorError(f"There is no floor {unknown[0]}; evals/report/floors.json names those there are.")
    return [fall for fall in fallen if fall.name not in allowed]


def pinned_anew(
    measured: Numbers, floors: Mapping[str, Mapping[str, float]], allowed: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return the floors raised to what was measured, with those of new figures; only ``allowed`` ones are lowered.

    Raises FloorError where another would have to be.
    """
    if fallen := not_allowed(falls(measured, floors), allowed, floors):
        raise FloorError("A floor is lowered only by name (--allow-regression NAME): " + "; ".join(map(str, fallen)))
    anew: dict[str, dict[str, float]] = {}
    for of, figures in measured.items():
        kept = floors.get(of, {})
        for name, value in figures.items():
            if value is not None and ".".join(name.split(".")[-2:]) in FLOORED:
                floor = _with_slack(name, value)
                fell = f"{of}.{name}" in allowed
                better = name not in kept or fell or _is_worse(name, kept[name], floor)
                anew.setdefault(of, {})[name] = floor if better else kept[name]
    return anew


def _is_ceiling(name: str) -> bool:
    return name.rsplit(".", 1)[-1] in _CEILINGS


def _is_worse(name: str, value: float, than: float) -> bool:
    return value > than if _is_ceiling(name) else value < than


def _with_slack(name: str, value: float) -> float:
    # rounded before it is cut to three places: .2 + .01 is a little more than .21
    if _is_ceiling(name):
        return math.ceil(round(1000 * min(1.0, value + _SLACK), 6)) / 1000
    return 1.0 if value == 1 else math.floor(round(1000 * max(0.0, value - _SLACK), 6)) / 1000
