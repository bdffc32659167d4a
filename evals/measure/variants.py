"""Measure the second pass: what a question's variants find beyond the question, and the crawls they avoid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from statistics import fmean

from evals.knowledge.stored import Knowledge
from evals.measure.metrics import contains, recall_at
from evals.sets.beir import EvalQuestion
from pipeline.ask import LookupResult

#: a question is missed when not every gold document is among the first so many
_MISSED_AT = 5
_CUTS = (5, 10)


@dataclass(frozen=True, kw_only=True)
class _Passes:
    """Both passes over a question."""

    question: EvalQuestion
    gold: frozenset[int]
    first: list[int]
    second: list[int]
    avoids: bool | None  #: whether the second pass suffices where the first did not; None where the first did
    rightly: bool  #: whether the second pass's answer contains a gold one

    @property
    def missed(self) -> bool:
        return recall_at(_MISSED_AT, self.first, self.gold) < 1


def measure_variants(knowledge: Knowledge, questions: Sequence[EvalQuestion]) -> dict[str, float | None]:
    """Return the figures of both passes, each over every question; the hits are those that the pass hands on.

    questions: how many are answerable and have a gold document; recall@k, recall@k_second: of these, by the first and
    by the second pass; missed: how many the first pass missed, and missed_recall@k(_second): of the missed.
    insufficient: share of all questions whose first pass does not suffice; avoided: share of these whose second pass
    does; avoided_rightly: share of the avoided whose answer contains a gold one.
    """
    passes = [_run_both(knowledge, question) for question in questions]
    ranked = [each for each in passes if each.question.answerable and each.gold]
    missed = [each for each in ranked if each.missed]
    insufficient = [each for each in passes if each.avoids is not None]
    avoided = [each for each in insufficient if each.avoids]
    return {
        "questions": len(ranked),
        **_recalls(ranked, ""),
        "missed": len(missed),
        **_recalls(missed, "missed_"),
        "insufficient": _share(len(insufficient), passes),
        "avoided": _share(len(avoided), insufficient),
        "avoided_rightly": _share(sum(each.rightly for each in avoided), avoided),
    }


def _run_both(knowledge: Knowledge, question: EvalQuestion) -> _Passes:
    first, second = knowledge.first_pass(question.text), knowledge.second_pass(question.text)
    return _Passes(
        question=question,
        gold=knowledge.gold(question.gold),
        first=knowledge.ranking(first.hits),
        second=knowledge.ranking(second.hits),
        avoids=None if first.verdict.sufficient else second.verdict.sufficient,
        rightly=question.answerable and _contains_gold(second, question),
    )


def _contains_gold(attempt: LookupResult, question: EvalQuestion) -> bool:
    text = " ".join(sentence.text for sentence in attempt.answer.sentences) if attempt.answer else ""
    return any(contains(text, gold) for gold in question.answers)


def _recalls(passes: Sequence[_Passes], prefix: str) -> dict[str, float | None]:
    golds = [each.gold for each in passes]
    rankings = {"": [each.first for each in passes], "_second": [each.second for each in passes]}
    return {
        f"{prefix}recall@{k}{suffix}": fmean(map(recall_at, repeat(k), ranked, golds)) if passes else None
        for k in _CUTS
        for suffix, ranked in rankings.items()
    }


def _share(count: int, of: Sequence[_Passes]) -> float | None:
    return count / len(of) if of else None
