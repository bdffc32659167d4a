from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reader.reader import REMEMBERED, Reader
from pipeline.reader.reading import PassageReading
from text.encoder.runtime import States

QUESTION = "Who built the mill?"
TEXT = "The mill stands by the river. Crane built it in 1840. It burnt down later."
SENTENCES = [(0, 29), (30, 53), (54, 74)]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def test_the_sentence_that_answers_is_nearest_to_the_question(reader: Reader) -> None:
    [reading] = reader.read(QUESTION, [("The mill", TEXT)])
    cosines = reading.sentence_scores(SENTENCES)
    assert max(cosines) == cosines[1]
    assert all(-1 <= cosine <= 1 for cosine in cosines)


def test_the_passage_that_answers_is_nearest_to_the_question(reader: Reader) -> None:
    right, wrong = reader.read(QUESTION, [("The mill", TEXT), ("Ferries", "The ferry leaves at nine.")])
    assert right.similarity > wrong.similarity


def test_a_passage_is_read_once_for_several_questions(reader: Reader) -> None:
    [first] = reader.read(QUESTION, [("The mill", TEXT)])
    [second] = reader.read("When did it burn?", [("The mill", TEXT)])
    assert first.states is second.states


def test_the_memory_is_bounded() -> None:
    reader = Reader()
    [first] = reader.read(QUESTION, [("", TEXT)])
    reader.read(QUESTION, [("", str(number)) for number in range(REMEMBERED)])
    [again] = reader.read(QUESTION, [("", TEXT)])
    assert again.states is not first.states
    assert np.array_equal(again.states.vectors, first.states.vectors)


@given(text=st.text(max_size=200), title=st.text(max_size=30))
def test_any_text_can_be_read(text: str, title: str) -> None:
    [reading] = SHARED.read(QUESTION, [(title, text)])
    assert np.isfinite([reading.similarity, *reading.sentence_scores([(0, len(text)), (0, 0)])]).all()


SHARED = Reader()


def test_a_token_counts_in_each_span_that_holds_a_part_of_it() -> None:
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    states = States(spans=[(0, 4), (5, 9)], vectors=vectors)
    reading = PassageReading(question=np.array([1, 0], dtype=np.float32), states=states)
    assert reading.sentence_scores([(0, 4), (5, 9), (3, 6), (4, 5)]) == pytest.approx([1, 0, 0.5**0.5, 0])
