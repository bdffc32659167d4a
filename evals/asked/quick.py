"""Ask a set in this process: the crawler's extraction, the stores and the worker's lookups, without HTTP and Celery.

The second pass is the last: no page is read for a question. The settings are the defaults.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from crawler.extract.document import NothingToRead, extract
from crawler.extract.files.file_text import read_file
from crawler.urls import canonical
from domain import Question as PipelineQuestion
from domain import Status
from domain.answer import first_said, short_answer
from domain.outcome import outcome_at_end
from domain.page import PageText
from domain.question import Turn
from evals.asked.grade import Reply, make_reply
from evals.asked.questions import Question, QuestionSet
from evals.knowledge.stored import KnowledgeError, save_page, services_on
from evals.knowledge.vector_cache import CachedEmbedder
from pipeline.ask import LookupResult
from pipeline.question.follow_up import understand
from store.embedders import Embedder, open_embedder
from store.questions.records import ProvisionalAnswer
from store.questions.state import Move
from store.sql.database import migrate
from store.sql.tables import IndexState, PageRow
from workers import indexing
from workers.questions import lookup
from workers.questions.transitions import after_first_pass, after_second_pass
from workers.services import Services
from workers.settings import load

#: the suffixes of pages; everything else is a file
_PAGES = frozenset({".html", ".htm", ""})


def addresses_of(of: QuestionSet) -> dict[str, str]:
    """Return an address for each site; nothing is requested from it."""
    return {site: f"http://{site}.example/" for site in of.sites}


def ask_quickly(of: QuestionSet, asked: Sequence[Question], embedder: Embedder, *, cache: Path) -> list[Reply]:
    """Read the pages of the set, and ask the questions."""
    addresses = addresses_of(of)
    with (
        tempfile.TemporaryDirectory(prefix="wellread-asked-") as folder,
        opened(of, asked, embedder, folder=Path(folder), cache=cache) as services,
    ):
        return [ask_opened(services, question, addresses) for question in asked]


def ask_by_default(of: QuestionSet, asked: Sequence[Question], cache: Path | None) -> list[Reply]:
    """Ask with the bundled embedder; without a ``cache`` its vectors are stored in the data folder."""
    settings = load()
    embedder = open_embedder("auto", models_dir=settings.models_dir, threads=1)
    return ask_quickly(of, asked, embedder, cache=cache or settings.data_dir / "cache")


def first_passes(of: QuestionSet, embedder: Embedder, *, cache: Path) -> list[LookupResult]:
    """Read the pages of the set, and return what the first pass gives each of its questions, unread."""
    return _looked_up(of, embedder, cache, lambda services, asked: lookup.first_pass(services, asked), read=False)


def best_passes(of: QuestionSet, embedder: Embedder, *, cache: Path) -> list[LookupResult]:
    """Read the pages of the set, and return the surer of both passes for each of its questions."""
    return _looked_up(of, embedder, cache, _best_pass, read=True)


def _looked_up(
    of: QuestionSet,
    embedder: Embedder,
    cache: Path,
    look_up: Callable[[Services, PipelineQuestion], LookupResult],
    *,
    read: bool,
) -> list[LookupResult]:
    addresses = addresses_of(of)
    with (
        tempfile.TemporaryDirectory(prefix="wellread-asked-") as folder,
        opened(of, of.questions, embedder, folder=Path(folder), cache=cache) as services,
    ):
        vars(services)["tools"] = replace(services.tools, translates=read)
        return [look_up(services, to_ask(question, addresses, services.now())) for question in of.questions]


def _best_pass(services: Services, asked: PipelineQuestion) -> LookupResult:
    first = lookup.first_pass(services, asked)
    if first.verdict.sufficient:
        return first
    second = lookup.second_pass(services, replace(asked, status=Status.RETRYING))
    return max(first, second, key=lambda result: result.verdict.confidence)


@contextmanager
def opened(
    of: QuestionSet, asked: Sequence[Question], embedder: Embedder, *, folder: Path, cache: Path
) -> Iterator[Services]:
    """Yield services on a folder whose knowledge base holds the pages that questions need."""
    services = services_on(folder, CachedEmbedder(embedder, cache))
    addresses = addresses_of(of)
    with _opened(services):
        _read_pages(services, of, addresses, of.urls(addresses, asked))
        yield services


@contextmanager
def _opened(services: Services) -> Iterator[None]:
    migrate(services.settings.database)
    vars(services)["passages"] = services.passages_writer  # the writer's handle reads too
    try:
        yield
    finally:
        services.tools.pool.shutdown()
        services.close()


def _read_pages(services: Services, of: QuestionSet, addresses: dict[str, str], urls: Sequence[str]) -> None:
    """Extract the pages and index them."""
    wanted = set(urls)
    files = {
        url: of.sites[site].root / page
        for site, pages in of.pages.items()
        for page in pages
        if (url := addresses[site] + page) in wanted
    }
    read = {canonical(url): page for url, file in files.items() if (page := _extract(file, url))}
    now = services.now()
    with services.database.write() as session:
        ids = [save_page(session, page, url, now) for url, page in read.items()]
    for page_id in ids:
        indexing.embed(services, page_id)
    services.passages_writer.maintain()
    with services.database.read() as session:
        waiting = session.scalars(select(PageRow.url).where(PageRow.state != IndexState.INDEXED)).all()
    if waiting:
        raise KnowledgeError(f"{len(waiting)} pages could not be indexed: {waiting[0]}")


def _extract(file: Path, url: str) -> PageText | None:
    is_page = file.suffix in _PAGES
    try:
        page = (
            extract(file.read_bytes(), url=url, content_type="text/html")
            if is_page
            else read_file(file.read_bytes(), address=url)
        )
    except NothingToRead:
        return None
    return page if page.index else None


def ask_opened(services: Services, question: Question, addresses: dict[str, str]) -> Reply:
    """Ask a question of what was read."""
    asked = to_ask(question, addresses, services.now())
    turns: list[Turn] = []
    for before in question.after:
        text = understand(before, turns)
        answer = _answer(services, replace(asked, text=text))[0].answer
        first = first_said(answer.sentences) if answer and answer.citations else None
        short = short_answer(answer.sentences) if first and answer else None
        turns.append(Turn(question=text, answer=first.text if first else "", short_answer=short or ""))
    asked = replace(asked, text=understand(question.question, turns))
    started = time.perf_counter()
    move, result = _answer(services, asked)
    return reply_of(question, addresses, move, result, seconds=time.perf_counter() - started)


def reply_of(
    question: Question, addresses: dict[str, str], move: Move, result: LookupResult, *, seconds: float
) -> Reply:
    """Return what a question got: what it came to, and the last of its lookups."""
    answer = move.answer
    return make_reply(
        question,
        addresses,
        status=move.to,
        ended_as=outcome_at_end(move.to, sufficient=move.verdict is None or move.verdict.sufficient),
        text=answer.text if answer else "",
        sentences=answer.sentences if answer else (),
        citations=answer.citations if answer else (),
        context=move.context,
        confidence=answer.confidence if answer else 0.0,
        reason=move.verdict.reason if move.verdict else "",
        withheld=(result.answer.text if result.answer else "") if move.to == Status.ABSTAINED else None,
        seconds=seconds,
    )


def _answer(services: Services, asked: PipelineQuestion) -> tuple[Move, LookupResult]:
    """Return what a question comes to in at most two passes, and the last of these."""
    result = lookup.first_pass(services, asked)
    move = after_first_pass(asked, result)
    if move.to == Status.RETRYING:
        result = lookup.second_pass(services, replace(asked, status=Status.RETRYING))
        move = after_second_pass(asked, result, earlier_of(move))
    return move, result


def earlier_of(move: Move) -> ProvisionalAnswer | None:
    """Return the provisional answer of a step, if it gives one."""
    if move.answer is None or move.verdict is None:
        return None
    return ProvisionalAnswer(answer=move.answer, verdict=move.verdict, context=tuple(move.context))


def to_ask(question: Question, addresses: dict[str, str], now: datetime) -> PipelineQuestion:
    """Return a question of a set as it is asked of its site's pages."""
    return PipelineQuestion(
        id=hashlib.sha256(question.id.encode()).hexdigest()[:32],
        text=question.question,
        status=Status.ASKED,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        sites=(addresses[question.site],),
        crawl_enabled=False,
    )
