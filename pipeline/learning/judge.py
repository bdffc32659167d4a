"""Refit the judge from what readers said: the shipped coefficients, moved as far as the answers judged here call for.

The fit is pulled to the shipped coefficients, so that few answers move it little, and none of them turns against what
its feature means. It is taken only when it predicts the answers left out better than what serves, and does not fall
below the floor on the pinned sample: feedback that is wrong, or meant to harm, does not get past that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.judging.calibration import Calibration, calibration_for
from pipeline.judging.judge import BESIDE_THE_POINT
from pipeline.learning.feedback import JudgedAnswer, Refit, is_held_out
from pipeline.learning.judge_floor import Sample, broken_floors, metrics_on, pinned_floor, pinned_sample
from pipeline.learning.logistic import Prior, fit_from_prior
from pipeline.learning.metrics import Floats, Truth, auroc, calibration_error, is_better, log_losses

#: answers of each kind that there must be, and of these among those left out
MIN_EACH, MIN_EACH_HELD_OUT = 20, 5
#: what pulls to the shipped coefficients; 10 and 30 did about as well on halves of HotpotQA, SQuAD 2.0 and XQuAD
RIDGE = 20.0
#: the AUROC of a coin: feedback that even a judge fitted to it predicts worse is wrong, or meant to harm
COIN_AUROC = 0.5
#: parts of the way from the shipped coefficients that are tried, until the floor holds
SHARES = (1.0, 0.75, 0.5, 0.25)


def refit_judge(
    embedder: str, lang: str, judged: Sequence[JudgedAnswer], *, serving: Calibration | None = None
) -> Refit:
    """Fit the judge of an embedder and a language anew; ``serving`` is the learned one in use, if one is."""
    shipped = calibration_for(embedder, lang)
    held = [each for each in judged if is_held_out(each.question)]
    if lacking := _lacking(judged, held):
        return Refit(said=lacking, examples=len(judged))
    now = serving or shipped
    sample, floor = pinned_sample(embedder, lang), pinned_floor(embedder, lang)
    wanted = fit_judge(shipped, [each for each in judged if not is_held_out(each.question)], sample)
    found, share, below = _within(floor, shipped, wanted, sample)
    metrics = {**_compared(now, found, held), **_pinned(now, found, sample)}
    refit = Refit(said=_said(metrics, len(held), share), examples=len(judged), metrics=metrics)
    if below:
        return replace(refit, said=f"below the pinned floor: {below}")
    if metrics["AUROC"]["after"] < COIN_AUROC:
        return replace(refit, said=f"what readers say runs against all that speaks for an answer: {refit.said}")
    truth = _truth(held)
    if not is_better(log_losses(predict(now, held), truth), log_losses(predict(found, held), truth)):
        return replace(refit, said=f"no better than what serves: {refit.said}")
    return replace(refit, parameters={"weights": dict(found.weights), "intercept": found.intercept})


def fit_judge(shipped: Calibration, judged: Sequence[JudgedAnswer], sample: Sample) -> Calibration:
    """Return the coefficients that the answers call for, pulled to the shipped ones, in the units of the sample.

    A coefficient that would turn its sign is left out: more words of the question never count against the hits.
    """
    if not judged:
        return shipped
    features = list(shipped.weights)
    while True:
        fitted = _fit(shipped, features, judged, sample)
        meant = [name for name in features if fitted.weights[name] * shipped.weights[name] >= 0]
        if meant == features:
            return fitted
        features = meant


def predict(calibration: Calibration, judged: Sequence[JudgedAnswer]) -> Floats:
    """Return the probability of each answer as it would be judged."""
    beside = np.array([each.beside_the_point for each in judged], dtype=np.bool_)
    return _capped(calibration, _rows(judged, calibration.weights), beside)


def predict_pinned(calibration: Calibration, sample: Sample) -> Floats:
    """Return the probability of each case of the pinned sample."""
    return _capped(calibration, sample.columns(list(calibration.weights)), sample.beside)


def _fit(shipped: Calibration, features: Sequence[str], judged: Sequence[JudgedAnswer], sample: Sample) -> Calibration:
    pinned = sample.columns(features)
    prior = Prior(
        weights=np.array([shipped.weights[name] for name in features]),
        intercept=shipped.intercept,
        mean=pinned.mean(0),
        spread=pinned.std(0),
    )
    weights, intercept = fit_from_prior(_rows(judged, features), _truth(judged), prior, ridge=RIDGE)
    rounded = {name: round(float(weight), 4) for name, weight in zip(features, weights, strict=True)}
    return replace(shipped, weights=rounded, intercept=round(intercept, 4))


def _capped(calibration: Calibration, rows: Floats, beside: Truth) -> Floats:
    scores = rows @ np.array(list(calibration.weights.values())) + calibration.intercept
    chances = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    capped: Floats = np.where(beside, np.minimum(chances, BESIDE_THE_POINT), chances)
    return capped


def _rows(judged: Sequence[JudgedAnswer], features: Mapping[str, float] | Sequence[str]) -> Floats:
    return np.array([[each.evidence[name] for name in features] for each in judged], dtype=np.float64)


def _lacking(judged: Sequence[JudgedAnswer], held: Sequence[JudgedAnswer]) -> str:
    right, held_right = (sum(each.right for each in answers) for answers in (judged, held))
    wrong, held_wrong = len(judged) - right, len(held) - held_right
    if min(right, wrong) >= MIN_EACH and min(held_right, held_wrong) >= MIN_EACH_HELD_OUT:
        return ""
    return (
        f"too few answers were judged: {right} right ({held_right} left out) and {wrong} wrong ({held_wrong}); "
        f"{MIN_EACH} of each are needed ({MIN_EACH_HELD_OUT})"
    )


def _within(
    floor: Mapping[str, float], shipped: Calibration, wanted: Calibration, sample: Sample
) -> tuple[Calibration, float, str]:
    """Go from the shipped judge to the wanted one as far as the floor allows; give how far, and what else stops it.

    How sure a judge is may be met half way. One that does not tell answered from unanswered any more is none.
    """
    below = ""
    for share in SHARES:
        found = _between(shipped, wanted, share)
        figures = metrics_on(sample, predict_pinned(found, sample))
        said = broken_floors(figures, floor)
        below = below or said
        if not said:
            return found, share, ""
        if figures["AUROC"] < floor["AUROC"]:
            break
    return wanted, 1.0, below


def _between(one: Calibration, other: Calibration, share: float) -> Calibration:
    weights = {
        name: round((1 - share) * weight + share * other.weights.get(name, 0.0), 4)
        for name, weight in one.weights.items()
    }
    return replace(one, weights=weights, intercept=round((1 - share) * one.intercept + share * other.intercept, 4))


def _compared(now: Calibration, found: Calibration, held: Sequence[JudgedAnswer]) -> dict[str, dict[str, float]]:
    truth, (before, after) = _truth(held), (predict(each, held) for each in (now, found))
    return {
        "log loss": _change(*(float(log_losses(each, truth).mean()) for each in (before, after))),
        "calibration error": _change(*(calibration_error(each, truth) for each in (before, after))),
        "AUROC": _change(*(auroc(each, truth) for each in (before, after))),
    }


def _pinned(now: Calibration, found: Calibration, sample: Sample) -> dict[str, dict[str, float]]:
    before, after = (metrics_on(sample, predict_pinned(each, sample)) for each in (now, found))
    return {f"pinned {name}": _change(before[name], after[name]) for name in before}


def _truth(judged: Sequence[JudgedAnswer]) -> Truth:
    return np.array([each.right for each in judged], dtype=np.bool_)


def _change(before: float, after: float) -> dict[str, float]:
    return {"before": round(before, 4), "after": round(after, 4)}


def _said(metrics: Mapping[str, Mapping[str, float]], held: int, share: float) -> str:
    shown = ("log loss", "calibration error", "AUROC")
    parts = [f"{name} {metrics[name]['before']:.3f} → {metrics[name]['after']:.3f}" for name in shown]
    part = "" if share == 1 else f"; {share:.0%} of the way, as far as the pinned floor allows"
    return f"{', '.join(parts)} on {held} answers left out{part}"
