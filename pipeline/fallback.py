"""Ask the language model when there is one; when it fails, do the work locally and add a notice.

A model is not asked what its reply could not change: no verdict on hits that the judge rules out, no answer from
insufficient hits. A text of the model that reads as a refusal or an error is not an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from domain import Answer, Cost, Hit, StatedFact, Variant, VariantKey, Verdict
from pipeline.answering.compose import compose
from pipeline.answering.contradictions import (
    Assertion,
    best_sentence,
    contradicting_assertions,
    lead_share,
    passages_of,
)
from pipeline.answering.disputes import add_disputes, to_disputes
from pipeline.answering.refusal import is_answer, is_error
from pipeline.answering.style import USUAL, Style
from pipeline.answering.write import verbatim
from pipeline.judging.judge import Judge
from pipeline.limits import TOKENS_PER_VARIANT
from pipeline.llm import Model, ModelError, OnAnswer
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from pipeline.question.variant_choice import DOCUMENTED, Tallies, choose_variants, kinds_in_turn
from pipeline.question.variants import make_variants
from pipeline.question.yes_no import add_yes_no, leading_yes_no
from pipeline.reader.read_hits import READ_FIRST
from text.analyser import fold

T = TypeVar("T")

#: below this confidence the local judge is surely right, and a model's verdict would be wasted money
RULED_OUT = 0.02
BYTES_PER_TOKEN = 4
#: the note to the model when pages contradict each other; it sees itself which pages
DISPUTED = (
    "Search results give different values for what is asked: give each, with its citation and its date where that is "
    "known, the newest first."
)


@dataclass(frozen=True, kw_only=True)
class Produced(Generic[T]):
    """A value with its cost and a notice to the reader."""

    value: T
    cost: Cost = field(default_factory=Cost)
    notice: str = ""  #: for example, that the model failed


class VariantMemory(Protocol):
    """Stores variants that were paid for, and which kinds helped which type of question."""

    def load(self, key: VariantKey) -> tuple[Variant, ...]:
        """Return the variants saved under ``key``, or none."""

    def save(self, key: VariantKey, variants: Sequence[Variant]) -> None:
        """Save variants for the next time."""

    def tallies(self, question_type: str) -> Tallies:
        """Return how often each kind was tried for this type of question, and how often it helped."""


def generate_variants(
    analysis: Analysis,
    *,
    model: Model | None,
    count: int,
    tokens: int = TOKENS_PER_VARIANT,
    memory: VariantMemory | None = None,
    learned: VariantMemory | None = None,
    seed: str = "",
) -> Produced[tuple[Variant, ...]]:
    """Return variants of the question: those in ``memory``, else the model's, else those of the rules; none for 0.

    With ``learned`` the kinds that helped come first. Variants of the rules cost nothing and are not saved. A model's
    variant of more than ``tokens`` tokens is left out.
    """
    if not count:
        return Produced(value=())
    order = kinds_in_turn(learned.tallies(analysis.question_type), seed=seed) if learned is not None else DOCUMENTED
    if model is None:
        return Produced(value=make_variants(analysis, count, order))
    key = VariantKey(question=" ".join(fold(analysis.text).split()), lang=analysis.lang, maker=model.name, count=count)
    if memory is not None and (known := memory.load(key)):
        return Produced(value=choose_variants(_short(known, tokens), count, order))
    try:
        priced = model.variants(analysis.text, count=count, lang=analysis.lang)
    except ModelError as error:
        return Produced(
            value=make_variants(analysis, count, order),
            cost=error.cost,
            notice=say("no_variants", analysis.lang, error=in_brackets(error)),
        )
    if memory is not None:
        memory.save(key, priced.value)
    return Produced(value=choose_variants(_short(priced.value, tokens), count, order), cost=priced.cost)


def count_tokens(text: str) -> int:
    """Return about how many tokens a model makes of a text: one for four bytes, as its tokenizers do of English."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def in_brackets(error: ModelError) -> str:
    """Return the error's message as it stands in brackets in a notice."""
    return str(error).rstrip(".")


def _short(variants: Sequence[Variant], tokens: int) -> list[Variant]:
    return [variant for variant in variants if count_tokens(variant.text) <= tokens]


def judge_hits(
    analysis: Analysis, hits: Sequence[Hit], *, model: Model | None, judge: Judge, threshold: float
) -> Produced[Verdict]:
    """Return the model's verdict, else the local judge's."""
    local = judge(analysis, hits, threshold)
    if model is None or local.confidence < RULED_OUT:
        return Produced(value=local)
    try:
        priced = model.verdict(analysis.text, hits)
    except ModelError as error:
        return Produced(value=local, cost=error.cost, notice=say("no_verdict", analysis.lang, error=in_brackets(error)))
    verdict = _held_to(threshold, priced.value, analysis.lang)
    # the learning judge needs the local judge's evidence beside the model's verdict
    return Produced(value=replace(verdict, embedder=local.embedder, evidence=local.evidence), cost=priced.cost)


