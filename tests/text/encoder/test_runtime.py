"""The encoder reads a passage's words in their context."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from text.encoder.runtime import DIMENSION, Encoder, open_encoder

PASSAGE = (
    "The well was dug in 1742 by two brothers. Its rope is made of hemp, and the bucket of oak. Anyone may draw water."
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


def unit(vector: NDArray[Any]) -> NDArray[Any]:
    return vector / np.linalg.norm(vector)


def test_each_token_has_a_state_and_its_place(encoder: Encoder) -> None:
    states = encoder.read("The well", PASSAGE)
    assert states.vectors.shape == (len(states.spans), DIMENSION)
    words = [PASSAGE[start:end] for start, end in states.spans]
    assert words[:5] == ["The", "well", "was", "dug", "in"]
    assert "".join(words) == PASSAGE.replace(" ", "")


def test_the_sentence_that_answers_is_nearest_to_the_question(encoder: Encoder) -> None:
    states = encoder.read("The well", PASSAGE)

    def nearest(question: str) -> str:
        asked = encoder.vector(question)
        cosines = {}
        for sentence in PASSAGE.split(". "):
            start = PASSAGE.index(sentence)
            mine = [start <= token < start + len(sentence) for token, _ in states.spans]
            cosines[sentence] = float(unit(states.vectors[mine].mean(0)) @ asked)
        return max(cosines, key=lambda sentence: cosines[sentence])

    assert nearest("When was the well dug?").startswith("The well was dug")
    assert nearest("What is the rope made of?").startswith("Its rope")
    assert nearest("Who is allowed to take water from it?").startswith("Anyone")


def test_a_state_depends_on_the_title_and_on_the_other_sentences(encoder: Encoder) -> None:
    alone = encoder.read("", "It is deep.").vectors
    assert not np.allclose(alone, encoder.read("The well", "It is deep.").vectors, atol=0.1)
    assert not np.allclose(alone, encoder.read("", "It is deep. It is old.").vectors[: len(alone)], atol=0.1)


def test_a_long_passage_is_read_in_windows_of_like_length_and_a_long_title_cut(encoder: Encoder) -> None:
    title, passage = "A title " * 100, "The wheel turns. " * 150
    states = encoder.read(title, passage)
    assert len(states.spans) == len(states.vectors) == 600
    assert [len(window) for window in states.lower] == [states.lead + 200 + 1] * 3
    assert states.lead == 1 + 24
    assert np.allclose(states.vectors[:200], encoder.read(title, passage[: states.spans[199][1]]).vectors)


def test_a_question_has_its_vector_and_its_lower_states(encoder: Encoder) -> None:
    asked = encoder.ask("When was the well dug?")
    assert np.array_equal(asked.vector, encoder.vector("When was the well dug?"))
    assert asked.lower.shape == (2 + 6, DIMENSION)


def test_no_text_is_refused(encoder: Encoder) -> None:
    assert encoder.read("", "").vectors.shape == (0, DIMENSION)
    assert encoder.read("\ud800", "a\ud800b").spans[0] == (0, 1)
    assert np.linalg.norm(encoder.vector("")) == pytest.approx(1, abs=1e-5)


def test_a_passage_and_its_sentences_are_read_at_once(encoder: Encoder) -> None:
    text = f"The well\n{PASSAGE}"
    vector, sentences = encoder.passage(text)
    assert np.allclose(vector, encoder.vector(text), atol=1e-5)
    assert sentences.shape == (3, DIMENSION)
    assert np.allclose(np.linalg.norm(sentences, axis=1), 1, atol=1e-5)
    assert int(np.argmax(sentences @ encoder.vector("What is the rope made of?"))) == 1


@pytest.mark.parametrize("text", ["", "Only a title", "Title\n", "\n\n"])
def test_a_passage_without_sentences_has_none(encoder: Encoder, text: str) -> None:
    vector, sentences = encoder.passage(text)
    assert vector.shape == (DIMENSION,)
    assert len(sentences) == (1 if text == "Only a title" else 0)


def test_what_lies_beyond_the_last_token_has_no_vector(encoder: Encoder) -> None:
    _, sentences = encoder.passage("Title\n" + "The well was dug by hand. " * 100)
    assert 30 < len(sentences) < 60


def test_a_process_has_one_encoder_for_so_many_threads() -> None:
    assert open_encoder(1) is open_encoder(1)
    assert open_encoder(2) is not open_encoder(1)
