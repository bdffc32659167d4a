"""A short answer is of the kind asked for."""

from __future__ import annotations

from pipeline.answering.focus.short_answer import may_answer
from pipeline.question.analysis import analyse_question
from tests.tables import each_row


@each_row(
    ("lang", "question", "said"),
    [
        ("en", "When did the mill close?", "Bath"),
        ("de", "Wann hat die Mühle sonntags offen?", "Augsburg"),
        ("fr", "Quand a ouvert le moulin ?", "Lyon"),
        ("en", "How many people work there?", "Bath"),
        ("en", "Who owns Hollow Mill?", "Hollow Mill"),  # the question says it itself
    ],
)
def test_words_of_another_kind_do_not_answer(lang: str, question: str, said: str) -> None:
    assert not may_answer(analyse_question(question, lang), said)


@each_row(
    ("lang", "question", "said"),
    [
        ("en", "When did the mill close?", "late autumn"),
        ("de", "Wann hat die Mühle offen?", "samstags"),
        ("en", "Is it the mill or the farm that has a shop?", "farm"),
        ("en", "How much does it cost?", "£3"),
        ("en", "Who built the mill?", "Otto"),
    ],
)
def test_words_of_the_kind_asked_for_may_answer(lang: str, question: str, said: str) -> None:
    assert may_answer(analyse_question(question, lang), said)
