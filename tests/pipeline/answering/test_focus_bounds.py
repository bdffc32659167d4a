"""A short answer is of the kind asked for."""

from __future__ import annotations

from domain import Focus
from pipeline.answering.focus.bounds import may_answer
from pipeline.question.analysis import analyse_question
from tests.tables import each_row


def _on(sentence: str, words: str) -> Focus:
    start = sentence.index(words)
    return Focus(start=start, end=start + len(words), confidence=0.9)


@each_row(
    ("lang", "question", "sentence", "found"),
    [
        ("en", "When did the mill close?", "The mill in Bath closed.", "Bath"),
        ("en", "When does the mill in Bath open?", "Hollow Mill opens.", "Hollow Mill"),
        ("de", "Wann hat die Mühle sonntags offen?", "Die Mühle in Augsburg hat sonntags offen.", "Augsburg"),
        ("fr", "Quand a ouvert le moulin ?", "Le moulin a ouvert à Lyon.", "Lyon"),
        ("en", "Who built the mill?", "Built in 1840.", "1840"),
        ("en", "Where is the mill?", "The mill, 1840.", "1840"),
        ("en", "How many people work there?", "People work there in Bath.", "Bath"),
        ("en", "How much is a sauna?", "A towel costs £3.", "£3"),  # another thing's price
        ("en", "Who owns Hollow Mill?", "Hollow Mill is large.", "Hollow Mill"),  # the question says it itself
    ],
)
def test_words_of_another_kind_do_not_answer(lang: str, question: str, sentence: str, found: str) -> None:
    assert not may_answer(analyse_question(question, lang), sentence, _on(sentence, found))


@each_row(
    ("lang", "question", "sentence", "found"),
    [
        ("en", "When did the mill close?", "The mill closed during the Famine.", "Famine"),
        ("en", "When did the mill close?", "The mill closed in late autumn.", "late autumn"),
        ("en", "When should I ring?", "Ring in case of fire.", "in case of fire"),  # a condition
        ("de", "Wann hat die Mühle offen?", "Die Mühle hat samstags offen.", "samstags"),
        ("en", "How many people work there?", "Nobody but a few of them works there.", "a few"),
        ("en", "Is it the mill or the farm that has a shop?", "The farm has a shop.", "farm"),
        ("en", "How much does it cost?", "That is £3.", "£3"),
        ("en", "Who built the mill?", "Otto built the mill.", "Otto"),
    ],
)
def test_words_of_the_kind_asked_for_may_answer(lang: str, question: str, sentence: str, found: str) -> None:
    assert may_answer(analyse_question(question, lang), sentence, _on(sentence, found))


def test_value_may_be_of_the_thing_in_the_title() -> None:
    focus = _on("It is 840 m.", "840 m")
    assert not may_answer(analyse_question("How tall is Mount Ern?"), "It is 840 m.", focus)
    assert may_answer(analyse_question("How tall is Mount Ern?"), "It is 840 m.", focus, context={"ern"})
