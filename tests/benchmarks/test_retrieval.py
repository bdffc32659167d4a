"""The retrieval benchmark runs on a small knowledge base, and its references are right; no time is asserted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import retrieval
from benchmarks.corpus.knowledge_base import make_knowledge_base
from benchmarks.corpus.word_vectors import WordVectors
from benchmarks.report import Options
from benchmarks.retrieval import Exact, Postings
from domain import Passage, Scope
from evals.knowledge.stored import services_on
from evals.sets.beir import EvalSet
from workers.services import Services

pytestmark = pytest.mark.nightly

PASSAGES = 250


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Options:
    folder = tmp_path_factory.mktemp("benchmarks")
    return Options(passages=PASSAGES, rounds=3, folder=folder, embedder="minilm")


@pytest.fixture(scope="module")
def folder(options: Options) -> Path:
    return make_knowledge_base(options, real=EvalSet(name="none", lang="en", passages=(), questions=()))


@pytest.fixture(scope="module")
def services(folder: Path) -> Services:
    return services_on(folder, WordVectors())


def test_a_knowledge_base_is_made_once(options: Options, folder: Path) -> None:
    before = (folder / "whole").stat().st_mtime_ns
    assert make_knowledge_base(options) == folder
    assert (folder / "whole").stat().st_mtime_ns == before


def test_a_knowledge_base_has_about_the_size_that_was_asked_for(services: Services) -> None:
    assert services.passages.count() == pytest.approx(PASSAGES, rel=0.2)


def test_exact_search_gives_what_an_unindexed_search_gives(services: Services) -> None:
    exact = Exact(services.passages._table())
    [vector] = services.embedder.embed(["which words are near"])
    [hits] = services.passages.search_vectors(vector[None], k=10)
    assert exact.nearest(vector, 10) == [hit.passage.id for hit in hits]
    assert exact.product_s(vector) > 0


def test_added_postings_give_the_same_scores_as_the_full_text_index(services: Services) -> None:
    text = "the first of " + services.passages.passages_of([5])[0].text[:60]
    table = services.passages._table()
    scores = Postings(table, [text], "en").scores(text)
    hits = services.passages.search_text(text, lang="en", k=10, scope=Scope())
    places = dict(zip(Exact(table).ids, range(len(scores)), strict=True))
    ours, theirs = np.array([scores[places[hit.passage.id]] for hit in hits]), np.array([hit.score for hit in hits])
    assert np.corrcoef(ours, theirs)[0, 1] > 0.99


def test_every_part_of_a_look_is_reported(options: Options, folder: Path) -> None:
    report = retrieval.measure(options)
    figures = {figure.name: figure for figure in report.figures}
    assert {"1 query, p50", "1 query: judge, p50", "4 queries: compose, p95"} <= set(figures)
    assert figures["vector search: recall@10 of the exact"].value == 1.0
    assert all(figure.value > 0 for name, figure in figures.items() if "p50" in name and "exact sim" not in name)


class Interrupting(tuple[Passage, ...]):
    def __iter__(self) -> Iterator[Passage]:
        raise KeyboardInterrupt


def test_interrupted_run_leaves_no_knowledge_base_that_counts_as_whole(options: Options) -> None:
    real = EvalSet(name="interrupting", lang="en", passages=Interrupting(), questions=())
    with pytest.raises(KeyboardInterrupt):
        make_knowledge_base(replace(options, passages=251), real=real)
    assert (options.folder / "knowledge-251-v1").is_dir()
    assert not (options.folder / "knowledge-251-v1" / "whole").exists()
