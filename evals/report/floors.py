"""The floors (or ceilings) of figures that must not get worse, pinned in ``floors.json``."""

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
    asked.right asked.right_first asked.right_own_words asked.right_page_words asked.unanswerable_withheld
    asked.sure_and_wrong asked.gold_page_in_8 asked.gold_text_in_8 asked.auroc crawled.right
    replayed.right replayed.right_of_replies replayed.unanswerable_withheld replayed.sure_and_wrong replayed.auroc
    must_crawl.auroc must_crawl.balanced_accuracy must_crawl.fpr_at_tpr95 must_crawl.ece answerable.auroc
    answers.contains_gold answers.contains_gold_1 answers.f1 answers.short_f1 answers.citation_valid
    answers.abstained_answerable answers.abstained_unanswerable
    second_3.recall@5 second_3.recall@10
    manuals.words_kept manuals.words_kept_10th manuals.mid_sentence manuals.navigation_kept
    articles.f1 articles.mid_sentence articles.navigation_kept
    wording.resolved answers.sure_elsewhere
    unseen_pages.right_first unseen_pages.right_shown unseen_pages.passage_first
    unseen_pages.auroc unseen_pages.auroc_answerable unseen_pages.sure_and_wrong
    unseen_manuals.right_first unseen_manuals.right_shown unseen_manuals.passage_first
    unseen_manuals.auroc unseen_manuals.auroc_answerable unseen_manuals.sure_and_wrong
    with_second_call.supported_kept with_second_call.lies_kept
    """.split()
)
#: figures where less is better: a ceiling is pinned
_CEILINGS = frozenset(
    """
    fpr_at_tpr95 ece abstained_answerable sure_and_wrong sure_elsewhere mid_sentence navigation_kept
    lies_kept
    """.split()
)
#: how much a figure may differ on another processor; a share of 1 is pinned as 1
_SLACK = 0.01

#: set → name of a figure ("retrieval.final.recall@1") → number
Numbers = Mapping[str, Mapping[str, float | None]]


class FloorError(WellreadError):
    """A floor may not be lowered, or no floor has this name."""


@dataclass(frozen=True, kw_only=True)
class Regression:
    """A figure that is worse than its floor."""

    name: str  #: with its set: "squad2-part.judge.must_crawl.auroc"
    floor: float
    measured: float | None  #: None: not measured

    def __str__(self) -> str:
        measured = "not measured" if self.measured is None else f"{self.measured:.4f}"
        return f"{self.name}: {measured}, must be {'at most' if _is_ceiling(self.name) else 'at least'} {self.floor:g}"


def read_floors(path: Path = PINNED) -> dict[str, dict[str, float]]:
    """Read the floors; return none where there is no file."""
    if not path.exists():
        return {}
    floors: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8"))
    return floors


def write_floors(floors: Mapping[str, Mapping[str, float]], path: Path = PINNED) -> None:
    """Write the floors."""
    path.write_text(json.dumps(floors, indent=1, sort_keys=True) + "\n", "utf-8")


def find_regressions(measured: Numbers, floors: Mapping[str, Mapping[str, float]]) -> list[Regression]:
    """Return the figures that are worse than their floors, or that have a floor and were not measured."""
    return [
        Regression(name=f"{of}.{name}", floor=floor, measured=value)
        for of, names in floors.items()
        for name, floor in names.items()
        if (value := measured.get(of, {}).get(name)) is None or _is_worse(name, value, floor)
    ]


def regressions_not_allowed(
    regressions: Collection[Regression], allowed: Collection[str], floors: Numbers
) -> list[Regression]:
    """Return the regressions that are not allowed by name. Raises FloorError for a name that no floor has."""
    names = {f"{of}.{name}" for of, figures in floors.items() for name in figures}
    if unknown := sorted(set(allowed) - names):
        raise FloorError(f"There is no floor {unknown[0]}; evals/report/floors.json has the names.")
    return [regression for regression in regressions if regression.name not in allowed]


def raise_floors(
    measured: Numbers, floors: Mapping[str, Mapping[str, float]], allowed: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return the floors raised to what was measured, new figures included; only ``allowed`` ones are lowered.

    Raises FloorError where another one would have to be lowered.
    """
    if failing := regressions_not_allowed(find_regressions(measured, floors), allowed, floors):
        names = "; ".join(map(str, failing))
        raise FloorError(f"A floor is lowered only by name (--allow-regression NAME): {names}")
    raised: dict[str, dict[str, float]] = {}
    for of, figures in measured.items():
        before = floors.get(of, {})
        for name, value in figures.items():
            if value is not None and ".".join(name.split(".")[-2:]) in FLOORED:
                floor = _with_slack(name, value)
                is_allowed = f"{of}.{name}" in allowed
                replaces = name not in before or is_allowed or _is_worse(name, before[name], floor)
                raised.setdefault(of, {})[name] = floor if replaces else before[name]
    return raised


def _is_ceiling(name: str) -> bool:
    return name.rsplit(".", 1)[-1] in _CEILINGS


def _is_worse(name: str, value: float, than: float) -> bool:
    return value > than if _is_ceiling(name) else value < than


def _with_slack(name: str, value: float) -> float:
    # round before cutting to three places: .2 + .01 is a little more than .21
    if _is_ceiling(name):
        return math.ceil(round(1000 * min(1.0, value + _SLACK), 6)) / 1000
    return 1.0 if value == 1 else math.floor(round(1000 * max(0.0, value - _SLACK), 6)) / 1000
