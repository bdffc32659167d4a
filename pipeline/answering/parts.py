"""Join the answers to the parts of a question; of a part without a likely answer, say so."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain import Answer, Sentence, Verdict
from domain.answer import EXTRACTIVE
from domain.outcome import outcome_of
from pipeline.answering.citations import with_sentences
from pipeline.answering.write import holds
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from text.quotation import quoted


@dataclass(frozen=True, kw_only=True)
class AnsweredPart:
    """One of the things that a question asks for, with its answer."""

    question: Analysis
    answer: Answer | None
    verdict: Verdict


def join_parts(parts: Sequence[AnsweredPart], *, needs_all: bool) -> tuple[Answer, Verdict] | None:
    """Return one answer to all parts, and the verdict on it; None where no part has a likely answer.

    It is as likely as the least likely part that is given, and suffices if all of them do. With ``needs_all`` it is
    also None where one part has no likely answer: one quote may answer both parts better than each.
    """
    joined = Answer(text="", sentences=(), citations=(), confidence=1.0, composer=EXTRACTIVE)
    given: list[Verdict] = []
    for part in parts:
        if part.answer and outcome_of(part.answer, part.verdict, strict=False) != "unknown":
            joined = _with(joined, part.answer)
            given.append(part.verdict)
        else:
            missing = f"{quoted(part.question.text, part.question.lang)} {say('unknown', part.question.lang)}"
            joined = replace(joined, sentences=(*joined.sentences, Sentence(text=missing, origin="missing")))
    if not given or (needs_all and len(given) < len(parts)):
        return None
    weakest = min((part.verdict for part in parts), key=lambda verdict: verdict.confidence)
    verdict = replace(
        min(given, key=lambda verdict: verdict.confidence),
        sufficient=weakest.sufficient and len(given) == len(parts),
        reason=weakest.reason,
        missing=weakest.missing,
    )
    return with_sentences(joined, joined.sentences, {each.marker for each in joined.citations}), verdict


def _with(joined: Answer, answer: Answer) -> Answer:
    """Return an answer with what another one says beyond it; no few words of one part are the answer to both."""
    count = len(joined.citations)
    held = {each.marker for each in answer.citations if any(holds(own, each) for own in joined.citations)}
    sentences = tuple(
        replace(each, focus=None, markers=tuple(marker + count for marker in each.markers))
        for each in answer.sentences
        if not held.issuperset(each.markers)
    )
    return replace(
        joined,
        sentences=(*joined.sentences, *sentences),
        citations=(*joined.citations, *(replace(each, marker=each.marker + count) for each in answer.citations)),
        confidence=min(joined.confidence, answer.confidence),
    )
