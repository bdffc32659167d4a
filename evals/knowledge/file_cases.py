"""Cases for the judge from a few files of one's own, asked in other languages: was what would be shown right?

A knowledge base of three files has nothing else to compare with, and half of the questions ask what no file says of a
thing that one of them names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Final

from domain import Scope
from evals.knowledge.in_memory import MemoryKnowledge
from evals.knowledge.judge_cases import Case
from evals.sets.beir import passage_of
from pipeline.answering.compose import compose
from pipeline.judging.nearness import best_compared_first
from pipeline.question.analysis import analyse_question
from pipeline.retrieval.retrieve import Embed, retrieve

#: the sets, of other files each
FILES: Final = ("files", "more-files")
_DATA: Final = Path(__file__).parents[1] / "data" / "foreign-files"
_K: Final = 10


def file_cases(embedder: Embed, name: str) -> Iterator[Case]:
    """Yield the questions of a set."""
    for line in (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
        base = json.loads(line)
        passages = [passage_of(at, title, text, base["lang"]) for at, (title, text) in enumerate(base["files"].items())]
        knowledge = MemoryKnowledge.embedded(passages, embedder)
        with ThreadPoolExecutor(1) as pool:
            for asked in base["questions"]:
                yield _case(name, asked, knowledge, embedder, pool)


def _case(
    name: str, asked: Mapping[str, str | None], knowledge: MemoryKnowledge, embedder: Embed, pool: Executor
) -> Case:
    text, lang, wanted = asked["text"] or "", asked["lang"] or "", asked["answer"]
    analysis = analyse_question(text, lang)
    found = retrieve(
        [text],
        embedder.embed([text]),
        search=knowledge,
        pool=pool,
        k=_K,
        scope=Scope(),
        lang=lang,
        embedder_id=embedder.id,
    )
    hits = tuple(best_compared_first(embedder, analysis, found))
    answer = compose(analysis, hits, confidence=1.0)
    shown = " ".join(citation.quote for citation in answer.citations) if answer else ""
    return Case(
        set=name,
        lang=lang,
        condition="shown-right" if wanted and wanted in shown else "shown-wrong",
        fitted=True,
        analysis=analysis,
        answers=(wanted,) if wanted else (),
        hits=hits,
    )
