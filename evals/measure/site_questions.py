"""Ask questions on two real sites, through the crawler's extraction, the stores and the pipeline.

The sites are the demonstration's, and the Python documentation (Debian: python3.11-doc) with the questions of
``site_questions.tsv``, half of them for tuning and half held out. Each question is asked with all pages in, with the
page out that answers it, with a few other pages, and with the site's front page alone. The worst outcome is a wrong
answer given as sufficient: then no crawl finds the right one.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import numpy as np
from numpy.typing import NDArray

from domain import Passage
from evals.sets.sites import Site, SiteQuestion, contains_expected, read_demo, read_documentation
from pipeline.ask import LookupRequest, LookupResult, Tools, first_pass, second_pass
from store.embedders import Embedder, open_embedder
from store.passages.schema import embedding_text
from store.passages.table import Passages
from store.passages.writer import PassagesWriter

_FEW = 6

Where = Literal["all", "gold-out", "few", "front"]
#: right or wrong, given as sufficient; or insufficient
Outcome = Literal["right", "wrong", "insufficient"]
PageVectors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class SiteResult:
    """The result of one question in one knowledge base."""

    question: SiteQuestion
    where: Where
    outcome: Outcome
    confidence: float
    answer: str
    milliseconds: float  #: to judge and to compose


@click.command()
@click.option("--docs", type=click.Path(path_type=Path, exists=True), default="/usr/share/doc/python3.11/html")
@click.option("--embedder", default="minilm")
@click.option("--half", default="", help="Show the answers of this half, or of `every`; default: only the figures.")
def main(docs: Path, embedder: str, half: str) -> None:
    """Ask every question of both sites in every knowledge base; count the outcomes."""
    embed = open_embedder(embedder, threads=2)
    for site in (read_demo(), read_documentation(docs)):
        results = list(ask_site(site, embed))
        for name in dict.fromkeys(each.question.half for each in results):
            of_half = [each for each in results if each.question.half == name]
            spent_ms = sorted(each.milliseconds for each in of_half)
            times = f"{spent_ms[len(spent_ms) // 2]:.1f} ms (median), {spent_ms[-1]:.1f} ms at most"
            click.echo(f"{site.name} {name}: {len(site.pages)} pages, judge and compose {times}")
            for line in report(of_half):
                click.echo(f"  {line}")
            if name == half or half == "every":
                for each in of_half:
                    click.echo(f"[{each.where} {each.outcome} {each.confidence:.3f}] {each.question.text}")
                    click.echo(f"      {each.answer[:400]!r}")


def ask_site(site: Site, embedder: Embedder) -> Iterator[SiteResult]:
    """Ask each question in every knowledge base of its site."""
    vectors = _vectors(site, embedder)
    chance = random.Random(7)  # noqa: S311 - a sample, not a secret
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
        knowledge = {
            where: PassagesWriter.open(f"{folder}/{where}", embedder_id=embedder.id, dimension=embedder.dimension)
            for where in ("all", "few", "front")
        }
        knowledge["all"].replace_pages(_numbered(site, site.pages), vectors)
        knowledge["all"].maintain()
        if front := _numbered(site, [site.front]):
            knowledge["front"].replace_pages(front, vectors)
        for page in dict.fromkeys(question.page for question in site.questions):
            questions = [question for question in site.questions if question.page == page]
            yield from _ask_all("all", questions, knowledge["all"], embedder, pool)
            yield from _ask_all("front", questions, knowledge["front"], embedder, pool)
            gold = _numbered(site, page.split())
            others = [name for name in site.pages if name not in page.split()]
            few = _numbered(site, [site.front, *chance.sample(others, _FEW)])
            knowledge["few"].replace_pages(few, vectors)
            yield from _ask_all("few", questions, knowledge["few"], embedder, pool)
            knowledge["few"].delete_pages(few)
            if gold:
                knowledge["all"].delete_pages(gold)
                yield from _ask_all("gold-out", questions, knowledge["all"], embedder, pool)
                knowledge["all"].replace_pages(gold, vectors)


def _ask_all(
    where: Where, questions: Sequence[SiteQuestion], base: Passages, embedder: Embedder, pool: ThreadPoolExecutor
) -> Iterator[SiteResult]:
    tools = Tools(search=base, embedder=embedder, pool=pool, clock=time.perf_counter)
    for question in questions:
        attempt = first_pass(LookupRequest(text=question.text), tools)
        if not attempt.verdict.sufficient:
            attempt = second_pass(LookupRequest(text=question.text), tools)
        yield SiteResult(
            question=question,
            where=where,
            outcome=_outcome(question, attempt),
            confidence=attempt.verdict.confidence,
            answer=attempt.answer.text if attempt.answer else "",
            milliseconds=1000 * (attempt.timings.judge + attempt.timings.compose),
        )


def _outcome(question: SiteQuestion, attempt: LookupResult) -> Outcome:
    if not attempt.verdict.sufficient or attempt.answer is None:
        return "insufficient"
    return "right" if any(contains_expected(attempt.answer.text, each) for each in question.expected) else "wrong"


def report(results: Sequence[SiteResult]) -> Iterator[str]:
    """Yield a line for each knowledge base: how many were right, wrong and insufficient."""
    for where in ("all", "gold-out", "few", "front"):
        for answerable in (True, False):
            chosen = [each for each in results if each.where == where and bool(each.question.page) is answerable]
            counts = Counter(each.outcome for each in chosen)
            if chosen:
                kind = where if answerable else f"{where}, unanswerable"
                shares = ", ".join(
                    f"{counts[outcome]:3} {outcome} ({counts[outcome] / len(chosen):4.0%})"
                    for outcome in ("right", "wrong", "insufficient")
                )
                yield f"{kind:24} {shares}"


def _vectors(site: Site, embedder: Embedder) -> PageVectors:
    texts = {p.content_hash: embedding_text(p) for passages in site.pages.values() for p in passages}
    return dict(zip(texts, embedder.embed(list(texts.values())), strict=True))


def _numbered(site: Site, names: Sequence[str] | dict[str, list[Passage]]) -> dict[int, list[Passage]]:
    return {site.pages[name][0].page_id: site.pages[name] for name in names if site.pages[name]}


if __name__ == "__main__":
    main()
