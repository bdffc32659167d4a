"""What a model is given to read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.question.analysis import analyse_question
from pipeline.retrieval.context import (
    MAX_CONTEXT_CHARACTERS,
    MAX_PAGES,
    advise_on_context,
    best_of_each_page_first,
    build_context,
    prompt_notes,
    select_diverse,
    wants_several_pages,
)
from tests.fakes import passage


def hit(text: str, *, id: int = 1, score: float = 0.5, similarity: float | None = None) -> Hit:
    return Hit(passage=passage(text, page_id=id), score=score, scale="minmax", rank=id, similarity=similarity)


def test_blocks_carry_their_relevance() -> None:
    hits = [hit("The most relevant one.", id=1, score=0.92), hit("Some other words here.", id=2, score=0.78)]
    assert build_context(hits) == "[Relevance: 0.92] The most relevant one.\n\n[Relevance: 0.78] Some other words here."


def test_near_duplicates_are_left_out() -> None:
    words = [f"word{at}" for at in range(20)]
    first, same, other = (" ".join(words), " ".join([*words[:18], "new"]), " ".join(words[:10]))
    assert [h.passage.page_id for h in select_diverse([hit(first, id=1), hit(same, id=2), hit(other, id=3)])] == [1, 3]


@given(st.lists(st.integers(1, 6000), max_size=8), st.integers(0, 12_000))
def test_context_never_exceeds_its_bound(sizes: list[int], bound: int) -> None:
    hits = [hit(f"{at} " + "x" * size, id=at) for at, size in enumerate(sizes)]
    assert len(build_context(hits, max_characters=bound)) <= bound
    assert len(build_context(hits)) <= MAX_CONTEXT_CHARACTERS


def test_documents_example_of_advice() -> None:
    advice = advise_on_context(
        analyse_question("How do I create a virtual environment in Python?", "en"),
        "Python lets you create things.",
        answer_quality=0.42,
    )
    assert advice.needs_more_context
    assert not advice.context_too_long
    assert advice.missing_keywords == ("virtual", "environment")
    assert not advice.redundant_content
    assert advice.suggestions == (
        "Consider retrieving more context chunks",
        "Missing keywords: virtual, environment",
        "Consider expanding search criteria or adjusting query",
    )


@pytest.mark.parametrize(
    ("length", "short", "long"), [(499, True, False), (500, False, False), (3000, False, False), (3001, False, True)]
)
def test_context_length_bounds(length: int, short: bool, long: bool) -> None:
    advice = advise_on_context(analyse_question("x", "en"), "x" * length, answer_quality=1.0)
    assert (advice.needs_more_context, advice.context_too_long) == (short, long)


def test_repeated_sentences_are_noticed() -> None:
    assert advise_on_context(analyse_question("sky", "en"), "The sky is blue. " * 10).redundant_content


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
