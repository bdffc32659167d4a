from __future__ import annotations

import numpy as np
import pytest

from pipeline.reader.reading import NO_EVIDENCE, Reading

TEXT = "The mill is old. Crane built it."
#: one token a word, full stops of their own
OFFSETS = [(0, 3), (4, 8), (9, 11), (12, 15), (15, 16), (17, 22), (23, 28), (29, 31), (31, 32)]


def reading(**logits: dict[int, float]) -> Reading:
    """A reading with the logits named, −5 elsewhere."""

    def column(values: dict[int, float]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return np.array([values.get(at, -5.0) for at in range(len(OFFSETS))], dtype=np.float32)

    return Reading(
        answers=1.0,
        relevance=2.0,
        offsets=np.array(OFFSETS, dtype=np.int32),
        start=column(logits.get("start", {})),
        end=column(logits.get("end", {})),
        evidence=column(logits.get("evidence", {})),
    )


def test_a_sentences_score_is_the_mean_evidence_of_its_tokens() -> None:
    read = reading(evidence={5: 2.0, 6: 2.0, 7: 2.0, 8: 2.0})
    assert read.sentence_scores([(0, 16), (17, 32)]) == pytest.approx([-5.0, 2.0])


def test_a_token_that_is_partly_inside_counts() -> None:
    read = reading(evidence={5: 3.0})
    assert read.sentence_scores([(18, 20)]) == pytest.approx([3.0])


@pytest.mark.parametrize("span", [(16, 17), (32, 90)])
def test_a_span_without_tokens_has_no_evidence(span: tuple[int, int]) -> None:
    assert reading().sentence_scores([span]) == [NO_EVIDENCE]


def test_the_best_span_is_the_likeliest_start_and_end_in_order() -> None:
    read = reading(start={5: 4.0, 7: 5.0}, end={5: 3.0, 4: 6.0})
    assert read.best_span() == (17, 22, 7.0)
    assert TEXT[17:22] == "Crane"


def test_the_best_span_keeps_to_its_sentence_and_length() -> None:
    read = reading(start={0: 4.0, 5: 1.0}, end={6: 4.0})
    assert read.best_span((17, 32)) == (17, 28, 5.0)
    assert read.best_span(max_tokens=7) == (0, 28, 8.0)
    begins, ends, _ = read.best_span(max_tokens=2) or (0, 0, 0.0)
    assert TEXT[begins:ends].count(" ") < 2


def test_there_is_no_span_where_there_are_no_tokens() -> None:
    assert reading().best_span((32, 40)) is None
