"""Answers: whether they hold what is right, whether they are withheld where nothing is, whether their quotes stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from domain import Answer
from evals.knowledge.stored import Knowledge, Served
from evals.measure.metrics import contains, exact, f1
from evals.sets.beir import EvalQuestion

Asked = tuple[EvalQuestion, Served]


def measure_answers(
    knowledge: Knowledge, questions: Sequence[EvalQuestion], *, tick: Callable[[], None] = lambda: None
) -> dict[str, float | None]:
    """Return the figures of what is served: the first look, or where it does not suffice the second.

    The answer is compared with the gold whether or not the verdict suffices: it is at least given as provisional.
    A figure without any case is None.
    """
    asked: list[Asked] = []
    for question in questions:
        asked.append((question, knowledge.serve(question.text)))
        tick()
    answerable = [each for each in asked if each[0].answerable and each[0].answers]
    answers = [served.attempt.answer for _, served in asked if served.attempt.answer is not None]
    citations = sum(served.citations for _, served in asked)
    return {
        "contains_gold": _best(answerable, contains, _whole),
        "contains_gold_1": _best(answerable, contains, _first_sentence),
        "exact": _best(answerable, exact, _span),
        "f1": _best(answerable, f1, _span),
        "abstained_answerable": _abstained(served for question, served in asked if question.answerable),
        "abstained_unanswerable": _abstained(served for question, served in asked if not question.answerable),
        "citation_valid": sum(served.standing for _, served in asked) / citations if citations else None,
        "sentences": _mean([len(answer.sentences) for answer in answers]),
    }


def _best(asked: Sequence[Asked], compare: Callable[[str, str], float], part: Callable[[Answer], str]) -> float | None:
    """Return the mean over the questions of the best comparison of that part of the answer with a gold one."""
    texts = [(question, part(served.attempt.answer) if served.attempt.answer else "") for question, served in asked]
    return _mean([max(float(compare(text, gold)) for gold in question.answers) for question, text in texts])


def _whole(answer: Answer) -> str:
    """Return the sentences without their [n] markers."""
    return " ".join(sentence.text for sentence in answer.sentences)


def _first_sentence(answer: Answer) -> str:
    return answer.sentences[0].text if answer.sentences else ""


def _span(answer: Answer) -> str:
    """Return the part of an answer that says just what was asked for; where none is named, its first sentence."""
    focus = answer.sentences[0].focus if answer.sentences else None
    return answer.sentences[0].text[focus.start : focus.end] if focus else _first_sentence(answer)


def _abstained(served: Iterable[Served]) -> float | None:
    return _mean([float(not each.attempt.verdict.sufficient) for each in served])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
