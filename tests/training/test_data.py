"""What is learned from is not what is measured with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.asked.golds import visible_text
from evals.asked.questions import SHIPPED, read_question_set
from training.examples import DATA, HELD_OUT, HELD_OUT_PAGES, public_questions, read_lines

ROOT = Path(__file__).parents[2]
#: of `evals/data/pages` extraction alone is measured, which learns nothing
MEASURED = [path for path in sorted((ROOT / "evals" / "data").rglob("*.jsonl")) if path.parent.name != "pages"]
_WORD = re.compile(r"\w+")
_CLASS = re.compile(r"\\[A-Za-z]")  # in a gold pattern: \s, \b


def runs(text: str, words: int = 8) -> set[int]:
    """Return the hashes of a text's runs of words."""
    found = _WORD.findall(text.lower())
    return set(map(hash, zip(*(found[at:] for at in range(words)), strict=False)))


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)


def texts_that_are_measured_with() -> Iterator[str]:
    """Yield the texts of evals/data, the questions of evals/asked with their golds, and the pages that it holds."""
    for path in MEASURED:
        yield from texts_in([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    for folder in sorted(path.parent for path in SHIPPED.glob("*/questions.jsonl")):
        of = read_question_set(folder)
        for question in of.questions:
            yield from (question.question, question.note, *(_CLASS.sub(" ", gold) for gold in question.gold))
        for root in {site.root for site in of.sites.values() if not site.package}:
            yield from map(visible_text, root.rglob("*.html"))


@pytest.fixture(scope="module")
def measured() -> set[int]:
    return set().union(*map(runs, texts_that_are_measured_with()))


@pytest.mark.parametrize("name", ["squad2", "manuals", "pages", "public"])
def test_no_passage_and_no_question_is_in_the_sets_that_are_measured(name: str, measured: set[int]) -> None:
    assert len(measured) > 90_000
    rows = [row for part in ("passages", "questions") for row in read_lines(DATA / f"{name}-{part}.jsonl.xz")]
    learned = [
        row for row in rows if row.get("site", row.get("id", "").partition(":")[0]) not in HELD_OUT | HELD_OUT_PAGES
    ]
    texts = [row.get("question") or row["text"] for row in learned]
    assert len(texts) > 1_000
    assert [text for text in texts if len(runs(text) & measured) >= 2] == []


def test_answers_stand_where_they_are_said_to_stand() -> None:
    for row, _, text in public_questions(names=("squad2",)):
        assert bool(row["answers"]) == row["answerable"]
        for answer in row["answers"]:
            assert text[answer["start"] :].startswith(answer["text"])
