"""Ask a language model: for other wordings of a question, and for its answer, which is checked against its quotes.

Whoever calls this waits for the model. A model that fails raises ``ModelError``: the question goes on without it.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from domain import Answer, Citation, Cost, Page, Variant, VariantKey, VariantKind
from domain.answer import Finding
from pipeline.answering.check import mend, unchecked, uncited
from pipeline.answering.quotes import verbatim
from pipeline.answering.sections import count_tokens
from pipeline.draft import AnswerBasis
from pipeline.llm import BadReply, Brief, ModelError, OnAnswer, Priced
from pipeline.models.model import LanguageModel
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import VariantMemory, choose_variants
from pipeline.question.yes_no import with_yes_no
from text.terms import fold

#: below this confidence the hits surely hold no answer, and no model is asked
RULED_OUT: Final = 0.02
#: below this confidence the small model writes other wordings, and then says whether there is an answer to write.
#: At .25, 188 questions took 1.32 calls each before an answer was shown
VERDICT_BELOW: Final = 0.2
#: P(right | a model answered) = 1 / (1 + exp(−(a + b · logit(confidence of the local judge)))). Of 78 answers that it
#: was chosen with, 77 were right, and of 77 others all; it stays below that, for models that are less able
_INTERCEPT, _SLOPE = 3.2, 0.35
#: the most characters before and after a quote that the small model reads with it
MAX_CONTEXT: Final = 600
#: what each sentence that the check replaced or marked takes off
_PER_FINDING: Final = 0.85


@dataclass(frozen=True, kw_only=True)
class WritingResult:
    """What came of asking for an answer."""

    answer: Answer | None = None  #: None: what was read does not answer the question, as the model says
    missing: tuple[str, ...] = ()  #: what it lacks, if the small model said so
    findings: tuple[Finding, ...] = ()  #: what the check found, by the sentence as the model wrote it
    calls: tuple[str, ...] = ()  #: what was asked for, in order: verdict, answer, check
    cost: Cost = field(default_factory=Cost)
    error: ModelError | None = None  #: why the check failed, if it did


def write_variants(
    question: str,
    lang: str,
    *,
    model: LanguageModel,
    count: int,
    tokens: int,
    memory: VariantMemory | None = None,
    order: Sequence[VariantKind] = (),
) -> Priced[tuple[Variant, ...]]:
    """Return a model's variants of a question, or those that it made before; one of over ``tokens`` is left out."""
    key = VariantKey(question=" ".join(fold(question).split()), lang=lang, maker=model.name, count=count)
    known = memory.load(key) if memory is not None else ()
    made = Priced(value=known, cost=Cost()) if known else model.variants(question, count=count, lang=lang)
    if memory is not None and not known:
        memory.save(key, made.value)
    short = [variant for variant in made.value if count_tokens(variant.text) <= tokens]
    return Priced(value=choose_variants(short, count, order), cost=made.cost)


def key_of(brief: Brief) -> str:
    """Return a name for what a model would read: asked again with the same, it would say the same."""
    read = "\0".join((brief.question, *(section.text for section in brief.sections)))
    return hashlib.sha256(read.encode()).hexdigest()[:16]


def write_answer(
    brief: Brief,
    reading: AnswerBasis,
    pages: Mapping[int, Page],
    *,
    model: LanguageModel,
    judged: bool = False,
    second_call: bool = True,
    in_quotes: bool = False,
    on_answer: OnAnswer | None = None,
    on_written: Callable[[Answer], None] | None = None,
) -> WritingResult:
    """Have the answer written from the sections of ``brief``, and check each sentence against what it cites.

    ``pages`` are the whole pages, by id. ``judged`` says that the small model has found an answer in them already.
    ``on_answer`` receives what is written so far; ``on_written`` the whole answer, before the small model is asked what
    its quotes say (``second_call``): of 194 true sentences that leaves 189, and of 140 lies none. If that call fails,
    no sentence counts as confirmed. With ``in_quotes`` the answer is what the model's sentences cite, and nothing has
    to be checked.
    """
    calls, cost = ["verdict"] if reading.confidence < VERDICT_BELOW and not judged else [], Cost()
    if calls:
        verdict = model.verdict(brief)
        cost += verdict.cost
        if not verdict.value.sufficient:
            return WritingResult(missing=verdict.value.missing, calls=tuple(calls), cost=cost)
    show = (lambda answer: on_answer(verbatim(answer))) if on_answer and in_quotes else on_answer
    try:
        written = model.write(brief, show)
    except ModelError as failed:  # it also has the cost of the call before it
        failed.cost, failed.was_judged = cost + failed.cost, cost != Cost()
        raise
    calls.append("answer")
    cost += written.answer.cost
    if written.refused:
        return WritingResult(calls=tuple(calls), cost=cost)
    if not written.answer.citations:
        raise BadReply(f"{model.name} cited nothing that it read.", cost=cost)
    answer, error = verbatim(written.answer) if in_quotes else written.answer, None
    second_call = second_call and any(each.origin == "written" and each.markers for each in answer.sentences)
    findings = uncited(answer)
    if second_call:
        if on_written:
            on_written(finished(brief, reading, pages, answer, findings))
        calls.append("check")
        try:
            checked = model.check(brief.question, _in_context(answer, pages), lang=brief.lang)
            cost, findings = cost + checked.cost, (*checked.value, *findings)
        except ModelError as failed:
            cost, findings, error = cost + failed.cost, (*unchecked(answer), *findings), failed
    answer = replace(finished(brief, reading, pages, answer, findings), cost=cost)
    return WritingResult(answer=answer, findings=findings, calls=tuple(calls), cost=cost, error=error)


def finished(
    brief: Brief, reading: AnswerBasis, pages: Mapping[int, Page], answer: Answer, findings: Sequence[Finding]
) -> Answer:
    """Return an answer mended by what was found, with its confidence and its short answer."""
    texts = {page_id: page.text for page_id, page in pages.items()}
    answer = mend(answer, findings, texts, lang=brief.lang)
    confidence = confidence_of(reading.confidence, len(findings))
    lang = analyse_question(brief.question, reading.lang).lang
    return with_yes_no(replace(answer, confidence=round(confidence, 4)), lang)


def confidence_of(local: float, findings: int) -> float:
    """Return the probability that a model's answer is right, from the local judge's confidence and what was found."""
    sure = min(0.999, max(0.001, local))
    logit = _INTERCEPT + _SLOPE * math.log(sure / (1 - sure))
    return _PER_FINDING**findings / (1 + math.exp(-logit))


def _in_context(answer: Answer, pages: Mapping[int, Page]) -> Answer:
    """Return the answer with each quote as its paragraph has it, which may say what the quote is about."""
    citations: list[Citation] = []
    for each in answer.citations:
        text = pages[each.page_id].text if each.page_id in pages else ""
        start = text.rfind("\n\n", max(0, each.start - MAX_CONTEXT), each.start)
        end = text.find("\n\n", each.end, each.end + MAX_CONTEXT)
        around = text[each.start if start < 0 else start : each.end if end < 0 else end]
        citations.append(replace(each, quote=around.strip()) if text else each)
    return replace(answer, citations=tuple(citations))
