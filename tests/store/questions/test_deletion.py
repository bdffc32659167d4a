"""What was asked long ago is deleted with all that hangs on it; what is watched, judged or talked about stays."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from domain import Candidate
from store.crawl import candidates, site_reads
from store.crawl.candidates import CandidateStatus
from store.questions import deletion, feedback, new_questions, webhooks
from store.sql.database import Database
from store.sql.tables import (
    AnswerRow,
    CandidateRow,
    EvidenceRow,
    PageRow,
    QuestionRow,
    SiteReadRow,
    StepRow,
    Table,
    ThreadRow,
    VariantsRow,
    WebhookRow,
)
from tests.store.walk import NOW, answered, move, page

LONG_AGO = NOW - timedelta(days=400)
CUTOFF = NOW - timedelta(days=365)


def _ended(database: Database, page_id: int, text: str, at: datetime = LONG_AGO, **options: Any) -> str:
    """A question of its time, answered, with a candidate and a delivery."""
    thread = {"thread_id": options.pop("thread_id")} if "thread_id" in options else {}
    understood = new_questions.Understood(text=text, **thread)
    with database.write() as session:
        question, _ = new_questions.ask(session, new_questions.NewQuestion(text=text, **options), at, understood)
        found = [Candidate(url=f"https://example.org/{question.id}", origin="engine")]
        candidates.add(session, question.id, found, wave=1, status=CandidateStatus.SETTLED, now=at)
        row = session.get_one(QuestionRow, question.id)
        webhooks.add(session, row, url="https://example.org/told", event="question.answered", now=at)
    assert move(database, question.id, answered(page_id), at=at)
    return question.id


def _count(database: Database, table: type[Table]) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def _left(database: Database) -> set[str]:
    with database.read() as session:
        return set(session.scalars(select(QuestionRow.text)))


def _delete_all(database: Database, most: int = 50) -> list[str]:
    deleted: list[str] = []
    while True:
        with database.write() as session:
            batch = deletion.delete_ended(session, CUTOFF, most)
        assert len(batch) <= most
        deleted += batch
        if not batch:
            return deleted


def test_old_question_goes_with_all_that_hangs_on_it_and_the_page_stays(database: Database) -> None:
    page_id = page(database, at=LONG_AGO)
    old = _ended(database, page_id, "old")
    hanging = (AnswerRow, EvidenceRow, StepRow, CandidateRow, WebhookRow)
    assert all(_count(database, table) for table in hanging)
    assert _delete_all(database) == [old]
    assert [_count(database, table) for table in hanging] == [0, 0, 0, 0, 0]
    assert _count(database, PageRow) == 1


def test_what_is_watched_judged_new_or_still_open_stays(database: Database) -> None:
    page_id = page(database, at=LONG_AGO)
    _ended(database, page_id, "watched", watch=True)
    judged = _ended(database, page_id, "judged")
    with database.write() as session:
        feedback.give(session, judged, "right", comment="", revision=None, now=LONG_AGO)
        new_questions.ask(session, new_questions.NewQuestion(text="open"), LONG_AGO)
    _ended(database, page_id, "new", at=NOW)
    _ended(database, page_id, "old")
    _delete_all(database)
    assert _left(database) == {"watched", "judged", "open", "new"}


def test_thread_stays_whole_while_it_goes_on_and_goes_with_its_last_question(database: Database) -> None:
    page_id = page(database, at=LONG_AGO)
    for thread, last in (("on" * 16, NOW), ("of" * 16, LONG_AGO)):
        _ended(database, page_id, f"first {thread[:2]}", thread_id=thread)
        _ended(database, page_id, f"last {thread[:2]}", thread_id=thread, at=last)
    _delete_all(database)
    assert _left(database) == {"first on", "last on"}
    assert _count(database, ThreadRow) == 1


def test_batches_are_small_and_begin_with_the_oldest(database: Database) -> None:
    page_id = page(database, at=LONG_AGO)
    asked = [_ended(database, page_id, f"q{at}", at=LONG_AGO + timedelta(hours=at)) for at in (2, 0, 1)]
    assert _delete_all(database, most=2) == [asked[1], asked[2], asked[0]]


def test_old_site_reads_and_variants_go_in_batches(database: Database) -> None:
    with database.write() as session:
        for at, url in ((LONG_AGO, "https://old.example/"), (NOW, "https://new.example/")):
            new = SiteReadRow(url=url, prefix=url, max_pages=9, max_depth=9, again=True)
            row, _ = site_reads.start(session, new, at)
            row.status, row.finished_at = "DONE", at
            for path in "abc":
                held: dict[str, Any] = {"kind": "page", "score": 0.0, "depth": 0, "origin": "seed", "text": ""}
                held |= {"wave": 0, "status": "SETTLED", "due_at": at, "created_at": at}
                session.add(CandidateRow(site_read_id=row.id, url=f"{url}{path}", **held))
            variant: dict[str, Any] = {"question": url, "lang": "en", "maker": "m", "count": 1, "variants": []}
            session.add(VariantsRow(key=url[:32], made_at=at, **variant))
    deleted = []
    for delete in (deletion.delete_site_reads, deletion.delete_variants):
        while True:
            with database.write() as session:
                deleted.append(delete(session, CUTOFF, 2))
            if not deleted[-1]:
                break
    assert deleted == [2, 1, 1, 0, 1, 0]
    assert [_count(database, table) for table in (CandidateRow, SiteReadRow, VariantsRow)] == [3, 1, 1]
