"""What a reader holds while it works, and what it does when something fails in the middle."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, cast

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from redis import Redis
from sqlalchemy import text

from domain import Status
from store.ephemeral.slots import Slots
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.leases import Lease
from store.sql.tables import QuestionRow
from tests.logged_site import LoggedSite, article, served
from tests.workers.conftest import Outbox
from tests.workers.crawl.one_candidate import add, make_due, row_of
from workers.crawl import read_candidate
from workers.questions import submit
from workers.services import Services
from workers.settings import load


class _Renewer:
    """Keeps leases, and knows which it keeps, and how many it has kept."""

    def __init__(self) -> None:
        self.held: set[Lease] = set()
        self.count = 0

    @contextmanager
    def holding(self, *held: Lease) -> Iterator[None]:
        self.held |= set(held)
        self.count += len(held)
        yield
        self.held -= set(held)


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    with served({"/lamp": article(1)}) as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        yield site


def _asked(services: Services) -> str:
    with services.database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text="When was the lamp lit?"), services.now())
        session.get_one(QuestionRow, question.id).status = Status.READING
    return question.id


@pytest.fixture
def reader(services: Services, outbox: Outbox) -> Iterator[Services]:
    """A process that knows what it holds."""
    ready = Services(load(redis_url=services.settings.redis_url, min_delay_s=0.0))
    ready.__dict__.update(dispatcher=outbox, leases=_Renewer())
    yield ready
    ready.close()


def test_candidate_is_held_while_it_is_read(reader: Services, site: LoggedSite) -> None:
    candidate_id = add(reader, f"{site.origin}/lamp", _asked(reader))
    read_candidate.read(reader, candidate_id)
    assert row_of(reader, candidate_id).outcome == "read"
    renewer = cast(_Renewer, reader.leases)
    assert (renewer.count, renewer.held) == (1, set())


def test_failure_after_the_fetch_is_tried_again_and_nothing_is_paid_for(reader: Services, site: LoggedSite) -> None:
    site.robots = "User-agent: *\nCrawl-delay: 7\n"
    with reader.database.write() as session:
        no_pauses = "BEFORE UPDATE OF delay_s ON hosts BEGIN SELECT RAISE(ABORT, 'the pause cannot be kept'); END"
        session.execute(text(f"CREATE TRIGGER no_pauses {no_pauses}"))
    candidate_id = add(reader, f"{site.origin}/lamp", _asked(reader))
    read_candidate.read(reader, candidate_id)
    row = row_of(reader, candidate_id)
    assert (row.status, row.lease_by, "IntegrityError" in (row.error or "")) == ("WAITING", None, True)


def test_turn_at_a_host_lasts_as_long_as_its_longest_reading(services: Services) -> None:
    patient = Services(load(redis_url=services.settings.redis_url, fetch_deadline_s=40.0))
    patient.host_slots.claim("http://a.example", now=100.0, delay_s=0.0)
    assert cast(int, patient.redis.pttl("wellread:host:{http://a.example}:busy")) > 95_000  # 40 + 40 + 15
    patient.close()


def test_redis_that_is_away_costs_a_page_no_attempt_and_its_question_no_reading_time(
    site: LoggedSite, services: Services, outbox: Outbox
) -> None:
    candidate_id = add(services, f"{site.origin}/lamp")
    services.__dict__["host_slots"] = Slots(Redis.from_url("unix:///nowhere/valkey.sock"), longest_s=10)
    for _ in range(8):
        make_due(services, candidate_id)
        read_candidate.read(services, candidate_id)
    row = row_of(services, candidate_id)
    assert (row.status, row.attempts, row.elapsed_s, row.lease_by) == ("WAITING", 0, 0.0, None)
    assert row.due_at > services.now()


def test_page_that_takes_longer_than_a_task_may_is_not_tried_again(services: Services, outbox: Outbox) -> None:
    def stop(*_: object) -> NoReturn:
        raise SoftTimeLimitExceeded

    with served({"/lamp": article(1)}, takes_s=1.0) as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        candidate_id = add(services, f"{site.origin}/lamp")
        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            read_candidate.read(services, candidate_id)
        finally:
            signal.signal(signal.SIGALRM, before)
    row = row_of(services, candidate_id)
    assert (row.status, row.outcome, row.attempts) == ("SETTLED", "failed", 1)
    assert "longer than 100 s" in (row.reason or "")
