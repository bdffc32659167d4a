"""The four kinds of measurement, how a set is measured, and how all sets of a folder are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from domain.errors import WellreadError
from evals.knowledge.ablations import ABLATIONS
from evals.knowledge.stored import Knowledge, open_knowledge
from evals.measure.answers import measure_answers
from evals.measure.judge import measure_judge
from evals.measure.retrieval import measure_retrieval
from evals.measure.variants import measure_variants
from evals.sets.beir import EvalQuestion, EvalSet, SetError, read_set
from store.embedders import Embedder

_SEED = 20

#: {figure: number} or {part: {figure: number}}; None where there was no case to measure
Figures = Mapping[str, Any]


class NothingToMeasure(WellreadError):
    """The set has no question of the kind that is measured."""


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A kind of measurement."""

    summary: str  #: what its figures say, for ``--help``
    measure: Callable[[Knowledge, Sequence[EvalQuestion]], Figures]
    asks: Callable[[EvalQuestion], bool] = lambda question: True  #: whether it measures with this question
    first_passes: Callable[[Sequence[EvalQuestion]], int] = len  #: how many first passes it takes at these questions


MODES: dict[str, Mode] = {
    "retrieval": Mode(
        summary="How high the documents that answer rank: in each leg, fused, reranked, and among the final hits.",
        measure=measure_retrieval,
        asks=lambda question: question.answerable and bool(question.gold),
    ),
    "judge": Mode(
        summary="How well the confidence separates what the knowledge base answers from what it does not.",
        measure=measure_judge,
        asks=lambda question: bool(question.gold) or not question.answerable,
        first_passes=lambda questions: len(questions) + sum(question.answerable for question in questions),
    ),
    "answers": Mode(
        summary="How often answers are right, are withheld where there is none, and quote their page word for word.",
        measure=measure_answers,
    ),
    "variants": Mode(
        summary="What the second pass finds without variants and with 3, the crawls it avoids, and its time.",
        measure=measure_variants,
    ),
}


def select_questions(mode: str, questions: Sequence[EvalQuestion], limit: int | None) -> list[EvalQuestion]:
    """Return the questions a mode asks, in the set's order; a sample of ``limit`` of them, the same each time."""
    selected = [question for question in questions if MODES[mode].asks(question)]
    if limit is not None and limit < len(selected):
        places = random.Random(_SEED).sample(range(len(selected)), limit)  # noqa: S311 - a sample, not a secret
        selected = [selected[place] for place in sorted(places)]
    if not selected:
        raise NothingToMeasure(f"The set has no question that `{mode}` can ask.")
    return selected


def measure(
    modes: Sequence[str],
    eval_set: EvalSet,
    embedder: Embedder,
    *,
    cache: Path | None,
    limit: int | None = None,
    ablate: Sequence[str] = (),
    on_first_pass: Callable[[], None] = lambda: None,
) -> dict[str, Figures]:
    """Store the corpus and return each mode's figures on it; ``on_first_pass`` is called after each first pass."""
    questions = {mode: select_questions(mode, eval_set.questions, limit) for mode in modes}
    ablations = [ABLATIONS[name] for name in ablate]
    with open_knowledge(
        eval_set.passages, embedder, cache=cache, ablations=ablations, on_first_pass=on_first_pass
    ) as knowledge:
        return {mode: MODES[mode].measure(knowledge, questions[mode]) for mode in modes}


@dataclass(frozen=True, kw_only=True)
class Run:
    """A set and the modes to measure it in."""

    set: EvalSet
    modes: tuple[str, ...] = tuple(MODES)


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


def _golds(eval_set: EvalSet) -> list[frozenset[int]]:
    return [question.gold for question in eval_set.questions]
