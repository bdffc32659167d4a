"""Ask the language model where there is one, and do without it where it fails, saying so.

A model is not asked what its reply could not change: no verdict on hits that the judge rules out, no answer from hits
that do not suffice. What it wrote is not an answer when it reads as a refusal or an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from domain import Answer, Cost, Hit, Variant, VariantKey, Verdict
from pipeline.answering.compose import PASSAGES, compose
from pipeline.answering.contradictions import disagreeing
from pipeline.answering.refusal import is_answer, is_error
from pipeline.answering.show_contradictions import dispute_of, show_disputes
from pipeline.judging.judge import Judge
from pipeline.llm import Model, ModelError, Tell
from pipeline.question.analysis import Analysis
from pipeline.question.variant_choice import DOCUMENTED, Tallies, choose_variants, turns
from pipeline.question.variants import make_variants
from pipeline.question.yes_no import add_yes_no, said_first
from text.analyser import fold

Value = TypeVar("Value")

#: below this the judge is sure enough that a model's verdict would be money for nothing
RULED_OUT = 0.02
#: what a model is told where pages contradict each other; which pages, it sees itself
DISPUTED = (
    "Search results give different values for what is asked: give each, with its citation and its date where that is "
    "known, the newest first."
)


@dataclass(frozen=True, kw_only=True)
class Made(Generic[Value]):
    """What was made, what it cost, and what the reader must know of how."""

    value: Value
    cost: Cost = field(default_factory=Cost)
    notice: str = ""


class VariantMemory(Protocol):
    """Remembers variants that were paid for, and which kinds helped which type of question."""

    def recall(self, key: VariantKey) -> tuple[Variant, ...]:
        """Return the variants kept under ``key``; none when there are none."""

    def keep(self, key: VariantKey, variants: Sequence[Variant]) -> None:
        """Keep variants for the next time."""

    def tallies(self, question_type: str) -> Tallies:
        """Return how often each kind was tried for this type of question, and how often it helped."""


def vary(
    analysis: Analysis,
    *,
    model: Model | None,
    count: int,
    memory: VariantMemory | None = None,
    learned: VariantMemory | None = None,
    seed: str = "",
) -> Made[tuple[Variant, ...]]:
    """Return variants of the question: those in ``memory``, else the model's, else those of the rules.

    With ``learned`` the kinds that helped come first. What the rules make costs nothing and is not kept.
    """
    order = turns(learned.tallies(analysis.question_type), seed=seed) if learned is not None else DOCUMENTED
    if model is None:
        return Made(value=make_variants(analysis, count, order))
    key = VariantKey(question=" ".join(fold(analysis.text).split()), lang=analysis.lang, maker=model.name, count=count)
    if memory is not None and (known := memory.recall(key)):
        return Made(value=choose_variants(known, count, order))
    try:
        priced = model.variants(analysis.text, count=count, lang=analysis.lang)
    except ModelError as error:
        return Made(value=make_variants(analysis, count, order), cost=error.cost, notice=_notice("variants", error))
    if memory is not None:
        memory.keep(key, priced.value)
    return Made(value=choose_variants(priced.value, count, order), cost=priced.cost)


def judge_hits(
    analysis: Analysis, hits: Sequence[Hit], *, model: Model | None, judge: Judge, threshold: float
) -> Made[Verdict]:
    """Return the model's verdict, else the local judge's."""
    local = judge(analysis, hits, threshold)
    if model is None or local.confidence < RULED_OUT:
        return Made(value=local)
    try:
        priced = model.verdict(analysis.text, hits)
    except ModelError as error:
        return Made(value=local, cost=error.cost, notice=_notice("verdict", error))
    # what the local judge weighed is kept with the model's verdict: whoever learns from it needs both
    return Made(value=replace(priced.value, embedder=local.embedder, evidence=local.evidence), cost=priced.cost)


def write_answer(
    analysis: Analysis,
    hits: Sequence[Hit],
    verdict: Verdict,
    *,
    model: Model | None,
    notes: Sequence[str] = (),
    examples: str = "",
    several: bool = True,
    tell: Tell | None = None,
) -> Made[tuple[Answer | None, Verdict]]:
    """Return the answer, and the verdict as it stands after reading that answer; None when there is none to give.

    Hits that do not suffice still give an extractive answer: the provisional one. ``notes`` and ``examples`` are for
    the model; ``several`` is for the extractive answer, which is then joined from several pages where that is needed.
    ``tell`` hears what the model has written so far, as far as that is an answer.
    """
    written = Made[Answer | None](value=None)
    if model is not None and verdict.sufficient:
        written = _written_by(model, analysis, hits, verdict, notes, examples, tell)
        if written.value is not None and is_answer(written.value.text):
            return Made(value=(written.value, verdict), cost=written.cost)
        if written.value is not None:
            verdict = _withdrawn(verdict)
    quoted = compose(analysis, hits, confidence=verdict.confidence, several=several)
    if quoted is None or is_error(quoted.text):
        return Made(value=(None, _withdrawn(verdict)), cost=written.cost, notice=written.notice)
    return Made(value=(quoted, verdict), cost=written.cost, notice=written.notice)


def _written_by(
    model: Model,
    analysis: Analysis,
    hits: Sequence[Hit],
    verdict: Verdict,
    notes: Sequence[str],
    examples: str,
    tell: Tell | None,
) -> Made[Answer | None]:
    disputes = (*dispute_of(disagreeing(analysis, hits, closely=PASSAGES)), *verdict.disputes)
    notes = (*notes, DISPUTED) if disputes else notes
    try:
        answer = model.compose(
            analysis.text, hits, lang=analysis.lang, notes=notes, examples=examples, tell=_of_answers(tell)
        )
    except ModelError as error:
        return Made(value=None, cost=error.cost, notice=_notice("answer", error))
    # the model says how sure it writes; the judge says how likely the hits hold the answer at all
    answer = replace(answer, confidence=min(answer.confidence, verdict.confidence))
    answer = show_disputes(answer, disputes, hits)
    settled = said_first(answer.sentences[0].text) if answer.sentences else ""
    return Made(value=add_yes_no(analysis, answer, settled, hits), cost=answer.cost)


def _of_answers(tell: Tell | None) -> Tell | None:
    """Tell of what is an answer only; what reads as a refusal is not shown to be withdrawn later."""
    if tell is None:
        return None
    return lambda answer: tell(answer) if is_answer(answer.text) else None


def _withdrawn(verdict: Verdict) -> Verdict:
    if not verdict.sufficient:
        return verdict
    reason = "What could be composed from the hits reads as a refusal or an error, not as an answer."
    return replace(verdict, sufficient=False, reason=reason)


def _notice(what: str, error: ModelError) -> str:
    return f"The language model gave no {what} ({error}); it was made locally instead."
