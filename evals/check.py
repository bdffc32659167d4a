"""Measure several sets and write a report: what ``make eval`` runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from evals.modes import MODES, Figures
from evals.report.floors import Numbers
from evals.report.tables import flat, rounded, table
from evals.sets.beir import EvalSet, SetError, read_set

SHIPPED = Path(__file__).parent / "data"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A set and the modes to measure it in."""

    set: EvalSet
    modes: tuple[str, ...] = tuple(MODES)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The figures of a run."""

    name: str
    embedder: str  #: its id
    figures: dict[str, Figures]  #: by mode


def runs_in(data: Path) -> Iterator[Run]:
    """Yield a run for each set in a folder.

    Two sets with the same ids and the same gold in two languages are one set translated: the questions of each are
    also asked in the corpus of the other.
    """
    folders = sorted(file.parent for file in data.glob("*/corpus.jsonl"))
    if not folders:
        raise SetError(f"{data} has no folder with a corpus.jsonl.")
    sets = {folder: read_set(folder) for folder in folders}
    for eval_set in sets.values():
        yield Run(set=eval_set)
    for one, other in permutations(folders, 2):
        if sets[one].lang != sets[other].lang and _golds(sets[one]) == _golds(sets[other]):
            yield Run(set=read_set(one, corpus=other), modes=("retrieval",))


def numbers_of(measured: Sequence[Measured]) -> Numbers:
    """Return the figures of each set by their dotted names: {"squad2-part": {"retrieval.final.recall@1": …}}."""
    return {each.name: flat(each.figures) for each in measured}


def write_report(measured: Sequence[Measured], folder: Path) -> list[Path]:
    """Write the figures as JSON and as Markdown tables; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {each.name: {"embedder": each.embedder, **rounded(each.figures)} for each in measured}
    texts = {
        "figures.json": json.dumps(figures, indent=1, ensure_ascii=False) + "\n",
        "figures.md": _markdown(measured),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in texts]


def _golds(eval_set: EvalSet) -> list[frozenset[int]]:
    return [question.gold for question in eval_set.questions]


def _markdown(measured: Sequence[Measured]) -> str:
    parts = ["# Quality\n"]
    for each in measured:
        parts.append(f"## {each.name}, {each.embedder}\n")
        parts += [f"{mode}\n\n{table(figures)}\n" for mode, figures in each.figures.items()]
    return "\n".join(parts)
