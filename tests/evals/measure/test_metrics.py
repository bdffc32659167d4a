"""The metrics, against tables worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.measure.metrics import all_at, contains, exact, f1, ndcg_at, normalised, recall_at, reciprocal_rank_at

RANKING = [7, 3, 9, 1, 5]


@pytest.mark.parametrize(
    ("k", "gold", "recall", "every", "reciprocal", "ndcg"),
    [
        (1, {7}, 1.0, 1.0, 1.0, 1.0),  # the only gold document is first
        (1, {3}, 0.0, 0.0, 0.0, 0.0),  # it is second, and only the first counts
        (2, {3}, 1.0, 1.0, 0.5, 1 / math.log2(3)),
        (5, {3, 5}, 1.0, 1.0, 0.5, (1 / math.log2(3) + 1 / math.log2(6)) / (1 + 1 / math.log2(3))),
        (2, {7, 5}, 0.5, 0.0, 1.0, 1 / (1 + 1 / math.log2(3))),  # one of two
        (1, {7, 3}, 0.5, 0.0, 1.0, 1.0),  # no more than one can stand in the first one
        (5, {8}, 0.0, 0.0, 0.0, 0.0),  # not found
    ],
)
def test_ranking_gets_the_figures_worked_out_by_hand(
    k: int, gold: set[int], recall: float, every: float, reciprocal: float, ndcg: float
) -> None:
    assert recall_at(k, RANKING, gold) == recall
    assert all_at(k, RANKING, gold) == every
    assert reciprocal_rank_at(k, RANKING, gold) == reciprocal
    assert ndcg_at(k, RANKING, gold) == pytest.approx(ndcg)


@given(
    st.lists(st.integers(0, 30), unique=True),
    st.sets(st.integers(0, 30), min_size=1),
    st.integers(1, 12),
)
def test_figures_of_a_ranking_agree_with_each_other(ranking: list[int], gold: set[int], k: int) -> None:
    recall, ndcg = recall_at(k, ranking, gold), ndcg_at(k, ranking, gold)
    assert 0 <= recall <= recall_at(k + 1, ranking, gold) <= 1
    assert 0 <= ndcg <= 1 + 1e-9
    assert (recall == 0) == (ndcg == 0) == (reciprocal_rank_at(k, ranking, gold) == 0)
    assert all_at(k, ranking, gold) == float(recall == 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Eiffel-Tower, a tower!", "eiffeltower tower"),  # articles, punctuation, space
        ("Theatre", "theatre"),  # an article is a whole word
        ("“Paris”", "“paris”"),  # SQuAD's script knows ASCII punctuation only
    ],
)
def test_text_is_normalised_as_squad_does(text: str, expected: str) -> None:
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("text", "gold", "held"),
    [
        ("It stands in Paris.", "paris", True),
        ("It was built in 1945.", "4", False),  # a number is not a part of another
        ("a 10-year plan", "10", True),  # and may be a part of a word
        ("It is the United States' flag", "the United States", True),
        ("die Straße", "Straße", True),
        ("anything", "", False),  # nothing is in nothing
        ("anything", "the", False),  # an answer of which nothing is left
    ],
)
def test_answer_holds_the_gold(text: str, gold: str, held: bool) -> None:
    assert contains(text, gold) is held


@pytest.mark.parametrize(
    ("text", "gold", "score"),
    [
        ("The Rankine cycle", "Rankine cycle", 1.0),
        ("the Rankine cycle of steam", "Rankine cycle", 2 * (2 / 4) * 1 / (2 / 4 + 1)),  # precision 2/4, recall 1
        ("steam steam", "steam", 2 * 0.5 * 1 / 1.5),  # a word counts as often as both have it
        ("nothing in common", "Rankine", 0.0),
        ("the", "a", 1.0),  # both are empty
        ("the", "Rankine", 0.0),
        ("北京市", "北京", 2 * (2 / 3) * 1 / (2 / 3 + 1)),  # no space between words: by characters
    ],
)
def test_f1_is_of_shared_words(text: str, gold: str, score: float) -> None:
    assert f1(text, gold) == pytest.approx(score)
    assert f1(gold, text) == pytest.approx(score)
    assert exact(text, gold) == (normalised(text) == normalised(gold))
