"""The judge weighs the sentence that the composer quotes first, where no hit repeats another."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.answering.compose import compose
from pipeline.enhancements import DEFAULT
from pipeline.judging.evidence import choose_sentences, gather
from pipeline.judging.reading import read_hits
from pipeline.judging.sentences import Span
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader import PassageReader
from pipeline.retrieval.context import select_for_answer
from tests.fakes import passage

TEXTS = (
    "The lamp of the lighthouse is cleaned with vinegar. A soft cloth takes off the salt.",
    "The lamp of the mill is cleaned with warm water:\n\nlamp --clean",
    "To clean the lamp of the castle:\n\nWho has the key of the castle?\n\nThe steward has it.",
    "Seals sleep on the rock. Boats pass it in summer.",
    "The keeper of the lighthouse cleans its lamp every morning. It takes an hour.",
    "Oil burns in the lamps of the harbour. They are wiped with ash.",
    "The Mill and the Castle have the same lamp, but that of the Castle is older.",
    "How is a lamp cleaned?\n\nWith a dry cloth. Water makes it dull.",
)
QUESTIONS = (
    "How is the lamp of the lighthouse cleaned?",
    "How do I clean a lamp?",
    "Why are lamps wiped?",
    "What is the difference between the lamp of the Mill and that of the Castle?",
    "Can I clean a lamp with water?",
)


def hits_of(texts: Sequence[str]) -> list[Hit]:
    return [
        Hit(passage=passage(text, page_id=at, title="Lamps"), score=1 / at, scale="rerank", rank=at)
        for at, text in enumerate(texts, 1)
    ]


def weighed(analysis: Analysis, hits: Sequence[Hit]) -> Span:
    """Return the sentence that the judge weighs."""
    return choose_sentences(gather(analysis, hits).ranked, most=1)[0].span


def assert_quoted_first(analysis: Analysis, hits: Sequence[Hit], *, confidence: float = 0.8) -> None:
    best = weighed(analysis, hits)
    answer = compose(gather(analysis, select_for_answer(analysis, hits, DEFAULT)), confidence=confidence)
    assert answer is not None
    first = answer.citations[0]
    assert first.passage_id == best.passage.id
    assert first.start <= best.start < best.end <= first.end


@given(st.permutations(TEXTS), st.integers(1, len(TEXTS)), st.sampled_from(QUESTIONS), st.sampled_from([0.3, 0.8]))
def test_judge_weighs_the_sentence_that_is_quoted_first(
    texts: Sequence[str], number: int, question: str, confidence: float
) -> None:
    assert_quoted_first(analyse_question(question, "en"), hits_of(texts[:number]), confidence=confidence)


@pytest.mark.parametrize("question", QUESTIONS)
def test_judge_weighs_the_sentence_that_is_quoted_first_where_hits_were_read(question: str) -> None:
    analysis = analyse_question(question, "en")
    assert_quoted_first(analysis, read_hits(PassageReader(), analysis, hits_of(TEXTS)))
