"""The short answer of a sentence that contrasts two values is the one that the question asks for, or there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Focus, Hit, Passage
from pipeline.answering.compose import compose
from pipeline.answering.focus.contrasts import settle_contrast
from pipeline.question.analysis import analyse_question
from pipeline.reader.reader import Reader
from tests.pipeline.answering.contrasts import CABINS, FEE, HELD_BACK, OPENING, PATHS, WRITTEN_WITH
from tests.tables import each_row


@each_row(("lang", "question", "sentence", "found", "shown"), WRITTEN_WITH + HELD_BACK)
def test_value_is_the_one_asked_for(lang: str, question: str, sentence: str, found: str, shown: str | None) -> None:
    start = sentence.index(found)
    focus = Focus(start=start, end=start + len(found), confidence=0.9)
    settled = settle_contrast(analyse_question(question, lang), sentence, focus)
    assert (sentence[settled.start : settled.end] if settled else None) == shown


def test_another_sentence_of_the_quote_is_no_contrast() -> None:
    quote = "Adults pay 9 euros. Children pay 4 euros."
    focus = Focus(start=11, end=18, confidence=0.9)
    assert settle_contrast(analyse_question("What do children pay?"), quote, focus) == focus


def test_value_that_takes_the_place_of_the_one_found_is_less_sure() -> None:
    focus = Focus(start=18, end=27, confidence=0.99)
    settled = settle_contrast(analyse_question("What is the yearly fee for children?"), FEE, focus)
    assert settled is not None
    assert settled.confidence < focus.confidence


@settings(deadline=None)  # the first call loads the tables
@given(st.text(max_size=120), st.integers(0, 120), st.integers(1, 30))
def test_settled_words_lie_in_the_sentence(sentence: str, start: int, length: int) -> None:
    focus = Focus(start=min(start, len(sentence)), end=min(start + length, len(sentence)), confidence=0.5)
    settled = settle_contrast(analyse_question("When does it open on Sundays?"), sentence, focus)
    assert settled is None or 0 <= settled.start <= settled.end <= len(sentence)


@pytest.mark.parametrize(
    ("question", "text", "shown"),
    [
        ("What is the yearly fee for children?", FEE, "90 euros"),
        ("How many people fit in the large cabin?", CABINS, "12"),
        ("When does it open on Sundays?", OPENING, "10:00 on Sundays"),
    ],
)
def test_composed_answer_shows_the_value_asked_for(question: str, text: str, shown: str) -> None:
    answer = compose(analyse_question(question), [_read(question, text)], confidence=0.9)
    assert answer is not None
    [first, *_] = answer.sentences
    assert first.focus is not None
    assert first.text[first.focus.start : first.focus.end] == shown


def test_where_the_reader_sees_no_short_answer_none_is_found_by_its_form() -> None:
    question = "Where does Skiff read its configuration file on Windows?"
    hit = _read(question, PATHS)
    shown = [compose(analyse_question(question), [each], confidence=0.9) for each in (hit, replace(hit, reading=None))]
    assert [answer and answer.sentences[0].focus is not None for answer in shown] == [False, True]


def _read(question: str, text: str) -> Hit:
    [reading] = Reader().read(question, [("Notes", text)])
    passage = Passage(
        id="1-0",
        page_id=1,
        ord=0,
        url="http://notes.example/",
        title="Notes",
        lang="en",
        text=text,
        start=0,
        end=len(text),
        content_hash="",
    )
    return Hit(passage=passage, score=1.0, scale="similarity", rank=1, similarity=0.6, reading=reading)
