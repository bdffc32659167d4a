"""What can be measured on a set, and how a set is measured."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from domain.errors import WellreadError
from evals.knowledge.ablations import ABLATIONS
from evals.knowledge.stored import kept
from evals.measure.answers import measure_answers
from evals.measure.judge import measure_judge
from evals.measure.retrieval import measure_retrieval
from evals.measure.variants import measure_variants
from evals.sets.beir import EvalQuestion, EvalSet
from store.embedders import Embedder

_SEED = 20

#: {figure: number} or {part: {figure: number}}; None where there was no case to measure
Figures = Mapping[str, Any]


class NothingToMeasure(WellreadError):
    """The set has no question of the kind that is measured."""


class _Measure(Protocol):
    def __call__(self, knowledge: Any, questions: Sequence[EvalQuestion], *, tick: Callable[[], None]) -> Figures: ...


@dataclass(frozen=True, kw_only=True)
class Mode:
    """Something that is measured."""

    says: str  #: what its figures say
    measure: _Measure
    asks: Callable[[EvalQuestion], bool]  #: whether it is measured with this question
    ticks: Callable[[Sequence[EvalQuestion]], int] = len  #: how often it ticks


def _is_ranked(question: EvalQuestion) -> bool:
    return question.answerable and bool(question.gold)


def _is_judged(question: EvalQuestion) -> bool:
    return bool(question.gold) or not question.answerable


MODES: dict[str, Mode] = {
    "retrieval": Mode(
        says="How high the documents stand that answer, in each leg, fused, reranked, and in what is handed on.",
        measure=measure_retrieval,
        asks=_is_ranked,
    ),
    "judge": Mode(
        says="Whether the confidence tells what is answered here from what is not.",
        measure=measure_judge,
        asks=_is_judged,
        ticks=lambda questions: len(questions) + sum(question.answerable for question in questions),
    ),
    "answers": Mode(
        says="Whether answers hold what is right, are withheld where nothing is, and quote what is written.",
        measure=measure_answers,
        asks=lambda question: True,
    ),
    "variants": Mode(
        says="What the second look finds beyond the first, and the crawls it avoids.",
        measure=measure_variants,
        asks=lambda question: True,
    ),
}


def chosen(mode: str, questions: Sequence[EvalQuestion], limit: int | None) -> list[EvalQuestion]:
    """Return the questions a mode asks, in the set's order; a sample of ``limit`` of them, the same each time."""
    asked = [question for question in questions if MODES[mode].asks(question)]
    if limit is not None and limit < len(asked):
        places = random.Random(_SEED).sample(range(len(asked)), limit)  # noqa: S311 - a sample, not a secret
        asked = [asked[place] for place in sorted(places)]
    if not asked:
        raise NothingToMeasure(f"The set holds no question that `{mode}` could ask.")
    return asked


def has_questions(mode: str, each: EvalSet) -> bool:
    """Return whether the set holds a question that the mode asks."""
    return any(MODES[mode].asks(question) for question in each.questions)


def measure(
    modes: Sequence[str],
    each: EvalSet,
    embedder: Embedder,
    *,
    cache: Path | None,
    limit: int | None = None,
    ablate: Sequence[str] = (),
    tick: Callable[[], None] = lambda: None,
) -> dict[str, Figures]:
    """Keep the set's corpus and give the figures of each mode on it."""
    asked = {mode: chosen(mode, each.questions, limit) for mode in modes}
    ablations = [ABLATIONS[name] for name in ablate]
    with kept(each.passages, embedder, cache=cache, ablations=ablations) as knowledge:
        return {mode: MODES[mode].measure(knowledge, asked[mode], tick=tick) for mode in modes}
