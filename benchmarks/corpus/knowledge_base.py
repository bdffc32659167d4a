"""Make a knowledge base of a given size in the stores that serve, once for each folder.

Most pages are synthetic. The passages of a small shipped set are among them, embedded by MiniLM, so that real questions
get real answers.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import click

from benchmarks.corpus.synthetic import Language, SyntheticPage
from benchmarks.corpus.word_vectors import WordVectors
from benchmarks.report import Options
from crawler.extract.chunk import passages_of
from domain import PageText
from evals.knowledge.stored import DefaultSettings, save_page, services_on
from evals.sets.beir import SHIPPED, EvalSet, read_set
from store import graph
from store.embedders import Embedder, open_embedder
from store.pages import index_queue
from store.sql.database import migrate
from workers.indexing import names_of_page
from workers.services import Services

#: raise it when the content changes
_FORMAT = 1
#: pages of one commit: about 1,700 passages
_BATCH = 400
_PASSAGES_PER_PAGE = 4.34


def real_set() -> EvalSet:
    """Return the real texts among the synthetic ones, and the questions on them."""
    return read_set(SHIPPED / "squad2-part")


def make_knowledge_base(options: Options, *, real: EvalSet | None = None) -> Path:
    """Return the data folder of a knowledge base of about that many passages; make it where there is none.

    ``real`` replaces the texts of :func:`real_set`.
    """
    folder = options.folder / f"knowledge-{options.passages}-v{_FORMAT}"
    if not (folder / "whole").is_file():
        shutil.rmtree(folder, ignore_errors=True)
        click.echo(f"Making a knowledge base of {options.passages:,} passages in {folder} …", err=True)
        migrate(DefaultSettings.model_validate({"data_dir": folder}).database)
        _fill(folder, options, real or real_set())
        (folder / "whole").touch()
    migrate(DefaultSettings.model_validate({"data_dir": folder}).database)
    return folder


def synthetic_language(passages: int) -> Language:
    """Return the language and pages of a knowledge base of that many passages."""
    return Language(round(passages / _PASSAGES_PER_PAGE))


def _fill(folder: Path, options: Options, real: EvalSet) -> None:
    services = services_on(folder, WordVectors())
    texts = [
        SyntheticPage(page=PageText(title=item.title, text=item.text, lang=item.lang), url=item.url, words=())
        for item in real.passages
    ]
    if texts:
        _add(services, texts, open_embedder("minilm"))
    _add(services, synthetic_language(options.passages).pages(), services.embedder)
    services.passages_writer.maintain()
    services.close()


def _add(services: Services, made: Iterable[SyntheticPage], embedder: Embedder) -> None:
    """Store pages as a crawl does: their text in SQL, then passages, vectors and names."""
    waiting = iter(made)
    while batch := list(islice(waiting, _BATCH)):
        now = services.now()
        with services.database.write() as session:
            for each in batch:
                save_page(session, each.page, each.url, now)
        with services.database.write() as session:
            claimed = index_queue.claim(session, 0, now, most=_BATCH + 1, most_characters=sys.maxsize)
        by_page = {page.id: passages_of(page) for _, page in claimed}
        services.passages_writer.write_pages(by_page, embedder)
        with services.database.write() as session:
            for lease, _ in claimed:
                index_queue.mark_indexed(session, lease, now)
            graph.replace(session, {page.id: names_of_page(page, by_page[page.id]) for _, page in claimed})
