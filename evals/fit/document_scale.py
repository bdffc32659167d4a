"""Fit what the design document's .7 is in each bundled embedder's similarity; write ``pipeline/documents/scale.json``.

The rule wants two hits of .7, and .7 is of another embedder. So each embedder's .7 is the similarity at which the rule
decides best: the second most similar passage of a question that the passages answer lies at or above it, and that of
the same question with all pages of its titles out lies below it. One half of the titles fits, the other reports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from evals.fit.judge import EMBEDDERS
from evals.knowledge.vector_cache import CachedEmbedder
from evals.sets.beir import EvalSet, is_for_fitting, read_set
from pipeline.retrieval.retrieve import Embed
from store.embedders import open_embedder
from store.passages.schema import embedding_text

FITTED = Path(__file__).parents[2] / "pipeline" / "documents" / "scale.json"
SETS = ("squad2", "xquad-en", "xquad-de")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The similarities that one question has."""

    fitted: bool  #: used to fit, else to report
    true: float  #: of the passage that answers
    second: float  #: of the second most similar passage, everything in
    without: float  #: of the second most similar passage, the pages of its titles out


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
def main(data: Path, cache: Path) -> None:
    """Fit on one half of the titles, report on the other, write the scale of each embedder."""
    scales = []
    for name in EMBEDDERS:
        embedder = CachedEmbedder(open_embedder(name, threads=1), cache)
        sets = [read_set(data / each) for each in SETS if name != "minilm" or not each.endswith("-de")]
        asked = [one for each in sets for one in similarities(each, embedder)]
        best = _best([one for one in asked if one.fitted])
        scales.append({"embedder": embedder.id, "similarity": round(best, 3)} | _report(asked, best))
        click.echo(scales[-1])
    stored = {"fitted_by": "evals/fit/document_scale.py", "sets": SETS, "scales": scales}
    FITTED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def similarities(eval_set: EvalSet, embedder: Embed) -> Iterator[Asked]:
    """Yield the similarities of each answerable question of the set."""
    questions = [question for question in eval_set.questions if question.gold and question.answerable]
    titles = np.array([passage.title for passage in eval_set.passages])
    rows = embedder.embed([embedding_text(passage) for passage in eval_set.passages])
    asked = embedder.embed([question.text for question in questions])
    for question, found in zip(questions, asked @ rows.T, strict=True):
        own = {titles[at] for at in question.gold}
        yield Asked(
            fitted=is_for_fitting(min(own)),
            true=float(max(found[at] for at in question.gold)),
            second=float(np.sort(found)[-2]),
            without=float(np.sort(found[~np.isin(titles, list(own))])[-2]),
        )


def _best(asked: Sequence[Asked]) -> float:
    candidates = sorted({round(one.second, 3) for one in asked})
    return max(candidates, key=lambda bound: _decided(asked, bound))


def _decided(asked: Sequence[Asked], bound: float) -> float:
    """Return the rule's balanced accuracy at this bound."""
    return float(np.mean([one.second >= bound for one in asked]) + np.mean([one.without < bound for one in asked])) / 2


def _report(asked: Sequence[Asked], bound: float) -> dict[str, float]:
    held = [one for one in asked if not one.fitted]
    return {
        "questions": len(held),
        "true_passages_at_or_above": round(float(np.mean([one.true >= bound for one in held])), 3),
        "answered": round(float(np.mean([one.second >= bound for one in held])), 3),
        "abstained_without_the_page": round(float(np.mean([one.without < bound for one in held])), 3),
    }


if __name__ == "__main__":
    main()
