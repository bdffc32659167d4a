"""What may be read for a question, how far its crawl has come, and when its reading must end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, case, null, select
from sqlalchemy.orm import Session

from crawler import urls
from domain import WITH_TEXT, Question, Status
from domain.errors import WellreadError
from domain.options import Overrides
from domain.site import of_either_scheme
from store.crawl import candidates
from store.questions import state, trace
from store.sql.tables import QuestionRow
from workers.services import Services

#: pages that could not be read, in the reason why a crawl ended
MOST_FAILED = 3


class BadExclusion(WellreadError):
    """A site that is to be left out is no URL."""


_NONE: Final = Overrides()


def left_out(services: Services, own: Overrides = _NONE) -> tuple[str, ...]:
    """Return the sites that are never read or quoted: of the settings, the collection and the question."""
    for_good = (*services.settings.exclude_sites, *services.collection.exclude_sites)
    return tuple(dict.fromkeys((*for_good, *own.exclude_sites)))


def clean_sites(sites: Sequence[str]) -> tuple[str, ...]:
    """Return the canonical URLs of sites that are to be left out; raises BadExclusion."""
    try:
        return tuple(map(urls.typed, sites))
    except urls.BadUrl as error:
        raise BadExclusion(f"A site to leave out cannot be read: {error}") from error


def with_either_scheme(sites: Sequence[str]) -> tuple[str, ...]:
    """Return the sites with http and with https, as one may redirect to the other; folders of files as they are."""
    return tuple(dict.fromkeys(url for site in sites for url in of_either_scheme(site)))


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of a question's crawl."""

    pages: int = 0  #: fetched, or tried
    read: int = 0  #: pages whose text is known
    failed: Sequence[str] = ()  #: engines and pages that gave nothing, each with the reason
    bytes: int = 0
    seconds: float = 0.0  #: of reading
    cycle: int = 0  #: waves that read chosen pages
    news: bool = True  #: whether the last wave found anything new
    exhausted: str = ""  #: why nothing is left to read; empty while something is left


def stop_reason(question: Question, progress: Progress) -> str:
    """Return why a crawl must end; empty while it may go on."""
    budget = question.budget
    if progress.exhausted:
        return progress.exhausted
    if progress.cycle >= budget.cycles:
        return f"all {budget.cycles} search cycles are used up"
    if progress.pages >= budget.pages:
        return f"the budget of {budget.pages} pages is used up"
    if progress.bytes >= budget.bytes:
        return f"the budget of {budget.bytes:,} bytes is used up"
    if late := out_of_time(question, progress.seconds):
        return late
    if progress.news:
        return ""
    return "the last pages read brought nothing new" if progress.read else "no page could be read"


def out_of_time(question: Question, reading_s: float) -> str:
    """Return why a crawl has no time left; empty while it has.

    Only the time of reading counts: a busy machine reads on, up to the question's deadline.
    """
    if reading_s < question.budget.seconds:
        return ""
    return f"the budget of {question.budget.seconds:g} seconds of reading is used up"


def move_on(session: Session, row: QuestionRow, now: datetime) -> Status | None:
    """Move on a locked question whose wave is read, or embedded; return its new status, None where it stays."""
    moved = statuses_after_reading(session, QuestionRow.id == row.id)[row.id]
    if moved is None or moved == row.status:
        return None
    state.advance(session, row, moved, now)
    return moved


def statuses_after_reading(session: Session, which: ColumnElement[bool]) -> dict[str, Status | None]:
    """Return the next status of each of these questions that read, None while a candidate is open, in one query."""
    onward = case(
        (candidates.has_waiting(), null()),
        (candidates.has_unindexed(), Status.EMBEDDING.value),
        else_=Status.REQUERYING.value,
    )
    found = session.execute(select(QuestionRow.id, onward).where(which))
    return {question_id: Status(status) if status else None for question_id, status in found}


def progress(session: Session, question: Question, now: datetime) -> Progress:
    """Return the crawl's progress after a wave.

    A wave that read only a site's front page and lists is no search cycle: it chose no page for the question.
    """
    every = candidates.of_question(session, question.id)
    wave = [row for row in every if row.wave == question.waves - 1]
    pages = [row for row in every if row.kind == "page"]
    read = sum(row.outcome in WITH_TEXT for row in pages)
    unread = [] if read else [f"{row.url}: {(row.reason or '').rstrip('.')}" for row in pages if row.reason]
    has_chosen = any(row.kind == "page" and row.origin != "seed" for row in wave)
    spent = candidates.used_so_far(session, question.id, now)
    row = session.get_one(QuestionRow, question.id)
    return Progress(
        pages=spent.pages,
        read=read,
        failed=(*trace.failed_engines(session, row), *unread[:MOST_FAILED]),
        bytes=spent.bytes,
        seconds=spent.seconds,
        cycle=question.cycle + (1 if has_chosen else 0),
        news=any(entry.news for entry in wave),
        exhausted=row.stop_reason or "",
    )
