"""Measure several sets and compare with the pinned floors: what ``make eval`` runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from evals.measures import MODES, Figures
from evals.report.floors import Numbers
from evals.report.plot import Bars, plot
from evals.report.tables import flat, rounded, table
from evals.sets.beir import EvalSet, SetError, read_set

SHIPPED = Path(__file__).parent / "data"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A set to be measured."""

    set: EvalSet
    embedder: str = "auto"  #: the bundled one that serves
    modes: tuple[str, ...] = tuple(MODES)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a run gave."""

    name: str
    embedder: str  #: its id
    figures: dict[str, Figures]  #: by mode

    @property
    def numbers(self) -> dict[str, float | None]:
        """The figures by their dotted names: {"retrieval.final.recall@1": …}."""
        return flat(self.figures)


def runs_in(data: Path) -> Iterator[Run]:
    """Yield the sets in a folder.

    Two sets with the same ids and the same gold in two languages are one set translated: the questions of each are
    asked in the corpus of the other, too.
    """
    folders = sorted(file.parent for file in data.glob("*/corpus.jsonl"))
    if not folders:
        raise SetError(f"{data} holds no folder with a corpus.jsonl.")
    sets = {folder: read_set(folder) for folder in folders}
    for each in sets.values():
        yield Run(set=each)
    for one, other in permutations(folders, 2):
        if sets[one].lang != sets[other].lang and _golds(sets[one]) == _golds(sets[other]):
            yield Run(set=read_set(one, corpus=other), modes=("retrieval",))


def numbers_of(measured: Sequence[Measured]) -> Numbers:
    """Return the figures of every run by its name."""
    return {each.name: each.numbers for each in measured}


def write_report(measured: Sequence[Measured], folder: Path) -> list[Path]:
    """Write the figures as JSON, as Markdown tables, and what was retrieved as a plot; give the files."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {each.name: {"embedder": each.embedder, **rounded(each.figures)} for each in measured}
    texts = {
        "figures.json": json.dumps(figures, indent=1, ensure_ascii=False) + "\n",
        "figures.md": _markdown(measured),
        "recall.svg": plot("Recall of the gold documents, by stage", _bars(measured)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in texts]


def _golds(each: EvalSet) -> list[frozenset[int]]:
    return [question.gold for question in each.questions]


def _markdown(measured: Sequence[Measured]) -> str:
    parts = ["# Quality\n"]
    for each in measured:
        parts.append(f"## {each.name}, {each.embedder}\n")
        parts += [f"{mode}\n\n{table(figures)}\n" for mode, figures in each.figures.items()]
    return "\n".join(parts)


def _bars(measured: Sequence[Measured]) -> list[Bars]:
    return [
        Bars(
            title=f"{each.name}, {each.embedder}",
            rows={arm: (of["recall@1"], of["recall@10"]) for arm, of in each.figures["retrieval"].items()},
        )
        for each in measured
        if "retrieval" in each.figures
    ]
