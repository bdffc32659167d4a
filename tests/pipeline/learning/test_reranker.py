"""The reranker learns which hits answer, and no further than its pinned floor."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.learning.feedback import RankedHits
from pipeline.learning.reranker import MIN_QUESTIONS, SIGNALS, fit_weights, metrics_on, pinned_lists, refit_reranker
from pipeline.retrieval.rerank.learned import weights

#: what tells right hits on a site whose titles say all and whose similarities say nothing
BY_TITLE: Mapping[str, float] = {**dict.fromkeys(SIGNALS, 0.1), "title": 0.5}


def asked(count: int, by: Mapping[str, float], *, seed: int = 1) -> list[RankedHits]:
    """Questions of eight hits each, of which the best one by the weights ``by`` answers."""
    chance = random.Random(seed)
    made = []
    for at in range(count):
        signals = [[round(chance.random(), 3) for _ in SIGNALS] for _ in range(8)]
        worth = [sum(by[name] * each for name, each in zip(SIGNALS, row, strict=True)) for row in signals]
        made.append(RankedHits(question=f"question {at}?", signals=signals, right=[one == max(worth) for one in worth]))
    return made


def test_without_feedback_the_weights_are_the_shipped_ones() -> None:
    assert fit_weights([]) == weights()
    assert refit_reranker([]).parameters is None


def test_weights_follow_what_answers_here() -> None:
    refit = refit_reranker(asked(200, BY_TITLE))
    assert refit.metrics["MRR"]["after"] > refit.metrics["MRR"]["before"]
    assert refit.metrics["log loss"]["after"] < refit.metrics["log loss"]["before"]
    assert fit_weights(asked(200, BY_TITLE))["title"] > weights()["title"]


def test_what_would_rank_the_pinned_questions_worse_is_refused() -> None:
    only_nearness = {**dict.fromkeys(SIGNALS, -0.5), "nearness": 1.0}
    refit = refit_reranker(asked(400, only_nearness))
    assert refit.parameters is None
    assert "pinned floor" in refit.reason


@pytest.mark.parametrize("count", [0, 1, MIN_QUESTIONS - 1])
def test_few_questions_teach_nothing(count: int) -> None:
    refit = refit_reranker(asked(count, BY_TITLE))
    assert refit.parameters is None
    assert f"{count} (" in refit.reason


@given(st.integers(1, 40), st.integers(0, 9))
@settings(deadline=None)  # SciPy takes a second to import
def test_weights_are_a_mean_and_none_speaks_against_its_signal(count: int, seed: int) -> None:
    found = fit_weights(asked(count, BY_TITLE, seed=seed))
    assert sum(found.values()) == pytest.approx(1, abs=0.001)
    assert min(found.values()) >= 0


def test_shipped_weights_rank_nearly_all_pinned_questions_right() -> None:
    figures = metrics_on(pinned_lists(), weights())
    assert figures["right first"] > 0.9
    assert figures["MRR"] > figures["right first"]
