"""What is learned from is not what is measured with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from training.examples import DATA, public_questions, read_lines

ROOT = Path(__file__).parents[2]
MEASURED = sorted((ROOT / "evals" / "data").rglob("*.jsonl"))


def runs(text: str, words: int = 8) -> set[tuple[str, ...]]:
    found = re.findall(r"\w+", text.lower())
    return {tuple(found[at : at + words]) for at in range(len(found) - words + 1)}


@pytest.mark.parametrize("name", ["squad2"])
def test_no_passage_and_no_question_is_in_the_sets_that_are_measured(name: str) -> None:
    measured: set[tuple[str, ...]] = set().union(*(runs(path.read_text()) for path in MEASURED))
    assert len(measured) > 10_000
    texts = [row["text"] for row in read_lines(DATA / f"{name}-passages.jsonl.xz")]
    texts += [row["question"] for row, _, _ in public_questions(names=(name,))]
    assert [text for text in texts if len(runs(text) & measured) >= 2] == []


def test_answers_stand_where_they_are_said_to_stand() -> None:
    for row, _, text in public_questions(names=("squad2",)):
        assert bool(row["answers"]) == row["answerable"]
        for answer in row["answers"]:
            assert text[answer["start"] :].startswith(answer["text"])
