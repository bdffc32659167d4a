"""The reader reads a question and a passage together."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from text.encoder import runtime as module
from text.encoder.runtime import ENCODER, NOTHING, PASSAGE_TOKENS, JointLayers, ModelFileBroken

QUESTION = "When was the well dug?"
PASSAGE = (
    "The well was dug in 1742 by two brothers. Its rope is made of hemp, and the bucket of oak. Anyone may draw water."
)


@pytest.fixture(scope="module")
def joint() -> JointLayers:
    return JointLayers()


def test_each_token_of_the_passage_has_its_place_and_its_logits(joint: JointLayers) -> None:
    logits = joint.read(QUESTION, "The well", PASSAGE)
    words = [PASSAGE[start:end] for start, end in logits.spans]
    assert words[:5] == ["The", "well", "was", "dug", "in"]
    assert "".join(words) == PASSAGE.replace(" ", "")
    for of_tokens in (logits.start, logits.end, logits.evidence):
        assert of_tokens.shape == (len(logits.spans),)


def test_another_question_has_other_logits(joint: JointLayers) -> None:
    one, other = (joint.read(asked, "The well", PASSAGE) for asked in (QUESTION, "What is the rope made of?"))
    first = [start < PASSAGE.index("Its rope") for start, _ in one.spans]
    assert one.evidence[first].mean() > other.evidence[first].mean()
    assert PASSAGE[slice(*one.spans[int(one.start.argmax())])] == "1742"
    assert other.spans[int(other.start.argmax())][0] == PASSAGE.index("hemp")


def test_a_long_passage_answers_as_its_best_window_does_and_a_long_title_is_cut(joint: JointLayers) -> None:
    wheels = "The wheel turns. " * 150
    logits = joint.read(QUESTION, "A title " * 100, wheels + PASSAGE)
    places = [len(logits.spans) * part // 3 for part in range(4)]
    assert len(logits.spans) > 600
    windows = [(logits.spans[first][0], logits.spans[last - 1][1]) for first, last in pairwise(places)]
    alone = [joint.read(QUESTION, "A title " * 100, (wheels + PASSAGE)[start:end]) for start, end in windows]
    assert logits.answers == max(each.answers for each in alone) == alone[-1].answers
    assert np.array_equal(logits.evidence, np.concatenate([each.evidence for each in alone]))


def test_nothing_answers_if_there_is_no_text(joint: JointLayers) -> None:
    logits = joint.read(QUESTION, "A title alone", "")
    assert logits.answers == NOTHING
    assert logits.start.shape == logits.end.shape == logits.evidence.shape == (0,)


@pytest.mark.parametrize("question", ["", "why " * 500, "\ud800"])
def test_no_question_and_a_long_one_are_read(joint: JointLayers, question: str) -> None:
    assert np.isfinite(joint.read(question, "The well", PASSAGE).answers)


def test_of_a_long_question_the_first_48_tokens_count(joint: JointLayers) -> None:
    long, longer = (joint.read("why " * count, "The well", PASSAGE) for count in (48, 500))
    assert long.answers == longer.answers


def test_text_without_blanks_is_one_word_or_cut_into_its_parts(joint: JointLayers) -> None:
    for text, tokens in (("a" * 4000, 1), ("well-" * 300, 600), ("well-" * 800, PASSAGE_TOKENS)):
        logits = joint.read(QUESTION, "The well", text)
        assert len(logits.spans) == tokens
        assert logits.spans[-1][1] == len(text) or tokens == PASSAGE_TOKENS
        assert np.isfinite(logits.evidence).all()


@pytest.mark.parametrize("what", ["torn", "of another model", "missing"])
def test_a_broken_file_is_named(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "reader.onnx"
    if what != "missing":
        file.write_bytes(ENCODER.read_bytes()[: 5000 if what == "torn" else None])
    monkeypatch.setattr(module, "READER", file)
    with pytest.raises(ModelFileBroken, match=r"reader\.onnx cannot be read.*Install Wellread again"):
        JointLayers()
