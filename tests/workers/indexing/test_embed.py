"""What embeds survives pages that are huge, and pages that stop the process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import select, update

from domain import Candidate, PageText, Status, Validators
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.pages import pages
from store.questions import new_questions, records, trace
from store.questions.new_questions import NewQuestion
from store.sql import leases
from store.sql.tables import CandidateRow, PageRow, QuestionRow
from workers import indexing as embedding
from workers.services import Services


class Stopping:
    """An embedder that stops after some texts, as a time limit would stop it."""

    id = "stopping"
    dimension = 4

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.stops_after: float = float("inf")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self.asked) + len(texts) > self.stops_after:
            raise TimeoutError("the time is over")
        self.asked += texts
        return np.full((len(texts), 4), 0.5, dtype=np.float32)


@pytest.fixture
def embedder(services: Services) -> Stopping:
    stopping = Stopping()
    services.__dict__["embedder"] = stopping
    return stopping


def page(services: Services, name: str, text: str, *, attempts: int = 0) -> int:
    url = f"https://site.example/{name}"
    with services.database.write() as session:
        page_id, _ = pages.save(
            session,
            url=url,
            host=urlsplit(url).netloc,
            page=PageText(title=name, text=text, lang="en"),
            content_hash=name,
            validators=Validators(),
            depth=0,
            now=services.now(),
        )
        session.execute(update(PageRow).where(PageRow.id == page_id).values(attempts=attempts))
    return page_id


def states(services: Services) -> dict[int, str]:
    with services.database.read() as session:
        return {row.id: row.state for row in session.scalars(select(PageRow))}


def test_huge_page_goes_on_where_it_was_stopped(services: Services, embedder: Stopping) -> None:
    text = "\n\n".join(f"Sentence {n} speaks of the lighthouse number {n}. " * 12 for n in range(150))
    huge = page(services, "huge", text)
    embedder.stops_after = 100
    embedding.embed(services, huge)
    assert states(services)[huge] == "FETCHED"
    before = len(embedder.asked)
    assert before > 0
    embedder.stops_after = float("inf")
    with services.database.write() as session:
        session.execute(update(PageRow).values(due_at=services.now()))
    embedding.embed(services, huge)
    assert states(services)[huge] == "INDEXED"
    assert len(embedder.asked) == len(set(embedder.asked)) == services.passages_writer.count()


def test_page_that_was_tried_before_is_tried_alone(services: Services, embedder: Stopping) -> None:
    tried = page(services, "tried", "This one was tried before.", attempts=1)
    fresh = page(services, "fresh", "This one waits for its first try.")
    other = page(services, "other", "So does this one.")
    embedding.embed(services, tried)
    assert states(services) == {tried: "INDEXED", fresh: "FETCHED", other: "FETCHED"}
    embedding.embed(services, fresh)
    assert set(states(services).values()) == {"INDEXED"}


def test_page_that_stops_the_process_again_and_again_is_given_up(services: Services, embedder: Stopping) -> None:
    fatal = page(services, "fatal", "Whoever embeds this dies.", attempts=leases.MAX_ATTEMPTS)
    embedding.embed(services, fatal)
    assert states(services) == {fatal: "FAILED"}
    assert embedder.asked == []


def test_one_commit_takes_no_more_text_than_fits_its_time(services: Services, embedder: Stopping) -> None:
    first, second, third = (page(services, name, f"{name} " * 8) for name in ("first", "second", "third"))
    embedding.embed(services, first, most_characters=120)
    assert states(services) == {first: "INDEXED", second: "INDEXED", third: "FETCHED"}


def test_page_that_a_question_waits_for_waits_for_no_others(services: Services, embedder: Stopping) -> None:
    others = [page(services, f"other {n}", f"Nobody asks about page {n}.") for n in range(3)]
    asked, also_asked = (page(services, name, f"This is {name}.") for name in ("asked", "also asked"))
    with services.database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text="What is asked?"), services.now())
        session.get_one(QuestionRow, question.id).status = Status.EMBEDDING
        found = [Candidate(url=f"https://site.example/{n}") for n in range(2)]
        added = candidates.add(session, question.id, found, wave=0, status=CandidateStatus.SETTLED, now=services.now())
        for candidate_id, page_id in zip(added, (asked, also_asked), strict=True):
            session.get_one(CandidateRow, candidate_id).page_id = page_id
    embedding.embed(services, asked)
    indexed = {asked: "INDEXED", also_asked: "INDEXED"}
    assert states(services) == {**dict.fromkeys(others, "FETCHED"), **indexed}
    embedding.embed(services, others[0])
    assert states(services) == {**dict.fromkeys(others, "INDEXED"), **indexed}


def test_reading_and_embedding_are_among_the_times_of_a_question(services: Services, embedder: Stopping) -> None:
    page_id, now = page(services, "asked", "This is asked."), services.now()
    with services.database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text="What is asked?"), now)
        session.get_one(QuestionRow, question.id).status = Status.EMBEDDING
        found = [Candidate(url="https://site.example/asked"), Candidate(url="https://site.example/also")]
        added = candidates.add(session, question.id, found, wave=0, status=CandidateStatus.SETTLED, now=now)
        for candidate_id, after_s in zip(added, (1, 3), strict=True):
            row = session.get_one(CandidateRow, candidate_id)
            row.page_id, row.elapsed_s, row.settled_at = page_id, 2.0, now + timedelta(seconds=after_s + 1)
    embedding.embed(services, page_id)
    with services.database.read() as session:
        times = {timing.step: timing for timing in records.read(session, question.id, now).timings}
        traced = [step.name for step in trace.read(session, session.get_one(QuestionRow, question.id))]
    assert times.keys() == {"read", "embed"}
    assert times["read"].seconds == 4.0
    assert times["embed"].outcome == "embedded"
    assert sorted(traced) == ["embed", "read", "read"]


def test_page_that_is_gone_is_never_given_up(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = page(services, "gone", "The lamp is lit.")
    with services.database.write() as session:
        pages.mark_gone(session, gone, services.now())
        session.execute(update(PageRow).values(attempts=2_000))

    def fails(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(services.passages_writer, "write_pages", fails)
        embedding.embed(services, gone)
    assert states(services)[gone] == "FETCHED"
    with services.database.write() as session:
        session.execute(update(PageRow).values(due_at=services.now()))
    embedding.embed(services, gone)
    assert states(services)[gone] == "INDEXED"
