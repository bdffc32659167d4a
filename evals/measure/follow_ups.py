"""Measure follow-ups: is a question completed from its thread rightly, by rules alone?

The cases of ``evals/sets/follow_ups`` were written for this project: the rules were made with ``seen``, ``dev`` and
``tune``, and nobody looked at what became of ``unseen``, ``check`` and ``held`` meanwhile. Those of ``seen`` and
``unseen`` with a site ask about one of the manuals that no model learned from, those of ``dev`` and ``check`` about the
pages of a town; those of ``tune`` and ``held`` ask about anything, and are looked up nowhere.
"""

from __future__ import annotations

import json
import lzma
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from domain import Passage
from domain.question import Turn
from evals.knowledge.in_memory import MemoryKnowledge
from evals.sets.beir import passage_of
from evals.sets.sites import read_folder
from pipeline.ask import LookupRequest, Tools, first_pass
from pipeline.question.follow_up import understand
from pipeline.reader import PassageReader
from pipeline.retrieval.retrieve import Embed

SPLITS: Final = ("seen", "unseen", "dev", "check", "tune", "held")
CASES: Final = Path(__file__).parents[1] / "sets" / "follow_ups"
PASSAGES: Final = Path(__file__).parents[2] / "training" / "data" / "manuals-passages.jsonl.xz"
#: the town's pages, by the names that the cases have for them
PAGES: Final = {
    f"pages-{lang}": Path(__file__).parents[1] / "asked/sets/pages" / f"site-{lang}" for lang in ("en", "de")
}
#: hits among which the passage that answers should be
_TOP: Final = 5


@dataclass(frozen=True, kw_only=True)
class Case:
    """A follow-up in its thread."""

    id: str
    lang: str
    site: str  #: the manual, or the pages, it is about; "": none
    turns: tuple[Turn, ...]
    asked: str
    needs: tuple[str, ...]  #: expressions that the completed question matches, all of them
    never: tuple[str, ...]  #: those that it must not match: of another subject
    gold: str  #: of the ids of the passages that may answer

    def is_right(self, understood: str) -> bool:
        """Return whether a question is what was meant."""
        return all(re.search(each, understood, re.IGNORECASE) for each in self.needs) and not any(
            re.search(each, understood, re.IGNORECASE) for each in self.never
        )


def read_cases(split: str) -> list[Case]:
    """Return the cases of one of the splits."""
    return [_case(json.loads(line)) for line in (CASES / f"{split}.jsonl").read_text("utf-8").splitlines()]


def measure_wording(cases: Sequence[Case]) -> dict[str, float]:
    """Return the share of the follow-ups that are completed rightly, of all and by language."""
    right = {case.id: case.is_right(understand(case.asked, case.turns)) for case in cases}
    langs = sorted({case.lang for case in cases})
    by_lang = {lang: [right[case.id] for case in cases if case.lang == lang] for lang in langs}
    return {"resolved": _mean(list(right.values()))} | {f"resolved.{lang}": _mean(of) for lang, of in by_lang.items()}


def measure_answers(cases: Sequence[Case], embedder: Embed) -> dict[str, float]:
    """Return how often a passage of the right pages is among the best five, as asked and completed, and how sure it is.

    ``sure_elsewhere`` is the share whose answer is sure and cites no right page.
    """
    found: dict[str, list[bool]] = {"found_as_asked": [], "found": [], "sure": [], "sure_elsewhere": []}
    with ThreadPoolExecutor(2) as pool:
        for site in sorted({case.site for case in cases if case.site}):
            ids, passages = _passages(site)
            tools = _tools(passages, embedder, pool)
            for case in (case for case in cases if case.site == site):
                as_asked = first_pass(LookupRequest(text=case.asked, lang=case.lang), tools)
                result = first_pass(LookupRequest(text=understand(case.asked, case.turns), lang=case.lang), tools)
                found["found_as_asked"].append(_has(case, ids, [hit.passage.page_id for hit in as_asked.hits[:_TOP]]))
                found["found"].append(_has(case, ids, [hit.passage.page_id for hit in result.hits[:_TOP]]))
                cited = [citation.page_id for citation in result.answer.citations] if result.answer else []
                found["sure"].append(result.verdict.sufficient)
                found["sure_elsewhere"].append(result.verdict.sufficient and not _has(case, ids, cited))
    return {name: _mean(of) for name, of in found.items()}


def _case(row: dict[str, Any]) -> Case:
    turns = tuple(Turn(**turn) for turn in row["turns"])
    return Case(**row | {"turns": turns, "needs": tuple(row["needs"]), "never": tuple(row["never"])})


def _passages(site: str) -> tuple[list[str], list[Passage]]:
    """Return the ids and the passages of a manual or of pages; a manual's passage is a page of its own."""
    if site in PAGES:
        by_name = read_folder(PAGES[site])
        return ["", *(f"{site}:{name}" for name in by_name)], [each for some in by_name.values() for each in some]
    stored = [row for row in _lines() if row["id"].startswith(f"{site}:")]
    passages = [passage_of(at, row["title"], row["text"], "en") for at, row in enumerate(stored)]
    return [row["id"] for row in stored], passages


def _tools(passages: Sequence[Passage], embedder: Embed, pool: ThreadPoolExecutor) -> Tools:
    rows = embedder.embed([f"{passage.title}\n{passage.text}" for passage in passages])
    return Tools(
        search=MemoryKnowledge(passages, rows),
        embedder=embedder,
        pool=pool,
        clock=time.perf_counter,
        reader=PassageReader(remembered=256),
    )


def _has(case: Case, ids: Sequence[str], pages: Sequence[int]) -> bool:
    return any(re.match(case.gold, ids[page]) for page in pages)


def _lines() -> Iterator[dict[str, Any]]:
    with lzma.open(PASSAGES, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
