"""Use a provider's models: the small one for variants, verdicts and facts, the large one for answers."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog

from domain import Answer, Citation, Cost, Fact, Hit, Variant, Verdict
from domain.answer import Finding
from domain.question import Turn
from pipeline.answering.length import ROOM
from pipeline.answering.refusal import declines
from pipeline.llm import BadReply, Brief, Given, ModelError, ModelRefused, OnAnswer, Priced, SpendingBudget, Written
from pipeline.models.answer import AnswerStream, written_from
from pipeline.models.calls import Calls
from pipeline.models.check import check_prompt, read_check
from pipeline.models.form import form_prompt, read_form
from pipeline.models.passages import PassageBlocks, cut_into_blocks
from pipeline.models.prompts import (
    ANSWER,
    FACTS,
    OPERATORS,
    REWRITE,
    VARIANTS,
    VERDICT,
    answer_language,
    answer_notes,
    asked_texts,
)
from pipeline.models.provider import BatchApi, BatchedReplies, Json, Prompt
from pipeline.models.schemas import (
    FACTS_SCHEMA,
    REWRITTEN_SCHEMA,
    VARIANTS_SCHEMA,
    VERDICT_SCHEMA,
    read_facts,
    read_rewritten,
    read_variants,
    read_verdict,
)
from pipeline.question.variants import MAX_COUNT

log = structlog.get_logger()

#: the beginning of the question that is sent for variants
MAX_QUESTION_CHARS = 500
#: the end of a thread that is sent to complete a question
MAX_THREAD_CHARS = 4_000


class LanguageModel:
    """Asks a provider's models through ``calls``; questions may be asked in parallel."""

    def __init__(self, calls: Calls, *, small_model: str, large_model: str) -> None:
        self._calls = calls
        self._small_model = small_model
        self._large_model = large_model

    def __repr__(self) -> str:
        return f"LanguageModel(small_model={self._small_model!r}, large_model={self._large_model!r})"

    @property
    def name(self) -> str:
        """The name of the model that composes."""
        return self._large_model

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        """Return up to ``count`` (at most 5) other wordings; only the question's first 500 characters are sent."""
        wanted = max(1, min(MAX_COUNT, count))
        asked = question[:MAX_QUESTION_CHARS]
        prompt = Prompt(
            instructions=VARIANTS,
            notes=(answer_language(lang),),
            texts=(f"Question: {asked}\n\nGive {wanted} wordings.",),
            schema=VARIANTS_SCHEMA,
        )
        fields, cost = self._calls.fields(self._small_model, prompt)
        found = read_variants(fields, asked)[:wanted]
        if not found:
            raise BadReply(f"{self._small_model} gave no usable wording of the question.", cost=cost)
        return Priced(value=found, cost=cost)

    def rewrite(self, question: str, turns: Sequence[Turn], *, lang: str) -> Priced[str]:
        """Complete a question; raises BadReply for a name or number that neither it nor its thread has."""
        said = "\n".join(f"Question: {turn.question}\nAnswer: {turn.answer or '(none)'}" for turn in turns)
        prompt = Prompt(
            instructions=REWRITE,
            notes=(answer_language(lang),),
            texts=(said[-MAX_THREAD_CHARS:], f"The next question: {question}"),
            schema=REWRITTEN_SCHEMA,
        )
        fields, cost = self._calls.fields(self._small_model, prompt)
        rewritten = read_rewritten(fields, question, turns)
        if rewritten is None:
            raise BadReply(f"{self._small_model} gave no question that can be asked instead.", cost=cost)
        return Priced(value=rewritten, cost=cost)

    def verdict(self, brief: Brief) -> Priced[Verdict]:
        """Judge whether the sections answer the question; without any no call is made."""
        passages = cut_into_blocks(brief.sections)
        if not passages:
            reason = "There are no passages to answer from."
            nothing = Verdict(sufficient=False, confidence=0.0, reason=reason, judge=self._small_model)
            return Priced(value=nothing, cost=Cost())
        prompt = Prompt(
            instructions=VERDICT,
            passages=passages,
            texts=asked_texts(replace(brief, examples="", asked_for="")),
            schema=VERDICT_SCHEMA,
        )
        fields, cost = self._calls.fields(self._small_model, prompt)
        try:
            return Priced(value=read_verdict(fields, judge=self._small_model), cost=cost)
        except (KeyError, TypeError, ValueError) as error:
            raise BadReply(f"{self._small_model} gave no verdict in the form asked for.", cost=cost) from error

    def facts(self, hits: Sequence[Hit]) -> Priced[tuple[Fact, ...]]:
        """List the facts of one page's passages; leaves out those the passages do not hold word for word."""
        found = [hit.passage for hit in hits]
        passages = cut_into_blocks(found)
        if not passages:
            return Priced(value=(), cost=Cost())
        prompt = Prompt(instructions=FACTS, passages=passages, texts=("List the facts.",), schema=FACTS_SCHEMA)
        fields, cost = self._calls.fields(self._small_model, prompt)
        return Priced(value=read_facts(fields, found), cost=cost)

    def write(self, brief: Brief, on_answer: OnAnswer | None = None) -> Written:
        """Write the answer from the sections of ``brief``, or say that they have none; without any no call is made.

        ``on_answer`` receives what is written so far, whenever a sentence is complete.
        """
        model, passages = self._large_model, cut_into_blocks(brief.sections)
        if not passages:
            return written_from((), passages, composer=model, cost=Cost(), lang=brief.lang)
        stream = (
            AnswerStream(
                on_answer=on_answer,
                passages=passages,
                composer=model,
                question=brief.question,
                lang=brief.lang,
                length=brief.length,
            )
            if on_answer
            else None
        )
        reply, cost = self._calls.ask(model, _answer_prompt(brief, passages), on_text=stream)
        cut_off = reply.end == "cut off"
        if not reply.text.strip():
            what = "used up max_tokens before it replied" if cut_off else "gave an empty reply"
            raise BadReply(f"{model} {what}: ask again{', with more max_tokens' if cut_off else ''}.", cost=cost)
        if not any(part.citations for part in reply.parts) and declines("".join(part.text for part in reply.parts)):
            raise ModelRefused(f"{model} declines to reply: ask in other words.", cost=cost)
        return written_from(
            reply.parts,
            passages,
            composer=model,
            state="cut off" if cut_off else "complete",
            cost=cost,
            question=brief.question,
            lang=brief.lang,
            length=brief.length,
        )

    def check(self, question: str, answer: Answer, *, lang: str) -> Priced[tuple[Finding, ...]]:
        """Return the sentences that their quotes do not support; without any that cites something no call is made."""
        prompt = check_prompt(question, answer, lang=lang)
        if prompt is None:
            return Priced(value=(), cost=Cost())
        fields, cost = self._calls.fields(self._small_model, prompt)
        return Priced(value=read_check(fields, answer), cost=cost)

    def fill(
        self, question: str, fields: Sequence[Mapping[str, Any]], quotes: Sequence[Citation]
    ) -> Priced[tuple[Given, ...]]:
        """Return the values that the quotes give for the fields of a form."""
        given, cost = self._calls.fields(self._small_model, form_prompt(question, fields, quotes))
        try:
            return Priced(value=read_form(given, quotes), cost=cost)
        except ValueError as error:
            raise BadReply(f"{self._small_model} gave no values in the form asked for.", cost=cost) from error

    def within(self, budget: SpendingBudget, batched: BatchedReplies | None = None) -> "LanguageModel":
        """Return a copy over the same connections that pays from ``budget``; ``batched`` replies need no call."""
        bound = copy.copy(self)
        bound._calls = self._calls.within(budget, batched)
        return bound

    def batch_api(self) -> BatchApi | None:
        """Return what sends batches, if the service takes them."""
        return self._calls.batch_api()

    def cost_of_batched(self, message: Json) -> Cost:
        """Return what a reply of a batch has cost."""
        return self._calls.cost_of_batched(message)

    def warm(self) -> None:
        """Load what calls need and open a connection, without asking anything; a failure is only logged."""
        try:
            self._calls.warm()
        except ModelError as error:
            log.warning("model_not_warm", error=str(error))

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        self._calls.close()


def _answer_prompt(brief: Brief, passages: tuple[PassageBlocks, ...]) -> Prompt:
    """Return the request for an answer from passages in blocks."""
    operators = f"\n\n{OPERATORS}\n{brief.instructions.strip()}" if brief.instructions.strip() else ""
    return Prompt(
        instructions=ANSWER + operators,
        notes=answer_notes(brief),
        passages=passages,
        reply_room=ROOM[brief.length].writes,
        texts=asked_texts(brief),
    )
