"""Use a provider's models: the small one for variants and verdicts, the large one for answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain import Answer, Citation, Cost, Variant, Verdict
from domain.answer import Finding
from domain.question import Turn
from pipeline.answering.refusal import declines
from pipeline.answering.schema import Leaf, Rows
from pipeline.llm import BadReply, Brief, Given, ModelAnswer, ModelRefused, OnAnswer, Priced
from pipeline.models import prompts
from pipeline.models.answer import AnswerStream, ReplyState, written_from
from pipeline.models.calls import Calls
from pipeline.models.passages import cut_into_blocks
from pipeline.models.provider import Prompt
from pipeline.models.replies import read_check, read_form, read_rewritten, read_variants, read_verdict
from pipeline.question.variants import MAX_COUNT


@dataclass(kw_only=True, eq=False)
class LanguageModel(Calls):
    """Asks a provider's models; every method raises ``ModelError`` only, and may be called from any thread."""

    small_model: str
    large_model: str

    @property
    def name(self) -> str:
        """The name of the model that composes, as ``Answer.composer`` shows it."""
        return self.large_model

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        """Return up to ``count`` (at most 5) other wordings, in ``lang`` (ISO 639-1) or else the question's language.

        Only the question's first 500 characters are sent.
        """
        wanted = max(1, min(MAX_COUNT, count))
        asked = question[: prompts.MAX_QUESTION_CHARS]
        prompt = Prompt(
            instructions=prompts.VARIANTS,
            notes=(prompts.answer_language(lang),),
            texts=(f"Question: {asked}\n\nGive {wanted} wordings.",),
            schema=prompts.VARIANTS_SCHEMA,
        )
        fields, cost = self.fields(self.small_model, prompt)
        found = read_variants(fields, asked)[:wanted]
        if not found:
            raise BadReply(f"{self.small_model} gave no usable wording of the question.", cost=cost)
        return Priced(value=found, cost=cost)

    def rewrite(self, question: str, turns: Sequence[Turn], *, lang: str) -> Priced[str]:
        """Return ``question`` completed from ``turns``, so that it stands alone; itself where it does already.

        Raises BadReply for a name or number that neither it nor its thread has.
        """
        fields, cost = self.fields(self.small_model, prompts.rewrite_prompt(question, turns, lang=lang))
        rewritten = read_rewritten(fields, question, turns)
        if rewritten is None:
            raise BadReply(f"{self.small_model} gave no question that can be asked instead.", cost=cost)
        return Priced(value=rewritten, cost=cost)

    def verdict(self, brief: Brief) -> Priced[Verdict]:
        """Judge whether the sections answer the question; without any no call is made."""
        passages = cut_into_blocks(brief.sections)
        if not passages:
            reason = "There are no passages to answer from."
            nothing = Verdict(sufficient=False, confidence=0.0, reason=reason, judge=self.small_model)
            return Priced(value=nothing, cost=Cost())
        prompt = Prompt(
            instructions=prompts.VERDICT,
            passages=passages,
            texts=prompts.asked_texts(replace(brief, examples="", asked_for="")),
            schema=prompts.VERDICT_SCHEMA,
        )
        fields, cost = self.fields(self.small_model, prompt)
        try:
            return Priced(value=read_verdict(fields, judge=self.small_model), cost=cost)
        except (KeyError, TypeError, ValueError) as error:
            raise BadReply(f"{self.small_model} gave no verdict in the form asked for.", cost=cost) from error

    def write(self, brief: Brief, on_answer: OnAnswer | None = None) -> ModelAnswer:
        """Write the answer from the sections of ``brief``, or say that they have none; without any no call is made.

        ``on_answer`` receives what is written so far, whenever a sentence is complete. The cost is in the answer.
        """
        model, passages = self.large_model, cut_into_blocks(brief.sections)
        if not passages:
            return written_from((), passages, brief, composer=model, cost=Cost())
        stream = AnswerStream(on_answer, passages, brief, composer=model) if on_answer else None
        reply, cost = self.ask(model, prompts.answer_prompt(brief, passages), on_text=stream)
        cut_off = reply.end == "cut off"
        if not reply.text.strip():
            what = "used up max_tokens before it replied" if cut_off else "gave an empty reply"
            raise BadReply(f"{model} {what}: ask again{', with more max_tokens' if cut_off else ''}.", cost=cost)
        if not any(part.citations for part in reply.parts) and declines("".join(part.text for part in reply.parts)):
            raise ModelRefused(f"{model} declines to reply: ask in other words.", cost=cost)
        state: ReplyState = "cut off" if cut_off else "complete"
        return written_from(reply.parts, passages, brief, composer=model, cost=cost, state=state)

    def check(self, question: str, answer: Answer, *, lang: str) -> Priced[tuple[Finding, ...]]:
        """Return the sentences of an answer in ``lang`` that their quotes do not support, in one call.

        Without any sentence that cites something no call is made.
        """
        prompt = prompts.check_prompt(question, answer, lang=lang)
        if prompt is None:
            return Priced(value=(), cost=Cost())
        fields, cost = self.fields(self.small_model, prompt)
        return Priced(value=read_check(fields, answer), cost=cost)

    def fill(self, question: str, form: Sequence[Leaf | Rows], quotes: Sequence[Citation]) -> Priced[tuple[Given, ...]]:
        """Return the values that the quotes give for the fields of a form."""
        given, cost = self.fields(self.small_model, prompts.form_prompt(question, form, quotes))
        try:
            return Priced(value=read_form(given, quotes), cost=cost)
        except ValueError as error:
            raise BadReply(f"{self.small_model} gave no values in the form asked for.", cost=cost) from error