def _held_to(threshold: float, verdict: Verdict, lang: str) -> Verdict:
    """Return a model's verdict by the task's threshold: sufficient only where the model is that sure."""
    if not verdict.sufficient or verdict.confidence >= threshold:
        return verdict
    but = say("below_threshold", lang, confidence=verdict.confidence, threshold=threshold)
    return replace(verdict, sufficient=False, reason=f"{verdict.reason} {but}")


def compose_answer(
    analysis: Analysis,
    hits: Sequence[Hit],
    verdict: Verdict,
    *,
    model: Model | None,
    notes: Sequence[str] = (),
    examples: str = "",
    several: bool = True,
    others: Sequence[Hit] = (),
    own_sites: Sequence[str] = (),
    facts: Sequence[StatedFact] = (),
    on_answer: OnAnswer | None = None,
    style: Style = USUAL,
) -> Produced[tuple[Answer | None, Verdict]]:
    """Return the answer, or None, and the verdict, which is withdrawn when no answer could be composed.

    Insufficient hits still give an extractive answer: the provisional one. ``notes`` and ``examples`` are for the
    model; with ``several`` the extractive answer joins sentences of several pages where the question needs that.
    ``others`` are hits of other sites, which may contradict; ``own_sites`` begin the URLs of the operator's sources.
    ``facts`` are those that the pages' data give for what is asked. ``on_answer`` receives what the model has written
    so far, unless it reads as a refusal.
    """
    written = Produced[Answer | None](value=None)
    if model is not None and verdict.sufficient:
        best = best_sentence(analysis, hits, top=READ_FIRST)
        assertions = (
            contradicting_assertions(analysis, best, hits, others, top=READ_FIRST, own_sites=own_sites) if best else []
        )
        notes = (*notes, *style.notes)
        written = _composed_by(
            model, analysis, [*hits, *others], verdict, assertions, notes, examples, on_answer, style
        )
        if written.value is not None and is_answer(written.value.text):
            answer = verbatim(written.value) if style.verbatim else written.value
            return Produced(value=(answer, verdict), cost=written.cost)
        if written.value is not None:
            verdict = _withdrawn(verdict, analysis.lang)
    quoted = compose(
        analysis,
        hits,
        confidence=verdict.confidence,
        several=several,
        others=others,
        own_sites=own_sites,
        facts=facts,
        style=style,
    )
    if quoted is None or is_error(quoted.text):
        return Produced(value=(None, _withdrawn(verdict, analysis.lang)), cost=written.cost, notice=written.notice)
    return Produced(value=(quoted, verdict), cost=written.cost, notice=written.notice)


def _composed_by(
    model: Model,
    analysis: Analysis,
    hits: Sequence[Hit],
    verdict: Verdict,
    assertions: Sequence[Assertion],
    notes: Sequence[str],
    examples: str,
    on_answer: OnAnswer | None,
    style: Style,
) -> Produced[Answer | None]:
    notes = (*notes, DISPUTED) if assertions or verdict.disputes else notes
    on_answer = _answers_only(on_answer, verbatim if style.verbatim else lambda answer: answer)
    try:
        answer = model.compose(
            analysis.text, hits, lang=style.lang or analysis.lang, notes=notes, examples=examples, on_answer=on_answer
        )
    except ModelError as error:
        return Produced(value=None, cost=error.cost, notice=say("no_answer", analysis.lang, error=in_brackets(error)))
    # the model's confidence is about its text, the judge's about whether the hits hold the answer at all
    answer = replace(answer, confidence=min(answer.confidence, verdict.confidence))
    cited = {citation.passage_id for citation in answer.citations}
    if any(passages_of(assertion) & cited for assertion in assertions):
        answer = replace(answer, confidence=answer.confidence * lead_share(assertions, cited))
    answer = add_disputes(answer, (*to_disputes(assertions, answer), *verdict.disputes), hits)
    yes_no = leading_yes_no(answer.sentences[0].text) if answer.sentences else ""
    return Produced(value=add_yes_no(analysis, answer, yes_no, hits), cost=answer.cost)


def _answers_only(on_answer: OnAnswer | None, shown: Callable[[Answer], Answer]) -> OnAnswer | None:
    """Return the callback without refusals: they would be shown and withdrawn later."""
    if on_answer is None:
        return None
    return lambda answer: on_answer(shown(answer)) if is_answer(answer.text) else None


def _withdrawn(verdict: Verdict, lang: str) -> Verdict:
    return replace(verdict, sufficient=False, reason=say("refusal", lang)) if verdict.sufficient else verdict
