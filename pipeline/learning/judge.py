"""Refit the judge from feedback: shift the shipped coefficients towards what readers said of answers.

The fit is pulled to the shipped coefficients, so that few answers change them little, and no
coefficient turns its sign. It is taken only when it predicts the held-out answers better than the judge in use and
reaches the floor on the pinned sample: that stops feedback that is wrong or meant to harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.judging.calibration import FEATURES, Calibration, calibration_for
from pipeline.judging.judge import BESIDE_THE_POINT
from pipeline.learning.feedback import JudgedAnswer, Refit, change, is_held_out
from pipeline.learning.fits import Prior, fit_from_prior
from pipeline.learning.judge_floor import Sample, metrics_on, pinned_floor, pinned_sample
from pipeline.learning.metrics import Floats, auroc, broken_floors, calibration_error, is_better, log_losses

#: right and wrong answers needed, of each kind: in all, and among those held out
MIN_EACH, MIN_EACH_HELD_OUT = 20, 5
#: precision of the prior around the shipped ones; 10 and 30 did about as well on HotpotQA, SQuAD 2.0 and XQuAD
RIDGE = 20.0
#: AUROC of guessing: when even a judge fitted to the feedback does worse, the feedback is wrong or meant to harm
COIN_AUROC = 0.5
#: shares of the way from the shipped to the fitted coefficients, tried until the floor holds
SHARES = (1.0, 0.75, 0.5, 0.25)


def refit_judge(
    embedder: str, lang: str, judged: Sequence[JudgedAnswer], *, serving: Calibration | None = None
) -> Refit:
    """Refit the judge of an embedder and a language; ``serving`` is the learned judge in use, if there is one."""
    shipped = calibration_for(embedder, lang)
    held_out = [answer for answer in judged if is_held_out(answer.question)]
    if too_few := _too_few(judged, held_out):
        return Refit(reason=too_few, examples=len(judged))
    current = serving or shipped
    sample, floor = pinned_sample(embedder, lang), pinned_floor(embedder, lang)
    fitted = fit_judge(shipped, [answer for answer in judged if not is_held_out(answer.question)], sample)
    chosen, share, below = _within_floor(floor, shipped, fitted, sample)
    cases = to_cases(held_out)
    metrics = _compare(current, chosen, cases, sample)
    refit = Refit(reason=_reason(metrics, len(held_out), share), examples=len(judged), metrics=metrics)
    if below:
        return replace(refit, reason=f"below the pinned floor: {below}")
    if metrics["AUROC"]["after"] < COIN_AUROC:
        return replace(refit, reason=f"the feedback contradicts all evidence for an answer: {refit.reason}")
    if not is_better(*(log_losses(predict(judge, cases), cases.truth) for judge in (current, chosen))):
        return replace(refit, reason=f"no better than the version in use: {refit.reason}")
    return replace(refit, parameters={"weights": dict(chosen.weights), "intercept": chosen.intercept})


def fit_judge(shipped: Calibration, judged: Sequence[JudgedAnswer], sample: Sample) -> Calibration:
    """Return the coefficients fitted to the answers with a prior around the shipped ones, in the units of the sample.

    A coefficient that would turn its sign is left out: more words of the question never count against the hits.
    """
    if not judged:
        return shipped
    features, answers = list(shipped.weights), to_cases(judged)
    while True:
        fitted = _fit(shipped, features, answers, sample)
        meant = [name for name in features if fitted.weights[name] * shipped.weights[name] >= 0]
        if meant == features:
            return fitted
        features = meant


def predict(calibration: Calibration, cases: Sample) -> Floats:
    """Return the confidence that the judge has in each case."""
    weights = np.array(list(calibration.weights.values()))
    scores = cases.columns(list(calibration.weights)) @ weights + calibration.intercept
    chances = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    capped: Floats = np.where(cases.beside, np.minimum(chances, BESIDE_THE_POINT), chances)
    return capped


def to_cases(judged: Sequence[JudgedAnswer]) -> Sample:
    """Return the answers as cases: readers said of each whether it was right."""
    return Sample(
        rows=np.array([[answer.evidence[name] for name in FEATURES] for answer in judged], dtype=np.float64),
        beside=np.array([answer.beside_the_point for answer in judged], dtype=np.bool_),
        truth=np.array([answer.right for answer in judged], dtype=np.bool_),
    )


def _fit(shipped: Calibration, features: Sequence[str], answers: Sample, sample: Sample) -> Calibration:
    pinned = sample.columns(features)
    prior = Prior(
        weights=np.array([shipped.weights[name] for name in features]),
        intercept=shipped.intercept,
        mean=pinned.mean(0),
        spread=pinned.std(0),
    )
    weights, intercept = fit_from_prior(answers.columns(features), answers.truth, prior, ridge=RIDGE)
    rounded = {name: round(float(weight), 4) for name, weight in zip(features, weights, strict=True)}
    return replace(shipped, weights=rounded, intercept=round(intercept, 4))


def _too_few(judged: Sequence[JudgedAnswer], held_out: Sequence[JudgedAnswer]) -> str:
    right, held_right = (sum(answer.right for answer in answers) for answers in (judged, held_out))
    wrong, held_wrong = len(judged) - right, len(held_out) - held_right
    if min(right, wrong) >= MIN_EACH and min(held_right, held_wrong) >= MIN_EACH_HELD_OUT:
        return ""
    return (
        f"too few answers were judged: {right} right ({held_right} held out) and {wrong} wrong ({held_wrong}); "
        f"{MIN_EACH} of each are needed ({MIN_EACH_HELD_OUT})"
    )


def _within_floor(
    floor: Mapping[str, float], shipped: Calibration, fitted: Calibration, sample: Sample
) -> tuple[Calibration, float, str]:
    """Go from the shipped judge to the fitted one as far as the floor allows.

    Return the judge, the share of the way, and which metrics miss the floor where no share reaches it. A judge whose
    AUROC misses the floor no longer tells answered from unanswered: a smaller share of it is not tried.
    """
    below = ""
    for share in SHARES:
        between = _between(shipped, fitted, share)
        metrics = metrics_on(sample, predict(between, sample))
        broken = broken_floors(metrics, floor)
        below = below or broken
        if not broken:
            return between, share, ""
        if metrics["AUROC"] < floor["AUROC"]:
            break
    return fitted, 1.0, below


def _between(one: Calibration, other: Calibration, share: float) -> Calibration:
    weights = {
        name: round((1 - share) * weight + share * other.weights.get(name, 0.0), 4)
        for name, weight in one.weights.items()
    }
    return replace(one, weights=weights, intercept=round((1 - share) * one.intercept + share * other.intercept, 4))


def _compare(current: Calibration, new: Calibration, held_out: Sample, sample: Sample) -> dict[str, dict[str, float]]:
    truth, (before, after) = held_out.truth, (predict(judge, held_out) for judge in (current, new))
    pinned_before, pinned_after = (metrics_on(sample, predict(judge, sample)) for judge in (current, new))
    return {
        "log loss": change(float(log_losses(before, truth).mean()), float(log_losses(after, truth).mean())),
        "calibration error": change(calibration_error(before, truth), calibration_error(after, truth)),
        "AUROC": change(auroc(before, truth), auroc(after, truth)),
        **{f"pinned {name}": change(pinned_before[name], pinned_after[name]) for name in pinned_before},
    }


def _reason(metrics: Mapping[str, Mapping[str, float]], held_out: int, share: float) -> str:
    shown = ("log loss", "calibration error", "AUROC")
    parts = [f"{name} {metrics[name]['before']:.3f} → {metrics[name]['after']:.3f}" for name in shown]
    part = "" if share == 1 else f"; {share:.0%} of the way, as far as the pinned floor allows"
    return f"{', '.join(parts)} on {held_out} held-out answers{part}"
