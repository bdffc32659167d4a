"""Answers drawn from several pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.question.analysis import analyse_question
from pipeline.retrieval.context import MAX_PAGES, best_of_each_page_first, prompt_notes, wants_several_pages
from tests.fakes import passage

COMPARES = analyse_question("How does TCP differ from UDP?")
ALONE = analyse_question("When was the lighthouse built?")


def hits(*page_ids: int) -> list[Hit]:
    return [
        Hit(passage=passage(f"text {rank}", page_id=id, ord=rank), score=1 / rank, scale="minmax", rank=rank)
        for rank, id in enumerate(page_ids, start=1)
    ]


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What is better, tea or coffee?", True),
        ("Were Scott Derrickson and Ed Wood of the same nationality?", True),
        ("When was the lighthouse built?", False),
        ("Who won in 1998 and 2002?", False),  # numbers name no thing that has a page
    ],
)
def test_several_pages_are_wanted_by_a_question_that_compares_or_names_several_things(
    question: str, several: bool
) -> None:
    assert wants_several_pages(analyse_question(question)) is several


def test_best_hit_of_each_page_comes_first() -> None:
    ordered = best_of_each_page_first(COMPARES, hits(1, 1, 1, 2, 3))
    assert [hit.passage.page_id for hit in ordered] == [1, 2, 3, 1, 1]
    assert [hit.rank for hit in ordered] == [1, 2, 3, 4, 5]


def test_any_other_question_keeps_its_order() -> None:
    assert best_of_each_page_first(ALONE, hits(1, 1, 2)) == hits(1, 1, 2)


def test_model_is_told_only_when_there_are_several_pages_and_they_are_wanted() -> None:
    assert prompt_notes(COMPARES, hits(1, 2))
    assert prompt_notes(COMPARES, hits(1, 1)) == ()
    assert prompt_notes(ALONE, hits(1, 2)) == ()


@given(st.lists(st.integers(1, 9), max_size=12))
def test_no_hit_is_lost_and_pages_are_bounded(page_ids: list[int]) -> None:
    found = hits(*page_ids)
    ordered = best_of_each_page_first(COMPARES, found)
    assert {hit.passage.id for hit in ordered} == {hit.passage.id for hit in found}
    assert len(ordered) == len(found)
    front = [hit.passage.page_id for hit in ordered[: min(MAX_PAGES, len(set(page_ids)))]]
    assert len(set(front)) == len(front)
