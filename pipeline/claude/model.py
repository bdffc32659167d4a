"""Use Claude as the language model: the small model for variants, verdicts and facts, the large one for answers."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from domain import Answer, Cost, Fact, Hit, Variant, Verdict
from pipeline.claude.answer import NOT_FOUND, AnswerStream, answer_from
from pipeline.claude.calls import Calls
from pipeline.claude.contradictions import read_disputes
from pipeline.claude.passages import PassageBlocks, cut_into_blocks, search_results
from pipeline.claude.prompts import COMPOSE, FACTS, VARIANTS, VERDICT, answer_language, system
from pipeline.claude.schemas import (
    FACTS_SCHEMA,
    VARIANTS_SCHEMA,
    VERDICT_SCHEMA,
    read_facts,
    read_variants,
    read_verdict,
)
from pipeline.llm import BadReply, OnAnswer, Priced
from pipeline.question.variants import MAX_COUNT

if TYPE_CHECKING:
    from pipeline.claude.http import ModelReply
    from pipeline.llm import SpendingBudget

SMALL_MODEL = "claude-haiku-4-5-20251001"
LARGE_MODEL = "claude-sonnet-5-5"
#: the beginning of the question that is sent for variants
MAX_QUESTION_CHARS = 500


class Claude:
    """Asks Claude through ``calls``; questions may be asked in parallel."""

    def __init__(self, calls: Calls, *, small_model: str = SMALL_MODEL, large_model: str = LARGE_MODEL) -> None:
        self._calls = calls
        self._small_model = small_model
        self._large_model = large_model

    def __repr__(self) -> str:
        return f"Claude(small_model={self._small_model!r}, large_model={self._large_model!r})"

    @property
    def name(self) -> str:
        """The name of the model that composes."""
        return self._large_model

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        """Return up to ``count`` (at most 5) other wordings; only the question's first 500 characters are sent."""
        wanted = max(1, min(MAX_COUNT, count))
        asked = question[:MAX_QUESTION_CHARS]
        content = [_text(f"Question: {asked}\n\nGive {wanted} wordings.")]
        notes = (answer_language(lang),)
        fields, cost = self._calls.fields(self._small_model, system(VARIANTS, notes), content, VARIANTS_SCHEMA)
        found = read_variants(fields, asked)[:wanted]
        if not found:
            raise BadReply(f"{self._small_model} gave no usable wording of the question.", cost=cost)
        return Priced(value=found, cost=cost)

    def verdict(self, question: str, hits: Sequence[Hit]) -> Priced[Verdict]:
        """Judge whether ``hits`` answer ``question``; without hits no call is made."""
        passages = cut_into_blocks(hits)
        if not passages:
            reason = "There are no passages to answer from."
            nothing = Verdict(sufficient=False, confidence=0.0, reason=reason, judge=self._small_model)
            return Priced(value=nothing, cost=Cost())
        content = [*search_results(passages, citable=False), _text(f"Question: {question}")]
        fields, cost = self._calls.fields(self._small_model, system(VERDICT), content, VERDICT_SCHEMA)
        try:
            verdict = read_verdict(fields, judge=self._small_model)
        except (KeyError, TypeError, ValueError) as error:
            raise BadReply(f"{self._small_model} gave no verdict in the form asked for.", cost=cost) from error
        return Priced(value=replace(verdict, disputes=read_disputes(fields, passages)), cost=cost)

    def facts(self, hits: Sequence[Hit]) -> Priced[tuple[Fact, ...]]:
        """List the facts of one page's passages; leaves out those the passages do not hold word for word."""
        passages = cut_into_blocks(hits)
        if not passages:
            return Priced(value=(), cost=Cost())
        content = [*search_results(passages, citable=False), _text("List the facts.")]
        fields, cost = self._calls.fields(self._small_model, system(FACTS), content, FACTS_SCHEMA)
        return Priced(value=read_facts(fields, [hit.passage for hit in hits]), cost=cost)

    def compose(
        self,
        question: str,
        hits: Sequence[Hit],
        *,
        lang: str = "",
        notes: Sequence[str] = (),
        examples: str = "",
        on_answer: OnAnswer | None = None,
    ) -> Answer:
        """Write the answer from ``hits``, every sentence with citations (see :func:`answer_from`)."""
        passages = cut_into_blocks(hits)
        if not passages:
            return Answer(
                text="", sentences=(), citations=(), confidence=0.0, composer=self._large_model, notice=NOT_FOUND
            )
        shown = [_text(examples)] if examples else []
        content = [*search_results(passages, citable=True), *shown, _text(f"Question: {question}")]
        notes = (answer_language(lang), *notes)
        model = self._large_model
        stream = (
            AnswerStream(on_answer=on_answer, passages=passages, composer=model, question=question, lang=lang)
            if on_answer
            else None
        )
        reply, cost = self._calls.ask(model, system(COMPOSE, notes), content, on_text=stream)
        return _answer_of(reply, passages, model, cost, question=question, lang=lang)

    def within(self, budget: SpendingBudget) -> Claude:
        """Return a copy over the same connections that pays from ``budget``."""
        bound = copy.copy(self)
        bound._calls = self._calls.within(budget)
        return bound

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        self._calls.close()


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text.encode("utf-8", "replace").decode()}


def _answer_of(
    reply: ModelReply, passages: Sequence[PassageBlocks], model: str, cost: Cost, *, question: str, lang: str
) -> Answer:
    cut_off = reply.stop_reason in {"max_tokens", "model_context_window_exceeded"}
    if not reply.text.strip():
        what = "used up max_tokens before it replied" if cut_off else "gave an empty reply"
        raise BadReply(f"{model} {what}: ask again{', with more max_tokens' if cut_off else ''}.", cost=cost)
    return answer_from(
        reply.parts,
        passages,
        composer=model,
        state="cut off" if cut_off else "complete",
        cost=cost,
        question=question,
        lang=lang,
    )
