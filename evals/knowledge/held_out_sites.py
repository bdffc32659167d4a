"""Questions on the sites that no model learned from, as the product looks them up."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from domain import Answer, Hit, Passage, Scope
from evals.knowledge.in_memory import MemoryKnowledge
from evals.sets.beir import passage_of
from pipeline.judging.reading import best_read_first
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader import PassageReader
from pipeline.retrieval.retrieve import Embed, retrieve

#: as `training.examples.HELD_OUT`: parts of manuals
MANUALS: Final = ("kicad", "homebank", "nut", "harden", "wesnoth")
#: those of `training.examples.HELD_OUT_PAGES` in English on which choices may be made
PAGES: Final = ("govuk-visas", "sourdough-framework", "cncf", "openaps")
#: and those that only report: nothing may be chosen, fitted, calibrated or tuned on their questions
REPORTED: Final = ("get-into-teaching", "gbfs", "us-regulations", "microbit-hardware")
DATA: Final = Path(__file__).parents[2] / "training" / "data"
_K = 14
#: the share of the evidence, or of a shorter quote, that both must have
_HELD = 0.5


@dataclass(frozen=True, kw_only=True)
class SiteQuestion:
    """A question on a site, and what was found for it."""

    gold: Passage  #: the passage that it was written on
    evidence: tuple[tuple[int, int], ...]  #: the characters of the sentences that answer; none if nothing does
    short: str  #: the few words that answer, folded; or nothing
    analysis: Analysis
    found: tuple[Hit, ...]  #: as the search has them
    hits: tuple[Hit, ...]  #: in the order that reading gives them

    def right(self, answer: Answer | None) -> list[bool]:
        """Return for each quote of an answer whether it holds a good part of the evidence, or the short answer."""
        return [
            citation.passage_id == self.gold.id
            and bool(
                (self.short and self.short in citation.quote.casefold())
                or any(
                    min(end, citation.end) - max(start, citation.start)
                    >= _HELD * min(end - start, citation.end - citation.start)
                    for start, end in self.evidence
                )
            )
            for citation in (answer.citations if answer else ())
        ]


def ask_site(embedder: Embed, site: str, at_most: int) -> Iterator[SiteQuestion]:
    """Look up to ``at_most`` of a site's English questions up."""
    name = "manuals" if site in MANUALS else "pages"
    stored = [row for row in _lines(f"{name}-passages") if row["id"].startswith(f"{site}:")]
    passages = [passage_of(at, row["title"], row["text"], "en") for at, row in enumerate(stored)]
    places = {row["id"]: at for at, row in enumerate(stored)}
    knowledge = MemoryKnowledge.embedded(passages, embedder)
    asked = [row for row in _lines(f"{name}-questions") if row["site"] == site and row.get("lang", "en") == "en"]
    asked = asked[:at_most]
    vectors = embedder.embed([row["question"] for row in asked])
    reader = PassageReader(remembered=len(passages))
    with ThreadPoolExecutor(1) as pool:
        for row, vector in zip(asked, vectors, strict=True):
            gold, question = passages[places[row["passage"]]], row["question"]
            analysis = analyse_question(question, "en")
            found, _ = retrieve(
                [question], vector[None], search=knowledge, pool=pool, k=_K, scope=Scope(), lang="en",
                embedder_id=embedder.id,
            )  # fmt: skip
            yield SiteQuestion(
                gold=gold,
                evidence=tuple((start, end) for start, end in row["evidence"]),
                short=gold.text[slice(*row["short"])].casefold() if row["short"] else "",
                analysis=analysis,
                found=tuple(found),
                hits=tuple(best_read_first(reader, analysis, found)),
            )


def _lines(name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(DATA / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
