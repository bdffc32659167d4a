"""The reader reads a question and a passage together."""

from __future__ import annotations

import numpy as np
import pytest

from text.encoder.reader import NOTHING, JointLayers
from text.encoder.runtime import DIMENSION, Encoder, States

QUESTION = "When was the well dug?"
PASSAGE = (
    "The well was dug in 1742 by two brothers. Its rope is made of hemp, and the bucket of oak. Anyone may draw water."
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


@pytest.fixture(scope="module")
def joint() -> JointLayers:
    return JointLayers()


def test_each_token_of_the_passage_has_its_logits(encoder: Encoder, joint: JointLayers) -> None:
    states = encoder.read("The well", PASSAGE)
    logits = joint.read(encoder.ask(QUESTION), states)
    for of_tokens in (logits.start, logits.end, logits.evidence):
        assert of_tokens.shape == (len(states.spans),)


def test_another_question_has_other_logits(encoder: Encoder, joint: JointLayers) -> None:
    states = encoder.read("The well", PASSAGE)
    one, other = (joint.read(encoder.ask(asked), states) for asked in (QUESTION, "What is the rope made of?"))
    inside = slice(0, PASSAGE.index("Its rope"))
    first = [place for place, (start, _) in enumerate(states.spans) if start in range(inside.stop)]
    assert one.evidence[first].mean() > other.evidence[first].mean()


def test_a_long_passage_answers_as_its_best_window_does(encoder: Encoder, joint: JointLayers) -> None:
    asked = encoder.ask(QUESTION)
    states = encoder.read("", "The wheel turns. " * 150 + PASSAGE)
    logits = joint.read(asked, states)
    windows = [States(states.spans, states.vectors, [lower], states.lead) for lower in states.lower]
    assert len(windows) == 3
    alone = [joint.read(asked, window) for window in windows]
    assert logits.answers == max(each.answers for each in alone)
    assert np.array_equal(logits.evidence, np.concatenate([each.evidence for each in alone]))
    assert logits.evidence.shape == (len(states.spans),)


def test_nothing_answers_where_there_is_no_text(encoder: Encoder, joint: JointLayers) -> None:
    logits = joint.read(encoder.ask(QUESTION), encoder.read("A title alone", ""))
    assert logits.answers == NOTHING
    assert logits.start.shape == logits.end.shape == logits.evidence.shape == (0,)


def test_no_question_and_a_long_one_are_read(encoder: Encoder, joint: JointLayers) -> None:
    states = encoder.read("The well", PASSAGE)
    for question in ("", "why " * 5000):
        asked = encoder.ask(question)
        assert 2 <= len(asked.lower) <= 50
        assert asked.lower.shape[1] == DIMENSION
        assert np.isfinite(joint.read(asked, states).answers)
