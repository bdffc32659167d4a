"""Each of many questions that read goes on when its own pages are done, and its own time of reading counts."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import true
from sqlalchemy.orm import Session

from domain import Candidate, Status
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.questions.new_questions import NewQuestion, ask
from store.sql import leases
from store.sql.database import Database
from store.sql.tables import CandidateRow, IndexState, PageRow
from workers.questions.conditions import statuses_after_reading

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
GIVEN_UP = {"gone_at": NOW, "attempts": leases.MAX_ATTEMPTS}


def _page(session: Session, url: str, state: IndexState, **values: object) -> int:
    page = PageRow(url=url, host="a.example", title="t", text="t", lang="en", headings=[], state=state, generation=1)
    page.etag = page.last_modified = page.content_hash = ""
    page.depth, page.interval_s, page.is_hub, page.attempts = 0, 1.0, False, 0
    page.read_at = page.checked_at = page.next_due = page.due_at = NOW
    for name, value in values.items():
        setattr(page, name, value)
    session.add(page)
    session.flush()
    return page.id


def _ask(session: Session, *pages: tuple[CandidateStatus, int | None, float]) -> str:
    """Ask what reads these pages; each has a status, the id of its text and how long it took."""
    question_id = ask(session, NewQuestion(text="Who keeps the lamp?"), NOW)[0].id
    for at, (status, page_id, elapsed_s) in enumerate(pages):
        found = [Candidate(url=f"https://a.example/{at}")]
        (row_id,) = candidates.add(session, question_id, found, wave=0, status=status, now=NOW)
        row = session.get_one(CandidateRow, row_id)
        row.page_id, row.elapsed_s = page_id, elapsed_s
    session.flush()
    return question_id


def test_each_question_goes_on_when_its_own_pages_are_done(database: Database) -> None:
    waiting, settled, known = CandidateStatus.WAITING, CandidateStatus.SETTLED, CandidateStatus.KNOWN
    with database.write() as session:
        fetched = _page(session, "https://a.example/f", IndexState.FETCHED)
        indexed = _page(session, "https://a.example/i", IndexState.INDEXED)
        gone = _page(session, "https://a.example/g", IndexState.FETCHED, **GIVEN_UP)
        onward = {
            _ask(session): Status.REQUERYING,  # nothing was chosen
            _ask(session, (waiting, None, 0.0)): None,
            _ask(session, (waiting, None, 0.0), (settled, fetched, 0.0)): None,
            _ask(session, (settled, fetched, 0.0), (settled, indexed, 0.0)): Status.EMBEDDING,
            _ask(session, (settled, indexed, 0.0), (known, None, 0.0)): Status.REQUERYING,
            _ask(session, (settled, gone, 0.0)): Status.REQUERYING,  # it could not be removed again and again
        }
        assert statuses_after_reading(session, true()) == onward


def test_each_question_has_its_own_seconds_of_reading(database: Database) -> None:
    settled = CandidateStatus.SETTLED
    with database.write() as session:
        none, one, both = (
            _ask(session, *pages)
            for pages in ([(settled, None, 0.0)], [(settled, None, 3.0)], [(settled, None, 2.0), (settled, None, 5.0)])
        )
        assert candidates.reading_seconds(session, true(), NOW) == {one: 3.0, both: 5.0}
        assert [candidates.used_so_far(session, each, NOW).seconds for each in (none, one, both)] == [0.0, 3.0, 5.0]
