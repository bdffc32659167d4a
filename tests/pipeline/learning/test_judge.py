"""The judge learns from what readers say, and no further than its pinned floor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judging.calibration import ANY_EMBEDDER, calibration_for
from pipeline.learning.feedback import is_held_out
from pipeline.learning.judge import MIN_EACH, fit_judge, predict, refit_judge
from pipeline.learning.judge_floor import metrics_on, pinned_floor, pinned_sample
from pipeline.learning.metrics import broken_floors
from tests.pipeline.learning.cases import EMBEDDER, SHIPPED, answer, confidence, flipped, history

SAMPLE = pinned_sample(EMBEDDER, "en")


def test_without_feedback_the_judge_is_the_shipped_one() -> None:
    assert fit_judge(SHIPPED, [], SAMPLE) is SHIPPED
    refit = refit_judge(EMBEDDER, "en", [])
    assert refit.parameters is None
    assert "0 right" in refit.reason


@given(st.floats(0.3, 1.0), st.integers(1, 30), st.booleans())
@settings(deadline=None)  # SciPy takes a second to import
def test_more_answers_called_wrong_make_it_less_sure_of_such_evidence_and_right_ones_surer(
    strength: float, more: int, right: bool
) -> None:
    judged = history(60)
    before = fit_judge(SHIPPED, judged, SAMPLE)
    after = fit_judge(SHIPPED, [*judged, *(answer(1000 + at, strength, right=right) for at in range(more))], SAMPLE)
    was, became = confidence(before, strength), confidence(after, strength)
    assert became >= was - 1e-3 if right else became <= was + 1e-3


@given(st.integers(20, 80), st.integers(0, 5), st.floats(-0.4, 0.4))
@settings(deadline=None)  # SciPy takes a second to import
def test_no_coefficient_turns_against_what_its_feature_means(count: int, seed: int, shift: float) -> None:
    fitted = fit_judge(SHIPPED, history(count, seed=seed, shift=shift), SAMPLE)
    assert all(weight * SHIPPED.weights[name] >= 0 for name, weight in fitted.weights.items())


def test_judge_that_is_too_sure_here_is_refitted_and_predicts_better() -> None:
    refit = refit_judge(EMBEDDER, "en", history(400, shift=0.15))
    assert refit.parameters is not None
    for figure in ("log loss", "calibration error"):
        assert refit.metrics[figure]["after"] < refit.metrics[figure]["before"]


def test_judge_that_is_right_is_left_alone() -> None:
    refit = refit_judge(EMBEDDER, "en", history(120))
    assert refit.parameters is None
    assert "no better" in refit.reason


def test_flipped_feedback_is_refused_by_the_floor() -> None:
    refit = refit_judge(EMBEDDER, "en", flipped(history(400)))
    assert refit.parameters is None
    assert "pinned floor: AUROC" in refit.reason


def test_feedback_that_contradicts_all_evidence_is_refused_even_within_the_floor() -> None:
    # thin evidence is called right a little more often than full evidence: what is asked of the judge is small
    judged = [answer(at, 0.9 if at % 2 else 0.8, right=at % 20 < (7 if at % 2 else 13)) for at in range(200)]
    refit = refit_judge(EMBEDDER, "en", judged)
    assert refit.parameters is None
    assert "contradicts all evidence" in refit.reason


@pytest.mark.parametrize(("right", "wrong"), [(MIN_EACH - 1, 60), (60, MIN_EACH - 1)])
def test_few_answers_of_a_kind_teach_nothing(right: int, wrong: int) -> None:
    judged = [answer(at, 0.6, right=at < right) for at in range(right + wrong)]
    refit = refit_judge(EMBEDDER, "en", judged)
    assert refit.parameters is None
    assert f"{right} right" in refit.reason


@given(st.integers(0, 200), st.floats(-0.5, 0.5), st.booleans())
@settings(deadline=None)  # SciPy takes a second to import
def test_what_is_taken_never_falls_below_the_floor(seed: int, shift: float, poisoned: bool) -> None:
    judged = history(150, seed=seed, shift=shift)
    refit = refit_judge(EMBEDDER, "en", flipped(judged) if poisoned else judged)
    if refit.parameters is not None:
        kept = {name[len("pinned ") :]: each["after"] for name, each in refit.metrics.items() if "pinned" in name}
        assert broken_floors(kept, pinned_floor(EMBEDDER, "en")) == ""
        assert refit.metrics["AUROC"]["after"] >= 0.5


@pytest.mark.parametrize("embedder", [EMBEDDER, "wellread-en-2-int8", "use-multilingual-v3", "somebody's own"])
@pytest.mark.parametrize("lang", ["en", "de", "fr", "und"])
def test_shipped_judge_keeps_the_floor_that_is_pinned_under_it(embedder: str, lang: str) -> None:
    sample = pinned_sample(embedder, lang)
    figures = metrics_on(sample, predict(calibration_for(embedder, lang), sample))
    assert broken_floors(figures, pinned_floor(embedder, lang)) == ""


def test_judge_that_guesses_does_not_keep_the_floor() -> None:
    figures = metrics_on(SAMPLE, np.full(len(SAMPLE.truth), 0.5))
    assert "AUROC 0.500" in broken_floors(figures, pinned_floor(EMBEDDER, "en"))
    passing = metrics_on(SAMPLE, np.full(len(SAMPLE.truth), 0.9))
    assert "false passes 1.000 instead of at most" in broken_floors(passing, pinned_floor(EMBEDDER, "en"))


def test_judge_of_an_unknown_embedder_learns_by_the_words_alone() -> None:
    refit = refit_judge("somebody's own", "en", history(400, shift=0.3))
    weights = dict(refit.parameters or {})["weights"]
    assert "similarity" not in dict(weights)  # type: ignore[call-overload]
    assert calibration_for("somebody's own", "en").embedder == ANY_EMBEDDER


def test_a_third_of_the_questions_is_left_out_and_the_same_ones_each_time() -> None:
    held = [is_held_out(f"question {at}?") for at in range(900)]
    assert 250 < sum(held) < 350
    assert is_held_out("Wer baute den  Turm?") == is_held_out("wer baute den turm?")
