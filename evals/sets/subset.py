"""Cut the small sets of ``evals/data`` out of full ones: whole titles, so that the neighbours of an answer stay in.

No calibration is fitted on these titles (`evals.sets.beir.is_for_fitting`).
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from evals.sets.beir import SHIPPED, is_for_fitting

_SEED = 20

Row = dict[str, Any]
Select = Callable[["_Full"], set[str]]


@dataclass(frozen=True, kw_only=True)
class _Full:
    """The rows of a set's files."""

    corpus: list[Row]
    queries: list[Row]
    gold: dict[str, list[str]]  #: query → documents

    def documents(self, titles: Iterable[str]) -> set[str]:
        wanted = set(titles)
        return {row["_id"] for row in self.corpus if row["title"].replace("_", " ") in wanted}

    def titles(self) -> list[str]:
        return list(dict.fromkeys(row["title"].replace("_", " ") for row in self.corpus))


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of the full sets.")
def main(data: Path) -> None:
    """Write the small sets."""
    for name, (source, select, each_kind) in _CUTS.items():
        full = _read(data / source)
        _write(SHIPPED / name, full, select(full), each_kind)


def _squad(full: _Full) -> set[str]:
    """Select the titles that questions are about, and four others."""
    title_of = {row["_id"]: row["title"].replace("_", " ") for row in full.corpus}
    asked = {title_of[document] for documents in full.gold.values() for document in documents}
    free = [title for title in full.titles() if not is_for_fitting(title)]
    others = [title for title in free if title not in asked]
    return full.documents({*(title for title in free if title in asked), *others[:4]})


def _xquad(full: _Full) -> set[str]:
    """Select a dozen titles."""
    return full.documents([title for title in full.titles() if not is_for_fitting(title)][:12])


def _hotpot(full: _Full) -> set[str]:
    """Select the documents of the first questions: two that answer and eight that do not, in a row."""
    return {row["_id"] for row in full.corpus[:300]}


#: small set → the full one, the documents, the most questions of each kind a title
_CUTS: dict[str, tuple[str, Select, int]] = {
    "squad2-part": ("squad2", _squad, 30),
    "xquad-en-part": ("xquad-en", _xquad, 15),
    "xquad-de-part": ("xquad-de", _xquad, 15),
    "hotpotqa-part": ("hotpotqa", _hotpot, 100),
}


def _read(folder: Path) -> _Full:
    gold: dict[str, list[str]] = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        gold[query].append(document)
    return _Full(corpus=_rows(folder / "corpus.jsonl"), queries=_rows(folder / "queries.jsonl"), gold=gold)


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _write(folder: Path, full: _Full, documents: set[str], each_kind: int) -> None:
    """Write the documents and a sample of the questions on them, the same each time."""
    title_of = {row["_id"]: row["title"] for row in full.corpus}
    kinds: dict[tuple[str, bool], list[Row]] = defaultdict(list)
    for row in full.queries:
        if full.gold.get(row["_id"]) and documents.issuperset(full.gold[row["_id"]]):
            kinds[title_of[full.gold[row["_id"]][0]], row["answerable"]].append(row)
    chance = random.Random(_SEED)  # noqa: S311 - a sample, not a secret
    sampled = {row["_id"] for rows in kinds.values() for row in chance.sample(rows, min(each_kind, len(rows)))}
    folder.mkdir(parents=True, exist_ok=True)
    _dump(folder / "corpus.jsonl", (row for row in full.corpus if row["_id"] in documents))
    _dump(folder / "queries.jsonl", (row for row in full.queries if row["_id"] in sampled))
    pairs = [f"{query}\t{document}\t1" for query in full.gold if query in sampled for document in full.gold[query]]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *pairs]) + "\n", "utf-8")


def _dump(path: Path, rows: Iterable[Row]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
