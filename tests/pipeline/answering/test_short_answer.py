"""The short answer of a quote is what the reader found in its passage, or there is none."""

from dataclasses import replace

import pytest

from domain import Focus, Hit
from pipeline.answering.compose import may_answer, short_answer
from pipeline.judging.sentences import spans_of
from pipeline.question.analysis import analyse_question
from pipeline.reader import PassageReader
from tests.fakes import passage
from tests.tables import each_row

MILL = "The mill stands by the river. Crane built it in 1840. It burnt down later."
BUILT = "Crane built it in 1840."
_READER = PassageReader()


def marked(question: str, sentence: str, quote: str) -> Focus | None:
    [reading] = _READER.read(question, [("The mill", MILL)]) or []
    hit = Hit(passage=replace(passage(MILL), title="The mill"), score=1.0, scale="rerank", rank=1, reading=reading)
    [best] = [span for span in spans_of(hit.passage, "en") if span.text == sentence]
    return short_answer(analyse_question(question), hit, best, quote=quote)


def test_words_that_the_reader_found_are_marked_where_the_quote_shows_them() -> None:
    found = marked("Who built the mill?", BUILT, f"It is old. {BUILT}")
    assert found is not None
    assert f"It is old. {BUILT}"[found.start : found.end] == "Crane"
    assert 0.5 <= found.confidence <= 1


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who built the mill?", "It burnt down later."),  # the words stand in another sentence
        ("How do I build a mill?", BUILT),  # a way is not said in a few words
        ("How heavy is the bell?", BUILT),  # no words answer
    ],
)
def test_where_the_reader_sees_no_short_answer_none_is_marked(question: str, sentence: str) -> None:
    assert marked(question, sentence, sentence) is None


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
