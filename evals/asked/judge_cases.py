"""Cases for the judge from the sets of asked questions: was what the first pass would show right?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from api.operations.bench import plain
from domain import Hit
from evals.asked.grade import is_right
from evals.asked.questions import SHIPPED, Question, QuestionSet, page_of, read_question_set
from evals.asked.quick import addresses_of, first_passes
from evals.knowledge.judge_cases import Case, Condition
from pipeline.ask import LookupResult
from store.embedders import Embedder


def cases_of_asked(name: str, embedder: Embedder, cache: Path) -> Iterator[Case]:
    """Yield each question of a set as it was asked, unread, and again without the hits of the pages that answer it."""
    of = read_question_set(SHIPPED / name)
    for question, result in zip(of.questions, first_passes(of, embedder, cache=cache), strict=True):
        yield from to_cases(of, question, result)


def to_cases(of: QuestionSet, question: Question, result: LookupResult) -> Iterator[Case]:
    """Yield the cases of one question."""
    text = plain(result.answer.text) if result.answer else ""
    right = bool(question.gold) and is_right(question.gold, text)
    without = tuple(hit for hit in result.hits if not of.is_gold(page_of(hit.passage.url, addresses_of(of)), question))
    yield _case(of, question, result, result.hits, "shown-right" if right else "shown-wrong")
    if right and without:
        yield _case(of, question, result, without, "passage-out")


def _case(
    of: QuestionSet, question: Question, result: LookupResult, hits: tuple[Hit, ...], condition: Condition
) -> Case:
    return Case(
        set=of.name,
        lang=result.analysis.lang,
        condition=condition,
        fitted=True,
        analysis=result.analysis,
        answers=question.gold,
        hits=hits,
    )
