"""Pin the floors of a refitted judge and reranker: ``pipeline/learning/judge_floor.json`` and ``rerank_floor.json``.

The cases are of the shipped sets, on whose titles nothing was fitted. Only numbers are stored: the judge's features,
the reranker's signals, and whether the hits answer.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from evals.fit.rerank import Case as ListCase
from evals.fit.rerank import cases_of as lists_of
from evals.knowledge.judge_cases import Case, cases_of
from evals.knowledge.vector_cache import CachedEmbedder
from evals.sets.beir import SHIPPED, EvalSet, read_set
from pipeline.judging.calibration import ANY_EMBEDDER, FEATURES, OTHER, calibration_for
from pipeline.learning import judge_floor, reranker
from pipeline.learning.feedback import RankedHits
from pipeline.learning.judge import predict
from pipeline.retrieval.rerank.learned import weighted_mean, weights
from store.embedders import Embedder, open_embedder

FOLDER = Path(__file__).parents[2] / "pipeline" / "learning"
EMBEDDERS = ("minilm+multilingual", "minilm", "multilingual")
SETS = ("squad2-part", "xquad-en-part", "xquad-de-part", "hotpotqa-part")
#: cases of each kind and language, lists of each set, hits of each list
_CASES, _LISTS, _HITS = 60, 20, 10


@click.command()
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
def main(cache: Path) -> None:
    """Choose the cases, measure the shipped coefficients on them, and pin floors below that."""
    sets = [read_set(SHIPPED / name) for name in SETS]
    embedders = [CachedEmbedder(open_embedder(name, threads=1), cache) for name in EMBEDDERS]
    samples = {each.id: _samples(sets, each) for each in embedders}
    floors = {name: _floors(name, samples[name]) for name in samples}
    floors[ANY_EMBEDDER] = _floors(ANY_EMBEDDER, samples[embedders[0].id])
    _write("judge_floor.json", {"features": FEATURES, "floors": floors, "samples": samples})
    lists = [_list(case) for each in sets for case in _some(list(lists_of(each, embedders[0], 200)), _LISTS)]
    ranked = [RankedHits(question="", signals=each["signals"], right=_places(each)) for each in lists]
    figures = reranker.metrics_on(ranked, weights())
    click.echo(f"reranker: {figures}")
    _write("rerank_floor.json", {"floor": reranker.floor_from(figures), "lists": lists})


def _samples(sets: Sequence[EvalSet], embedder: Embedder) -> dict[str, dict[str, list[list[float]]]]:
    """Return for each language the features of cases that are answered and of cases that are not."""
    cases = [case for each in sets for case in cases_of(each, embedder, 200) if case.condition != "unanswerable"]
    samples: dict[str, dict[str, list[list[float]]]] = {}
    for lang in dict.fromkeys(each.lang for each in sets):
        mine = [case for case in cases if case.lang == lang]
        answered = _some([case for case in mine if case.answered], _CASES)
        unanswered = _some([case for case in mine if not case.answered], _CASES)
        samples[lang] = {"answered": list(_rows(answered)), "unanswered": list(_rows(unanswered))}
    return samples


def _rows(cases: Sequence[Case]) -> Iterable[list[float]]:
    for case in cases:
        if evidence := case.evidence:
            yield [*(round(float(getattr(evidence, name)), 3) for name in FEATURES), int(evidence.beside_the_point)]


def _floors(embedder: str, samples: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    floors = {}
    for lang in (*samples, OTHER):
        sample = judge_floor.to_sample([samples[lang]] if lang in samples else list(samples.values()))
        figures = judge_floor.metrics_on(sample, predict(calibration_for(embedder, lang), sample))
        click.echo(f"{embedder} {lang}: {figures}")
        floors[lang] = judge_floor.floor_from(figures)
    return floors


def _list(case: ListCase) -> dict[str, Any]:
    """Return the signals of the best hits, and the places of those that answer."""
    order = np.argsort([-weighted_mean(each, weights()) for each in case.signals], kind="stable")[:_HITS]
    signals = [[round(float(getattr(case.signals[at], name)), 3) for name in reranker.SIGNALS] for at in order]
    gold = case.question.gold
    return {
        "signals": signals,
        "right": [place for place, at in enumerate(order) if case.hits[at].passage.page_id in gold],
    }


def _places(each: Mapping[str, Any]) -> list[bool]:
    return [at in each["right"] for at in range(len(each["signals"]))]


def _some(cases: list[Any], count: int) -> list[Any]:
    usable = [case for case in cases if not isinstance(case, ListCase) or any(_places(_list(case)))]
    return random.Random(20).sample(usable, min(count, len(usable)))  # noqa: S311 - a sample, not a secret


def _write(name: str, stored: Mapping[str, Any]) -> None:
    """Write JSON with one case a line, so that changes are readable."""
    text = json.dumps({"written_by": "evals/fit/learning_floors.py", **stored}, separators=(",", ":"))
    (FOLDER / name).write_text(text.replace("],[", "],\n[").replace('},"', '},\n"') + "\n", "utf-8")
    click.echo(f"{name}: {(FOLDER / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
