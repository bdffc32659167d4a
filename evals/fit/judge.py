"""Fit the judge's calibrations; write ``pipeline/judging/calibration.json``.

One half of the titles is used to fit, the other to report. A knowledge base on the subject without the answer, which
must never pass, counts as much as one with the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from evals.asked.judge_cases import cases_of_asked
from evals.knowledge.judge_cases import Case, Condition, cases_of
from evals.knowledge.manual_cases import SITES, manual_cases
from evals.knowledge.vector_cache import CachedEmbedder
from evals.sets.beir import read_set
from evals.sets.sites import read_python_docs
from pipeline.abstain import LIKELY_READ
from pipeline.judging.calibration import ANY_EMBEDDER, FEATURES, OTHER, READ, READ_FEATURES, WITHOUT_SIMILARITY
from pipeline.judging.judge import BESIDE_THE_POINT
from pipeline.learning.fits import fit_logistic
from pipeline.learning.metrics import auroc, calibration_error
from store.embedders import open_embedder

FITTED = Path(__file__).parents[2] / "pipeline" / "judging" / "calibration.json"
EMBEDDERS = ("minilm", "multilingual", "minilm+multilingual")
ASKED = ("finance-privacy", "games-faq", "pages")
SETS = ("squad2", "xquad-en", "xquad-de", "hotpotqa")
#: of those, what the model of read hits is fitted and measured on, beside asked questions
READ_SETS = ("squad2", "xquad-en", "hotpotqa")
LANGUAGES = ("en", "de", OTHER)
#: the weight of a case; those of the documentation, few and of the kind that is crawled, count more. With less weight
#: on "on the subject without answering", the calibration is better where the subject is unknown, but a crawl ends on
#: the first page that mentions the subject
COUNTS: dict[Condition, float] = {
    "all": 1.6,
    "title-out": 0.7,
    "passage-out": 1.0,
    "unanswerable": 0.3,
    "tiny": 1.0,
    "tiny-off": 0.4,
    "tiny-on": 0.6,
    "shown-right": 2.0,
    "shown-wrong": 1.5,
}
_DOCUMENTATION = 3.0
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


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option(
    "--docs", type=click.Path(path_type=Path, exists=True), help="Python's HTML docs; not for the model of read hits."
)
@click.option("--questions", type=int, default=700, help="How many of each set and manual, at most.")
@click.option(
    "--lang", "langs", multiple=True, type=click.Choice((*LANGUAGES, READ)), help="Fit this one; all by default."
)
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
@click.option("--embedder", "names", multiple=True, type=click.Choice(EMBEDDERS), help="Fit this one; all by default.")
def main(
    data: Path, docs: Path | None, questions: int, langs: Sequence[str], cache: Path, names: Sequence[str]
) -> None:
    """Fit on one half of the titles, report on the other, write the coefficients.

    Models of embedders that are not named stay; those for an unknown embedder are fitted only with all.

    To fit anew after the encoder or the reader has changed:

    \b
        python -m evals.fit.judge --lang "en, read" --embedder minilm --embedder minilm+multilingual \\
            --data DATA --cache build/cache

    DATA holds squad2, xquad-en and hotpotqa. The questions on manuals are those of training/data that no model learned
    from, and the asked ones come with evals/asked.
    """
    wanted = langs or (*LANGUAGES, READ)
    by_lang = [lang for lang in wanted if lang != READ]
    if by_lang and docs is None:
        raise click.UsageError(f'Name Python\'s HTML docs with --docs, or fit just --lang "{READ}".')
    known = [read_set(data / name) for name in SETS if by_lang or name in READ_SETS]
    if docs:
        known.append(read_python_docs(docs))
    if OTHER not in by_lang:
        known = [each for each in known if each.lang in by_lang or (READ in wanted and each.name in READ_SETS)]
    fitted, all_cases = [], list[Case]()
    for name in names or EMBEDDERS:
        embedder = CachedEmbedder(open_embedder(name, threads=1), cache)
        cases = [case for each in known for case in cases_of(each, embedder, questions) if case.evidence]
        all_cases += cases
        fitted += [fit(embedder.id, lang, cases, FEATURES) for lang in by_lang]
        if READ in wanted:
            asked = [case for each in ASKED for case in cases_of_asked(each, embedder, cache)]
            asked += [case for site in SITES for case in manual_cases(embedder, site, questions)]
            found = [*(case for case in cases if case.set in READ_SETS), *asked]
            fitted.append(fit_read(embedder.id, [case for case in found if case.evidence and case.evidence.is_read]))
    if not names:
        fitted += [fit(ANY_EMBEDDER, lang, all_cases, WITHOUT_SIMILARITY) for lang in by_lang]
    write(fitted)


def fit(embedder_id: str, lang: str, cases: Sequence[Case], features: Sequence[str]) -> dict[str, object]:
    """Return the stored form of a model fitted for one language, or for any; print its report."""
    mine = [each for each in cases if lang in (each.lang, OTHER)]
    fitted = [each for each in mine if each.fitted]
    features, weights, intercept = _fit_as_meant(fitted, features, _answered(fitted))
    if embedder_id == ANY_EMBEDDER:
        intercept -= _CAUTION
    tested = [each for each in mine if not each.fitted]
    chances = _chances(tested, features, weights, intercept)
    chances[[bool(each.evidence and each.evidence.beside_the_point) for each in tested]] *= BESIDE_THE_POINT
    report = dict(_reports(tested, chances))
    click.echo(f"{embedder_id} {lang}")
    for name, figures in report.items():
        click.echo(f"  {name:12} {figures}")
    return _stored(embedder_id, lang, fitted, features, weights, intercept) | {"tested": report}


def fit_read(embedder_id: str, cases: Sequence[Case]) -> dict[str, object]:
    """Return the model for hits that were read: of the sentences that would be shown; print what it says of each set.

    Each set of asked questions is judged by a model that was fitted without it.
    """
    features = (*FEATURES, *READ_FEATURES)
    report = {}
    for name in (*ASKED, *SITES):
        others = [case for case in cases if case.fitted and case.set != name]
        asked = [case for case in cases if case.set == name]
        names, weights, intercept = _fit_as_meant(others, features, _shown(others))
        chances, truth = _chances(asked, names, weights, intercept), _shown(asked)
        report[name] = {
            "AUROC": round(auroc(chances, truth), 3),
            "calibration error": round(calibration_error(chances, truth), 3),
            "right given": round(float((chances[truth] >= LIKELY_READ).mean()), 3),
            "wrong given": round(float((chances[~truth] >= LIKELY_READ).mean()), 3),
        }
        click.echo(f"{embedder_id} {READ}, without {name:16} {report[name]}")
    fitted = [case for case in cases if case.fitted]
    names, weights, intercept = _fit_as_meant(fitted, features, _shown(fitted))
    tested = [case for case in cases if not case.fitted]
    known = dict(_reports(tested, _chances(tested, names, weights, intercept)))
    for name, figures in known.items():
        click.echo(f"  {name:12} {figures}")
    return _stored(embedder_id, READ, fitted, names, weights, intercept) | {"tested": report | known}


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


def write(models: Sequence[dict[str, object]]) -> None:
    """Write the models instead of those of the same embedders and languages."""
    replaced = {(model["embedder"], model["lang"]) for model in models}
    others = [
        model
        for model in json.loads(FITTED.read_text("utf-8"))["models"]
        if (model["embedder"], model["lang"]) not in replaced
    ]
    stored = {
        "fitted_by": "evals/fit/judge.py",
        "threshold": THRESHOLD,
        "models": [*models, *others],
    }
    FITTED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


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
    return np.array([[getattr(each.evidence, feature) for feature in features] for each in cases], dtype=np.float64)


def _answered(cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.array([each.answered for each in cases], dtype=np.bool_)


def _shown(cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.array([case.shows_answer for case in cases], dtype=np.bool_)


def _counts(cases: Sequence[Case]) -> NDArray[np.float64]:
    return np.array(
        [COUNTS[each.condition] * (_DOCUMENTATION if each.set == "python-docs" else 1.0) for each in cases],
        dtype=np.float64,
    )


if __name__ == "__main__":
    main()
