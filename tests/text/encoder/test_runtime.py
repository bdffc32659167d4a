"""The encoder reads a passage's words in their context."""

from __future__ import annotations

import numpy as np
import pytest

from text.encoder.runtime import DIMENSION, Encoder, open_encoder

PASSAGE = (
    "The well was dug in 1742 by two brothers. Its rope is made of hemp, and the bucket of oak. Anyone may draw water."
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


def test_the_sentence_that_answers_is_nearest_to_the_question(encoder: Encoder) -> None:
    _, sentences = encoder.passage(f"The well\n{PASSAGE}")
    asked = ("When was the well dug?", "What is the rope made of?", "Who is allowed to take water from it?")
    for number, question in enumerate(asked):
        assert int(np.argmax(sentences @ encoder.vector(question))) == number


def test_a_sentences_vector_depends_on_the_title_and_on_the_other_sentences(encoder: Encoder) -> None:
    _, alone = encoder.passage("\nIt is deep.")
    for text in ("The well\nIt is deep.", "\nIt is deep. It is old."):
        assert not np.allclose(alone[0], encoder.passage(text)[1][0], atol=0.02)


def test_no_text_is_refused(encoder: Encoder) -> None:
    assert encoder.passage("a\ud800b\n\ud800")[1].shape == (1, DIMENSION)
    assert np.linalg.norm(encoder.vector("")) == pytest.approx(1, abs=1e-5)


def test_a_passage_and_its_sentences_are_read_at_once(encoder: Encoder) -> None:
    text = f"The well\n{PASSAGE}"
    vector, sentences = encoder.passage(text)
    assert np.allclose(vector, encoder.vector(text), atol=1e-5)
    assert sentences.shape == (3, DIMENSION)
    assert np.allclose(np.linalg.norm(sentences, axis=1), 1, atol=1e-5)


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
