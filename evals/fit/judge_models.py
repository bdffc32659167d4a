"""Fit one of the judge's models on cases, and report how it does on others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

import click
import numpy as np
from numpy.typing import NDArray

from domain.outcome import UNSURE_FROM
from evals.knowledge.file_cases import FILES
from evals.knowledge.judge_cases import Case, Condition
from evals.measure.probabilities import Floats, Truth, auroc, calibration_error
from pipeline.judging.calibration import ANY_EMBEDDER, COMPARED, CROSSED, OTHER, Features

#: the features that only a reader gives, and those that only comparing sentences gives
READ_FEATURES = ("answers", "evidence", "ahead", "rivals")
COMPARED_FEATURES = ("near", "near_margin")
#: the features of a model for a known embedder: the other numbers
_BY_MEANING = frozenset((*READ_FEATURES, *COMPARED_FEATURES, "translated"))
FEATURES = tuple(
    field.name for field in fields(Features) if field.type in (float, "float") and field.name not in _BY_MEANING
)
#: what the models of hits that were read weigh
SHOWN_FEATURES = ("margin", *READ_FEATURES, "is_compared", "is_crossed")

ASKED = ("finance-privacy", "games-faq", "pages", "readmes")
#: what the models of read and of compared hits are fitted and measured on, beside asked questions
SHOWN_SETS = {
    COMPARED: ("xquad-de",),
    CROSSED: ("xquad-en", "xquad-de"),
}
#: those of hits in another language than the question
OF_CROSSED = frozenset({CROSSED})
#: what tells of a sentence in another language than the question's, whose words are covered by translations
CROSSED_FEATURES = (
    "similarity",
    "agreement",
    "margin",
    "passage_coverage",
    "coverage_margin",
    "sentence_coverage",
    "led_coverage",
    "missing_weight",
    "absent_weight",
    "missing_name",
    *COMPARED_FEATURES,
    "translated",
)
#: the features of each of these models
_FEATURES_OF = {COMPARED: (*FEATURES, *COMPARED_FEATURES), CROSSED: CROSSED_FEATURES}
#: the weight of a case. With less weight
#: on "on the subject without answering", the calibration is better where the subject is unknown, but a crawl ends on
#: the first page that mentions the subject
COUNTS: dict[Condition, float] = {
    "all": 1.6,
    "title-out": 0.7,
    "passage-out": 1.0,
    "unanswerable": 0.3,
    "tiny": 1.0,
    "tiny-off": 0.4,
    "tiny-on": 1.5,
    "shown-right": 4.0,
    "shown-wrong": 2.0,
}
#: the weight of a set whose cases are few and of a kind that is asked often
_OF_SETS = {"python-docs": 3.0, **dict.fromkeys(FILES, 3.0)}
#: how much is taken off the log odds of an unknown embedder
_CAUTION = 0.7
#: the confidence that suffices unless a strategy sets another
THRESHOLD = 0.7
#: −1: features that count against an answer; 0: those that only set the level; all others count for an answer
_MEANT = {"missing_weight": -1, "absent_weight": -1, "missing_name": -1, "term_count": 0, "term_weight": 0}
#: a negative condition and the positive one it is compared with
_AGAINST: tuple[tuple[Condition, Condition], ...] = (
    ("title-out", "all"),
    ("passage-out", "all"),
    ("unanswerable", "all"),
    ("tiny-off", "tiny"),
    ("tiny-on", "tiny"),
)


def fit(embedder_id: str, lang: str, cases: Sequence[Case], features: Sequence[str]) -> dict[str, object]:
    """Return the stored form of a model fitted for one language, or for any; print its report."""
    mine = [each for each in cases if lang in (each.lang, OTHER)]
    fitted = [each for each in mine if each.fitted]
    features, weights, intercept = _fit_as_meant(fitted, features, _answered(fitted))
    if embedder_id == ANY_EMBEDDER:
        intercept -= _CAUTION
    tested = [each for each in mine if not each.fitted]
    chances = _chances(tested, features, weights, intercept)
    report = dict(_reports(tested, chances))
    click.echo(f"{embedder_id} {lang}")
    for name, figures in report.items():
        click.echo(f"  {name:12} {figures}")
    return _stored(embedder_id, lang, fitted, features, weights, intercept) | {"tested": report}


def fit_shown(embedder_id: str, lang: str, found: Sequence[Case]) -> dict[str, object]:
    """Return the model for hits that were read, or compared: of the sentences that would be shown; print a report.

    An embedder of one language compares nothing, and gets none.

    Each set of asked questions is judged by a model that was fitted without it.
    """
    features = _FEATURES_OF[lang]
    known = {*ASKED, *FILES, *SHOWN_SETS[lang]}
    cases = [case for case in found if case.set in known and case.features and _is_of(lang, case.features)]
    if not cases:
        return {}
    report = {}
    for name in (*ASKED, *FILES):
        if not any(case.set == name for case in cases):
            continue
        others = [case for case in cases if case.fitted and case.set != name]
        asked = [case for case in cases if case.set == name]
        names, weights, intercept = _fit_as_meant(others, features, _shown(others))
        chances, truth = _chances(asked, names, weights, intercept), _shown(asked)
        report[name] = {
            "AUROC": round(auroc(chances, truth), 3),
            "calibration error": round(calibration_error(chances, truth), 3),
            "right given": round(float((chances[truth] >= UNSURE_FROM).mean()), 3),
            "wrong given": round(float((chances[~truth] >= UNSURE_FROM).mean()), 3),
        }
        click.echo(f"{embedder_id} {lang}, without {name:16} {report[name]}")
    fitted = [case for case in cases if case.fitted]
    names, weights, intercept = _fit_as_meant(fitted, features, _shown(fitted))
    tested = [case for case in cases if not case.fitted]
    of_sets = dict(_reports(tested, _chances(tested, names, weights, intercept)))
    for name, figures in of_sets.items():
        click.echo(f"  {name:12} {figures}")
    return _stored(embedder_id, lang, fitted, names, weights, intercept) | {"tested": report | of_sets}


def _is_of(lang: str, of: Features) -> bool:
    return not of.is_read and (of.is_compared, of.is_crossed) == (True, lang in OF_CROSSED)


def _chances(
    cases: Sequence[Case], features: Sequence[str], weights: NDArray[np.float64], intercept: float
) -> NDArray[np.float64]:
    chances: NDArray[np.float64] = 1 / (1 + np.exp(-(_rows(cases, features) @ weights + intercept)))
    return chances


def _stored(
    embedder_id: str,
    lang: str,
    fitted: Sequence[Case],
    features: Sequence[str],
    weights: NDArray[np.float64],
    intercept: float,
) -> dict[str, object]:
    """Return a model as it is stored, with the sets that it was fitted on."""
    return {
        "embedder": embedder_id,
        "lang": lang,
        "cases": len(fitted),
        "sets": sorted({case.set for case in fitted}),
        "weights": dict(zip(features, (round(float(weight), 4) for weight in weights), strict=True)),
        "intercept": round(intercept, 4),
    }


def _fit_as_meant(
    cases: Sequence[Case], features: Sequence[str], truth: NDArray[np.bool_]
) -> tuple[list[str], NDArray[np.float64], float]:
    """Fit, and drop one by one the features whose weight contradicts their meaning."""
    names = list(features)
    while True:
        rows = _rows(cases, names)
        weights, intercept = fit_logistic(rows, truth, _counts(cases))
        effects = {
            name: _MEANT.get(name, 1) * weight for name, weight in zip(names, weights * rows.std(0), strict=True)
        }
        worst = min((name for name in names if _MEANT.get(name, 1)), key=lambda name: effects[name])
        if effects[worst] >= 0:
            return names, weights, intercept
        names.remove(worst)


def _reports(cases: Sequence[Case], chances: NDArray[np.float64]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield for each set its recall and error, and for each kind of negative the AUROC and the share that passes."""
    truth = _answered(cases)
    condition = np.array([each.condition for each in cases])
    for name in dict.fromkeys(each.set for each in cases):
        mine = np.array([each.set == name for each in cases])
        figures = {
            "recall": float((chances[mine & (condition == "all")] >= THRESHOLD).mean()),
            "recall tiny": float((chances[mine & (condition == "tiny")] >= THRESHOLD).mean()),
            "calibration error": calibration_error(chances[mine], truth[mine]),
        }
        for negative, positive in _AGAINST:
            both = mine & ((condition == negative) | (condition == positive))
            if (both & ~truth).any() and (both & truth).any():
                figures[f"AUROC {negative}"] = auroc(chances[both], truth[both])
                figures[f"false {negative}"] = float((chances[both & ~truth] >= THRESHOLD).mean())
        yield name, {key: round(figure, 3) for key, figure in figures.items()}


def _rows(cases: Sequence[Case], features: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[getattr(each.features, feature) for feature in features] for each in cases], dtype=np.float64)


def _answered(cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.array([each.answered for each in cases], dtype=np.bool_)


def _shown(cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.array([case.shows_answer for case in cases], dtype=np.bool_)


def _counts(cases: Sequence[Case]) -> NDArray[np.float64]:
    return np.array(
        [COUNTS[each.condition] * _OF_SETS.get(each.set, 1.0) for each in cases],
        dtype=np.float64,
    )


def fit_logistic(rows: Floats, truth: Truth, counts: Floats, *, ridge: float = 1.0) -> tuple[Floats, float]:
    """Return the weights of the raw features and the intercept; ``counts`` are the rows' weights.

    The weights of the standardised features are pulled to 0 by ``ridge``; the intercept is free.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(rows, sample_weight=counts)
    model = LogisticRegression(C=1 / ridge, tol=1e-8, max_iter=1000)
    model.fit(scaler.transform(rows), truth, sample_weight=counts)
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)
