from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.reader import reader as module
from pipeline.reader.reader import Reader
from text.encoder.runtime import ModelFileBroken

QUESTION = "Who built the mill?"
PASSAGES = [("The mill", "The mill is old. Crane built it."), ("", "Ferries leave at nine. " * 150), ("Empty", "")]


def test_readings_come_in_order_with_the_logits_of_every_token(untrained: Reader) -> None:
    readings = untrained.read(QUESTION, PASSAGES)
    assert [len(each.offsets) for each in readings] == [9, 750, 0]
    for (_, text), each in zip(PASSAGES, readings, strict=True):
        assert len(each.start) == len(each.end) == len(each.evidence) == len(each.offsets)
        assert np.isfinite([*each.start, *each.end, *each.evidence, each.answers, each.relevance]).all()
        assert all(text[start:end].strip() for start, end in each.offsets)


def test_a_passage_reads_the_same_alone_and_among_others(untrained: Reader, untrained_model: Path) -> None:
    among = untrained.read(QUESTION, PASSAGES)[0]
    [alone] = Reader(untrained_model).read(QUESTION, PASSAGES[:1])
    assert np.array_equal(among.start, alone.start)
    assert (among.answers, among.relevance) == (alone.answers, alone.relevance)


def test_title_and_question_count(untrained: Reader) -> None:
    text = PASSAGES[0][1]
    one, other = untrained.read(QUESTION, [("The mill", text), ("The pond", text)])
    [third] = untrained.read("When was it built?", [("The mill", text)])
    assert len({one.answers, other.answers, third.answers}) == 3


def test_what_was_read_is_not_read_again(untrained: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    first = untrained.read(QUESTION, PASSAGES[:2])
    assert untrained.read(QUESTION, PASSAGES[:1])[0] is first[0]
    untrained.read(QUESTION, PASSAGES[2:])  # the second was not used for longest
    assert untrained.read(QUESTION, PASSAGES[:1])[0] is first[0]
    assert untrained.read(QUESTION, PASSAGES[1:2])[0] is not first[1]


def test_threads_read_at_once(untrained: Reader, untrained_model: Path) -> None:
    questions = [f"{QUESTION} {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda question: untrained.read(question, PASSAGES[:1])[0], questions))
    apart = Reader(untrained_model)
    assert [each.answers for each in at_once] == [
        apart.read(question, PASSAGES[:1])[0].answers for question in questions
    ]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=400))
def test_any_text_can_be_read(untrained: Reader, question: str, title: str, text: str) -> None:
    [reading] = untrained.read(question, [(title, text)])
    assert np.isfinite([reading.answers, reading.relevance]).all()
    best = reading.best_span()
    assert best is None or 0 <= best[0] < best[1] <= len(text)


def test_half_a_character_does_not_stop_it(untrained: Reader) -> None:
    assert untrained.read("\ud800?", [("\ud800", "broken \ud800 emoji")])[0].best_span()


def test_a_missing_model_says_what_to_do(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "none.onnx")
    with pytest.raises(ModelFileBroken, match=r"none\.onnx.*Install Wellread again"):
        reader.read(QUESTION, PASSAGES[:1])


def test_importing_and_opening_the_reader_loads_no_model_library() -> None:
    opened = "from pipeline.reader.reader import Reader; Reader()"
    code = f"import sys; {opened}; print({{'onnxruntime', 'tokenizers'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
