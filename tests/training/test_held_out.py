"""What the evaluations fit and measure on is what the training holds out."""

from __future__ import annotations

from evals.knowledge.judge_cases import LEARNED
from evals.knowledge.manual_cases import SITES
from training.examples import DATA, HELD_OUT, read_lines


def test_the_manuals_that_the_judge_is_fitted_on_were_not_learned_from() -> None:
    assert set(SITES) == HELD_OUT


def test_the_articles_that_the_reader_learned_from_are_known_to_the_evaluations() -> None:
    titles = {row["title"] for row in read_lines(DATA / "squad2-passages.jsonl.xz")}
    assert titles == LEARNED | {"Warsaw"}
