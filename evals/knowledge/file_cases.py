"""Cases for the judge from a few files of one's own, asked in other languages: was what would be shown right?

A knowledge base of three files has nothing else to compare with, and half of the questions ask what no file says of a
thing that one of them names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Final

from domain import Hit, Scope
from evals.knowledge.in_memory import MemoryKnowledge
from evals.knowledge.judge_cases import Case
from evals.sets.beir import passage_of
from pipeline.answering.compose import compose
from pipeline.judging.evidence import gather
from pipeline.judging.reading import best_first
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader import PassageReader
from pipeline.retrieval.retrieve import Embed, retrieve

#: the sets, of other files each
FILES: Final = ("files", "more-files")
_DATA: Final = Path(__file__).parents[1] / "data" / "foreign-files"
_K: Final = 10


def file_cases(embedder: Embed, name: str, *, translates: bool = True) -> Iterator[Case]:
    """Yield the questions of a set; without ``translates`` other languages than English are not read."""
    reader = PassageReader()
    for line in (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
        base = json.loads(line)
        passages = [passage_of(at, title, text, base["lang"]) for at, (title, text) in enumerate(base["files"].items())]
        knowledge = MemoryKnowledge.embedded(passages, embedder)
        with ThreadPoolExecutor(1) as pool:
            for asked in base["questions"]:
                analysis = analyse_question(asked["text"], asked["lang"])
                found = _search(analysis, knowledge, embedder, pool)
                hits = best_first(embedder, reader, analysis, found, translates=translates)
                yield _case(name, analysis, asked["answer"], tuple(hits))


def _search(analysis: Analysis, knowledge: MemoryKnowledge, embedder: Embed, pool: Executor) -> list[Hit]:
    hits, _ = retrieve(
        [analysis.text],
        embedder.embed([analysis.text]),
        search=knowledge,
        pool=pool,
        k=_K,
        scope=Scope(),
        lang=analysis.lang,
        embedder_id=embedder.id,
    )
    return hits


def _case(name: str, analysis: Analysis, wanted: str | None, hits: tuple[Hit, ...]) -> Case:
    answer = compose(gather(analysis, hits), confidence=1.0)
    shown = " ".join(citation.quote for citation in answer.citations) if answer else ""
    return Case(
        set=name,
        lang=analysis.lang,
        condition="shown-right" if wanted and wanted in shown else "shown-wrong",
        fitted=True,
        analysis=analysis,
        answers=(wanted,) if wanted else (),
        hits=hits,
    )
