"""Measure the second pass without variants and with three: what it finds, the crawls it avoids, its time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from statistics import fmean

from evals.knowledge.stored import Knowledge
from evals.measure.metrics import contains, recall_at
from evals.sets.beir import EvalQuestion
from pipeline.ask import LookupResult

#: how many variants the second pass may make; 0: it asks in the question's own words, for twice as many hits
COUNTS = (0, 3)
#: a question is missed when not every gold document is among the first so many
_MISSED_AT = 5
_CUTS = (5, 10)


@dataclass(frozen=True, kw_only=True)
class _Pass:
    """One pass over a question."""

    question: EvalQuestion
    gold: frozenset[int]
    ranking: list[int]
    sufficient: bool
    queries: int
    rightly: bool  #: whether its answer contains a gold one
    cpu_s: float  #: of the processor: how long it waits depends on what else the machine does

    @property
    def missed(self) -> bool:
        return recall_at(_MISSED_AT, self.ranking, self.gold) < 1


def measure_variants(knowledge: Knowledge, questions: Sequence[EvalQuestion]) -> dict[str, dict[str, float | None]]:
    """Return the figures of the first pass, and of the second without variants and with up to 3, over every question.

    questions: how many are answerable and have a gold document; recall@k: of these, in the hits that the pass hands on;
    lift@5: recall@5 beyond the first pass's; missed_recall@5: of those whose first pass lacks a gold document in its
    first five. insufficient: share of all questions whose first pass does not suffice; avoided: share of these for
    which the second does; avoided_rightly: share of the avoided whose answer contains a gold one. queries: asked, on
    average; cpu_ms: milliseconds of one processor that the pass takes, on average.
    """
    firsts = [_run(knowledge, question, None) for question in questions]
    seconds = {count: [_run(knowledge, question, count) for question in questions] for count in COUNTS}
    open_at = [at for at, first in enumerate(firsts) if not first.sufficient]
    return {
        "first": {**_found(firsts, firsts), "insufficient": _share(len(open_at), len(firsts)), **_spent(firsts)},
        **{
            f"second_{count}": {
                **_found(passes, firsts),
                **_avoided([passes[at] for at in open_at]),
                **_spent(passes),
            }
            for count, passes in seconds.items()
        },
    }


def _run(knowledge: Knowledge, question: EvalQuestion, variants: int | None) -> _Pass:
    """Run the first pass, or the second with up to ``variants``."""
    started = time.process_time()
    found = (
        knowledge.first_pass(question.text)
        if variants is None
        else knowledge.second_pass(question.text, variants=variants)
    )
    cpu_s = time.process_time() - started
    return _Pass(
        question=question,
        gold=knowledge.gold(question.gold),
        ranking=knowledge.ranking(found.hits),
        sufficient=found.verdict.sufficient,
        queries=len(found.queries),
        rightly=question.answerable and _contains_gold(found, question),
        cpu_s=cpu_s,
    )


def _contains_gold(attempt: LookupResult, question: EvalQuestion) -> bool:
    text = " ".join(sentence.text for sentence in attempt.answer.sentences) if attempt.answer else ""
    return any(contains(text, gold) for gold in question.answers)


def _found(passes: Sequence[_Pass], firsts: Sequence[_Pass]) -> dict[str, float | None]:
    both = [(own, first) for own, first in zip(passes, firsts, strict=True) if own.question.answerable and own.gold]
    ranked, missed = [own for own, _ in both], [own for own, first in both if first.missed]
    lift = fmean(_recall(own) - _recall(first) for own, first in both) if both else None
    return {
        "questions": len(ranked),
        **{f"recall@{k}": fmean(map(_recall, ranked, repeat(k))) if ranked else None for k in _CUTS},
        "lift@5": lift,
        "missed_recall@5": fmean(map(_recall, missed)) if missed else None,
    }


def _recall(own: _Pass, k: int = _MISSED_AT) -> float:
    return recall_at(k, own.ranking, own.gold)


def _avoided(passes: Sequence[_Pass]) -> dict[str, float | None]:
    avoided = [own for own in passes if own.sufficient]
    return {
        "avoided": _share(len(avoided), len(passes)),
        "avoided_rightly": _share(sum(own.rightly for own in avoided), len(avoided)),
    }


def _spent(passes: Sequence[_Pass]) -> dict[str, float | None]:
    return {
        "queries": fmean(own.queries for own in passes),
        "cpu_ms": 1_000 * fmean(own.cpu_s for own in passes),
    }


def _share(count: int, of: int) -> float | None:
    return count / of if of else None
