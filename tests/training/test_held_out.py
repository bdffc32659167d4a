"""What the evaluations fit and measure on is what the training holds out."""

from __future__ import annotations

from evals.knowledge.held_out_sites import MANUALS, PAGES, REPORTED
from evals.knowledge.judge_cases import LEARNED
from training.examples import DATA, HELD_OUT, HELD_OUT_PAGES, read_lines


def test_the_sites_that_choices_are_made_on_were_not_learned_from() -> None:
    assert set(MANUALS) == HELD_OUT
    assert {*PAGES, *REPORTED} < HELD_OUT_PAGES


def test_the_articles_that_the_reader_learned_from_are_known_to_the_evaluations() -> None:
    titles = {row["title"] for row in read_lines(DATA / "squad2-passages.jsonl.xz")}
    assert titles == LEARNED | {"Warsaw"}
