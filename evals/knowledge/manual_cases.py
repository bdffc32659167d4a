"""Cases for the judge from the manuals that no model learned from: was what the composer would show right?"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from domain import Hit, Passage, Scope
from evals.knowledge.in_memory import MemoryKnowledge
from evals.knowledge.judge_cases import Case, Condition
from evals.sets.beir import passage_of
from pipeline.answering.compose import compose
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader.read_hits import best_read_first
from pipeline.reader.reader import Reader
from pipeline.retrieval.retrieve import Embed, retrieve

#: as `training.examples.HELD_OUT`
SITES: Final = ("kicad", "homebank", "nut", "harden", "wesnoth")
DATA: Final = Path(__file__).parents[2] / "training" / "data"
_K = 14
#: the share of the evidence, or of a shorter quote, that both must have
_HELD = 0.5


def manual_cases(embedder: Embed, site: str, at_most: int) -> Iterator[Case]:
    """Yield up to ``at_most`` questions on a manual, each also without the passage that answers it."""
    stored = [row for row in _lines("manuals-passages") if row["id"].startswith(f"{site}:")]
    passages = [passage_of(at, row["title"], row["text"], "en") for at, row in enumerate(stored)]
    places = {row["id"]: at for at, row in enumerate(stored)}
    knowledge = MemoryKnowledge.embedded(passages, embedder)
    asked = [row for row in _lines("manuals-questions") if row["site"] == site][:at_most]
    vectors = embedder.embed([row["question"] for row in asked])
    reader = Reader(remembered=len(passages))
    with ThreadPoolExecutor(1) as pool:
        for row, vector in zip(asked, vectors, strict=True):
            gold = passages[places[row["passage"]]]
            for base in (knowledge, knowledge.hiding([gold.id])) if row["evidence"] else (knowledge,):
                analysis = analyse_question(row["question"], "en")
                found = retrieve(
                    [row["question"]],
                    vector[None],
                    search=base,
                    pool=pool,
                    k=_K,
                    scope=Scope(),
                    lang="en",
                    embedder_id=embedder.id,
                )
                hits = tuple(best_read_first(reader, analysis, found))
                yield Case(
                    set=site,
                    lang="en",
                    condition=_condition(row, gold, analysis, hits) if base is knowledge else "passage-out",
                    fitted=True,
                    analysis=analysis,
                    answers=(gold.text[slice(*row["short"])],) if row["short"] else (),
                    hits=hits,
                )


def _condition(row: dict[str, Any], gold: Passage, analysis: Analysis, hits: tuple[Hit, ...]) -> Condition:
    """Return whether a quote holds a good part of the evidence, or the short answer."""
    answer = compose(analysis, hits, confidence=1.0) if hits else None
    short = gold.text[slice(*row["short"])].casefold() if row["short"] else ""
    for citation in answer.citations if answer else ():
        if short and short in citation.quote.casefold():
            return "shown-right"
        for start, end in row["evidence"] if citation.passage_id == gold.id else ():
            common = min(end, citation.end) - max(start, citation.start)
            if common >= _HELD * min(end - start, citation.end - citation.start):
                return "shown-right"
    return "shown-wrong"


def _lines(name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(DATA / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
