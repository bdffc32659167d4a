"""Count how common terms are in a mixed background; write ``text/rarity.json``.

The background is the half of the sets' titles that calibrations are fitted on, and the same half of the documentation.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from evals.sets.beir import EvalSet, is_for_fitting, read_set
from evals.sets.sites import read_python_docs
from text.terms import RARE, analyse

TABLE = Path(__file__).parents[2] / "text" / "rarity.json"
#: a term seen less often is as rare as one never seen
_SEEN_AT_LEAST = 3


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option("--docs", type=click.Path(path_type=Path, exists=True), required=True, help="Python's HTML docs.")
def main(data: Path, docs: Path) -> None:
    """Write the table of common terms."""
    sets = [read_set(folder) for folder in sorted(data.iterdir()) if (folder / "corpus.jsonl").exists()]
    table = count([*sets, read_python_docs(docs)])
    TABLE.write_text(json.dumps(table, ensure_ascii=False, indent=0, sort_keys=True) + "\n", "utf-8")
    click.echo({lang: len(terms) for lang, terms in table.items()})


def count(sets: Sequence[EvalSet]) -> dict[str, dict[str, float]]:
    """Return {language: {term: weight}} for the terms seen often enough."""
    texts: dict[str, list[set[str]]] = {}
    for passage in {item.content_hash: item for each in sets for item in each.passages}.values():
        if is_for_fitting(passage.title):
            texts.setdefault(passage.lang, []).append(set(analyse(passage.text, passage.lang)))
    return {lang: _weights(found) for lang, found in texts.items()}


def _weights(texts: list[set[str]]) -> dict[str, float]:
    frequency = Counter(term for terms in texts for term in terms)
    common = {term: seen for term, seen in frequency.items() if seen >= _SEEN_AT_LEAST and not term.isdigit()}
    return {term: round(rarity_of(seen, len(texts)), 3) for term, seen in common.items()}


def rarity_of(texts_with_term: int, texts: int) -> float:
    """Return the weight of a term from its document frequency: its BM25 idf, as a share of a hapax's."""
    return min(RARE, _idf(texts_with_term, texts) / _idf(1, texts))


def _idf(texts_with_term: int, texts: int) -> float:
    return math.log(1 + (texts - texts_with_term + 0.5) / (texts_with_term + 0.5))


if __name__ == "__main__":
    main()
