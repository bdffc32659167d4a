from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from pipeline.reader import MAX_ANSWER_TOKENS, REMEMBERED, PassageReader, PassageReading
from text.encoder import runtime as model
from text.encoder.runtime import NOTHING, Logits

QUESTION = "Who built the mill?"
TEXT = "The mill stands by the river. Crane built it in 1840. It burnt down later."
SENTENCES = [(0, 29), (30, 53), (54, 74)]


@pytest.fixture(scope="module")
def reader() -> PassageReader:
    return PassageReader()


def test_the_passage_that_answers_is_told_from_one_that_does_not(reader: PassageReader) -> None:
    right, wrong = reader.read(QUESTION, [("The mill", TEXT), ("Ferries", "The ferry leaves at nine.")])
    assert right.answers > wrong.answers


def test_the_sentence_that_answers_has_the_most_evidence(reader: PassageReader) -> None:
    [reading] = reader.read("When was the mill built?", [("The mill", TEXT)])
    logits = reading.evidence(SENTENCES)
    assert max(logits) == logits[1]


def test_what_is_read_does_not_depend_on_the_other_passages(reader: PassageReader) -> None:
    [alone] = reader.read(QUESTION, [("The mill", TEXT)])
    _, beside = reader.read(QUESTION, [("Ferries", "The ferry leaves at nine. " * 20), ("The mill", TEXT)])
    assert alone.answers == beside.answers
    assert alone.evidence(SENTENCES) == beside.evidence(SENTENCES)


def test_a_passage_without_text_answers_nothing(reader: PassageReader) -> None:
    [reading] = reader.read(QUESTION, [("The mill", "")])
    assert (reading.answers, reading.evidence([(0, 5)]), reading.short_answer()) == (NOTHING, [NOTHING], None)


def test_beyond_what_is_read_of_a_huge_passage_there_is_no_evidence(reader: PassageReader) -> None:
    huge = TEXT + " " * 20_000 + "Crane built it."
    [reading] = reader.read(QUESTION, [("The mill", huge)])
    inside, beyond = reading.evidence([SENTENCES[1], (len(huge) - 15, len(huge))])
    assert beyond == NOTHING
    assert inside > NOTHING


def test_what_was_read_last_is_not_read_again(reader: PassageReader) -> None:
    [first] = reader.read(QUESTION, [("The mill", TEXT)])
    again, other = reader.read(QUESTION, [("The mill", TEXT), ("The old mill", TEXT)])
    assert again is first
    assert other is not first


def test_the_memory_is_bounded() -> None:
    reader = PassageReader()
    [first] = reader.read(QUESTION, [("", TEXT)])
    reader.read(QUESTION, [("", str(number)) for number in range(REMEMBERED)])
    [again] = reader.read(QUESTION, [("", TEXT)])
    assert again is not first
    assert np.array_equal(again.logits.evidence, first.logits.evidence)


@given(text=st.text(max_size=200), title=st.text(max_size=30))
def test_any_text_can_be_read(text: str, title: str) -> None:
    [reading] = SHARED.read(QUESTION, [(title, text)])
    spans = [(0, len(text)), (0, 0)]
    assert np.isfinite([reading.answers, *reading.evidence(spans)]).all()
    if short := reading.short_answer():
        assert 0 <= short.start < short.end <= len(text)
        assert np.isfinite(short.margin)


SHARED = PassageReader()


def test_a_broken_file_is_told_and_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reader.onnx").write_bytes(b"torn")
    monkeypatch.setattr(model, "READER", tmp_path / "reader.onnx")
    with capture_logs() as logs:
        assert PassageReader().read(QUESTION, [("The mill", TEXT)]) is None
    [row] = logs
    assert row["event"] == "reader_unavailable"
    assert str(tmp_path / "reader.onnx") in row["error"]


def reading_of(text: str, **of_tokens: list[float]) -> PassageReading:
    """What would be read in words of four letters, one token each."""
    spans = [(at, at + 4) for at in range(0, len(text), 5)]
    arrays = {name: np.array(of_tokens.get(name, [0.0] * len(spans)), dtype=np.float32) for name in LOGITS}
    return PassageReading(text=text, logits=Logits(spans=spans, answers=0.5, **arrays))


LOGITS = ("start", "end", "evidence")
SPANS = [(0, 4), (5, 9), (3, 6), (4, 5)]


def test_a_token_counts_in_each_span_that_holds_a_part_of_it() -> None:
    reading = reading_of("mill well", evidence=[2, 4])
    assert reading.evidence(SPANS) == [2, 4, 3, NOTHING]


def test_the_short_answer_is_the_best_span_that_does_not_end_before_it_starts() -> None:
    reading = reading_of("mill well barn", start=[0, 1, 5], end=[9, 2, -1])
    assert reading.short_answer() == (0, 4, 9)
    reading = reading_of("mill well barn", start=[-3, -1, -1], end=[-9, -4, -1])
    assert reading.short_answer() == (5, 14, -2) or reading.short_answer() == (10, 14, -2)


def test_a_short_answer_is_not_long() -> None:
    count = MAX_ANSWER_TOKENS + 1
    start, end = [5.0] + [0.0] * (count - 1), [0.0] * (count - 1) + [5.0]
    short = reading_of("mill " * count, start=start, end=end).short_answer()
    assert short is not None
    assert short.margin == 5


def test_a_short_answer_has_whole_words() -> None:
    reading = reading_of("unscrewing it", start=[0, 1, 0], end=[0, 1, 0])
    assert reading.short_answer() == (0, 10, 2)
