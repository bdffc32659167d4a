"""Measure answers: correct where there is one, withheld where there is none, quoted word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from domain import Answer, Sentence
from evals.knowledge.stored import Knowledge, Served
from evals.measure.metrics import contains, exact, f1
from evals.sets.beir import EvalQuestion

AnsweredQuestion = tuple[EvalQuestion, Served]


def measure_answers(knowledge: Knowledge, questions: Sequence[EvalQuestion]) -> dict[str, float | None]:
    """Return the figures of the served answer: the first pass's, or where that does not suffice the second's.

    The answer is compared with the gold whether or not the verdict suffices: it is at least given as provisional.
    A figure without any case is None.
    """
    served = [(question, knowledge.serve(question.text)) for question in questions]
    answerable = [pair for pair in served if pair[0].answerable and pair[0].answers]
    answers = [result.attempt.answer for _, result in served if result.attempt.answer is not None]
    citations = sum(result.citations for _, result in served)
    short = [pair for pair in answerable if _has_short(pair[1].attempt.answer)]
    return {
        "contains_gold": _best(answerable, contains, _whole),
        "contains_gold_1": _best(answerable, contains, _first_sentence),
        "exact": _best(answerable, exact, _span),
        "f1": _best(answerable, f1, _span),
        "short": len(short) / len(answerable) if answerable else None,
        "short_f1": _best(short, f1, _span),
        "abstained_answerable": _abstained(result for question, result in served if question.answerable),
        "abstained_unanswerable": _abstained(result for question, result in served if not question.answerable),
        "citation_valid": sum(result.valid_citations for _, result in served) / citations if citations else None,
        "sentences": _mean([len(answer.sentences) for answer in answers]),
    }


def _best(
    served: Sequence[AnsweredQuestion], compare: Callable[[str, str], float], part: Callable[[Answer], str]
) -> float | None:
    """Return the mean over the questions of the best match between a part of the answer and a gold answer."""
    texts = [(question, part(result.attempt.answer) if result.attempt.answer else "") for question, result in served]
    return _mean([max(float(compare(text, gold)) for gold in question.answers) for question, text in texts])


def _whole(answer: Answer) -> str:
    """Return the sentences without their [n] markers."""
    return " ".join(sentence.text for sentence in answer.sentences)


def of_first_quote(sentences: Sequence[Sentence]) -> str:
    """Return what an answer says first: a sentence, with the code of the same quote."""
    return "\n".join(each.text for each in sentences if each.markers == sentences[0].markers)


def _first_sentence(answer: Answer) -> str:
    return of_first_quote(answer.sentences)


def _span(answer: Answer) -> str:
    """Return the words that say just what was asked; where none are marked, the first sentence."""
    focus = answer.sentences[0].focus if answer.sentences else None
    return answer.sentences[0].text[focus.start : focus.end] if focus else _first_sentence(answer)


def _has_short(answer: Answer | None) -> bool:
    return answer is not None and bool(answer.sentences) and answer.sentences[0].focus is not None


def _abstained(served: Iterable[Served]) -> float | None:
    return _mean([float(not each.attempt.verdict.sufficient) for each in served])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
