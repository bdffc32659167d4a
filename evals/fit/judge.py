"""Fit the judge's calibrations; write ``pipeline/judging/calibration.json``.

One half of the titles is used to fit, the other to report. A knowledge base on the subject without the answer, which
must never pass, counts as much as one with the answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from evals.asked.judge_cases import cases_of_asked
from evals.fit.judge_models import ASKED, FEATURES, OF_CROSSED, SHOWN_SETS, THRESHOLD, fit, fit_shown
from evals.knowledge.file_cases import FILES, file_cases
from evals.knowledge.judge_cases import Case, cases_of
from evals.knowledge.vector_cache import CachedEmbedder
from evals.sets.beir import EvalSet, read_set
from evals.sets.sites import read_python_docs
from pipeline.judging.calibration import ANY_EMBEDDER, CROSSED, OTHER
from store.embedders import open_embedder

FITTED = Path(__file__).parents[2] / "pipeline" / "judging" / "calibration.json"
EMBEDDERS = ("minilm", "multilingual", "minilm+multilingual")
SETS = ("squad2", "xquad-en", "xquad-de", "hotpotqa")
LANGUAGES = ("en", "de", OTHER)


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option(
    "--docs", type=click.Path(path_type=Path, exists=True), help="Python's HTML docs; not for the model of read hits."
)
@click.option("--questions", type=int, default=700, help="How many of each set and manual, at most.")
@click.option(
    "--lang",
    "langs",
    multiple=True,
    type=click.Choice((*LANGUAGES, *SHOWN_SETS)),
    help="Fit this one; all by default.",
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
        python -m evals.fit.judge --lang compared --lang crossed --data DATA --cache build/cache
        python -m evals.fit.confidence --cache build/cache

    DATA holds squad2, xquad-en, xquad-de and hotpotqa. The questions on manuals are those of training/data that no
    model learned from, and the asked ones come with evals/asked.
    """
    wanted = langs or (*LANGUAGES, *SHOWN_SETS)
    shown = [lang for lang in wanted if lang in SHOWN_SETS]
    by_lang = [lang for lang in wanted if lang not in SHOWN_SETS]
    if by_lang and docs is None:
        raise click.UsageError(f"Name Python's HTML docs with --docs, or fit just {', '.join(SHOWN_SETS)}.")
    needed = {name for lang in shown if lang not in OF_CROSSED for name in SHOWN_SETS[lang]}
    is_crossed = bool(OF_CROSSED & {*shown})
    across = crossed(*(read_set(data / name) for name in SHOWN_SETS[CROSSED])) if is_crossed else []
    known = [read_set(data / name) for name in SETS if by_lang or name in needed]
    if docs:
        known.append(read_python_docs(docs))
    if OTHER not in by_lang:
        known = [each for each in known if each.lang in by_lang or each.name in needed]
    fitted, all_cases = [], list[Case]()
    for name in names or EMBEDDERS:
        embedder = CachedEmbedder(open_embedder(name, threads=1), cache)
        cases = [
            case for each in known for case in cases_of(each, embedder, questions, translates=False) if case.features
        ]
        all_cases += cases
        fitted += [fit(embedder.id, lang, cases, FEATURES) for lang in by_lang]
        sets = ASKED if shown else ()
        asked = [case for each in sets for case in cases_of_asked(each, embedder, cache)]
        asked += [case for each in across for case in cases_of(each, embedder, questions, translates=False)]
        asked += [case for each in FILES if across for case in file_cases(embedder, each, translates=False)]
        fitted += [model for lang in shown if (model := fit_shown(embedder.id, lang, [*cases, *asked]))]
    if not names:
        fitted += [fit(ANY_EMBEDDER, lang, all_cases, FEATURES[3:]) for lang in by_lang]
    write(fitted)


def crossed(one: EvalSet, other: EvalSet) -> list[EvalSet]:
    """Return each of two editions of a set with the passages of the other, which stand at the same places."""
    return [
        replace(
            asked,
            passages=read.passages,
            questions=tuple(
                replace(question, answers=same.answers)
                for question, same in zip(asked.questions, read.questions, strict=True)
            ),
        )
        for asked, read in ((one, other), (other, one))
    ]


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


if __name__ == "__main__":
    main()
