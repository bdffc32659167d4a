"""The design document of multi-query retrieval: its defaults and examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.documents.rerank import DEFAULT_RESULTS, merge_by_title, merge_by_url
from pipeline.enhancements import ALL, DEFAULT, OFF, UnknownEnhancement, parse_enhancements
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import COUNT_AT_ONCE, make_variants
from tests.fakes import passage
from workers.settings import CLAUDE_SMALL_MODEL

QUESTION = "What experiments prove quantum entanglement?"


def hit(title: str, similarity: float, *, page_id: int = 1, ord: int = 0) -> Hit:
    item = passage("text", page_id=page_id, ord=ord, title=title)
    return Hit(passage=item, score=similarity, scale="minmax", rank=1, similarity=similarity)


def test_multi_query_is_off_by_default() -> None:
    assert "multi_query" not in DEFAULT


def test_without_a_model_the_rules_make_the_two_wordings() -> None:
    assert len(make_variants(analyse_question(QUESTION), COUNT_AT_ONCE)) == 2


def test_expansion_is_by_haiku_not_by_the_model_that_answers() -> None:
    assert CLAUDE_SMALL_MODEL.startswith("claude-haiku-")


@pytest.mark.parametrize(("asked", "given_back"), [(-1, 1), (0, 1), (1, 1), (5, 5), (20, 20), (99, 20)])
def test_max_results_is_clamped_to_one_to_twenty(asked: int, given_back: int) -> None:
    assert len(merge_by_title([hit(f"T{at}", 0.5, page_id=at) for at in range(40)], asked)) == given_back


def test_max_results_is_five_by_default() -> None:
    assert DEFAULT_RESULTS == 5
    assert len(merge_by_title([hit(f"T{at}", 0.5, page_id=at) for at in range(40)])) == 5


def test_of_a_title_in_several_result_sets_the_most_similar_is_kept() -> None:
    """The document's example of three articles, each found by several queries."""
    found = [
        hit("EPR_paradox", 0.81, page_id=3),
        hit("Bell_test_experiments", 0.70, page_id=1, ord=1),
        hit("Aspect_experiment", 0.88, page_id=2),
        hit("Bell_test_experiments", 0.92, page_id=1),
        hit("EPR_paradox", 0.40, page_id=3, ord=2),
    ]
    merged = merge_by_title(found)
    assert [(h.passage.title, h.score) for h in merged] == [
        ("Bell_test_experiments", 0.92),
        ("Aspect_experiment", 0.88),
        ("EPR_paradox", 0.81),
    ]
    assert [h.rank for h in merged] == [1, 2, 3]


def test_pages_without_a_title_are_not_taken_for_one() -> None:
    assert len(merge_by_title([hit("", 0.5, page_id=1), hit("", 0.4, page_id=2)])) == 2


def test_of_a_url_in_several_result_sets_the_best_is_kept_in_its_place() -> None:
    found = [hit("A", 0.9, page_id=1), hit("B", 0.8, page_id=2), hit("A again", 0.95, page_id=1, ord=1)]
    assert [(h.passage.title, h.rank) for h in merge_by_url(found)] == [("A", 1), ("B", 2)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=12), st.randoms(use_true_random=False))
def test_merging_by_title_is_order_blind(found: list[tuple[str, float]], chance: object) -> None:
    hits = [hit(title, similarity, page_id=at) for at, (title, similarity) in enumerate(found)]
    straight = merge_by_title(hits)
    chance.shuffle(hits)  # type: ignore[attr-defined]
    assert merge_by_title(hits) == straight


def test_fusion_is_built_and_the_documents_merge_by_title_is_a_switch() -> None:
    """Merged by title, a page that holds two answering passages shows one: measured, R@1 falls by .10 to .20."""
    assert "by_title" in OFF


def test_every_enhancement_can_be_on_at_once_and_each_switched_by_name() -> None:
    assert parse_enhancements(sorted(ALL)) == ALL
    assert parse_enhancements(()) == DEFAULT
    assert parse_enhancements(["multi_query", "-diverse"]) == (DEFAULT | {"multi_query"}) - {"diverse"}
    assert parse_enhancements(["none"]) == parse_enhancements(["all", "-all"]) == frozenset()
    assert parse_enhancements(["none", "graph"]) == {"graph"}
    assert parse_enhancements(["all"]) == ALL
    assert parse_enhancements(["all", "-by_title"]) == ALL - {"by_title"}
    with pytest.raises(UnknownEnhancement, match="multi_query"):
        parse_enhancements(["-magic"])
