"""What a model is given to read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.retrieval.context import MAX_CONTEXT_CHARACTERS, advise_on_context, build_context, select_diverse
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
        "How do I create a virtual environment in Python?", "Python lets you create things.", answer_quality=0.42
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
    advice = advise_on_context("x", "x" * length, answer_quality=1.0)
    assert (advice.needs_more_context, advice.context_too_long) == (short, long)


def test_repeated_sentences_are_noticed() -> None:
    assert advise_on_context("sky", "The sky is blue. " * 10).redundant_content
