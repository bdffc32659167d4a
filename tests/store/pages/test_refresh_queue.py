"""Due pages are claimed fairly across hosts: a million of one host hold no other host up, and none is read twice."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, insert, select

from domain import PageText, Validators
from domain.site import Source
from store.pages import pages, refresh_queue
from store.sql.database import Database
from store.sql.tables import CandidateRow, HostRow, PageRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LARGE, SMALL = "https://large.example", "https://small.example"


def _fill(database: Database, host: str, count: int, *, since: timedelta = timedelta(days=1)) -> None:
    """Keep pages of a host that fell due one after another, the first of them ``since`` ago."""
    at = NOW - since
    same = {
        "host": host, "title": "t", "text": "t", "lang": "en", "headings": [], "etag": "", "last_modified": "",
        "content_hash": "h", "generation": 1, "state": "INDEXED", "depth": 0, "read_at": at, "checked_at": at,
        "interval_s": 86_400.0, "due_at": at,
    }  # fmt: skip
    rows = [same | {"url": f"{host}/{n}", "next_due": at + timedelta(seconds=n)} for n in range(count)]
    with database.write() as session:
        session.execute(insert(PageRow), rows)
        refresh_queue.host_is_due(session, host, at)


def _open(database: Database, limit: int = 10, now: datetime = NOW) -> list[int]:
    with database.write() as session:
        return refresh_queue.start_hosts(session, now, limit)


def _url(database: Database, candidate_id: int) -> str:
    with database.read() as session:
        return session.get_one(CandidateRow, candidate_id).url


def _read(database: Database, candidate_id: int) -> list[int]:
    """Settle a candidate as its reader does, and go on with its host's turn; gives what is to be read next."""
    with database.write() as session:
        row = session.get_one(CandidateRow, candidate_id)
        url, turn = row.url, row.wave
        session.execute(delete(CandidateRow).where(CandidateRow.id == candidate_id))
        return refresh_queue.next_of(session, url.rpartition("/")[0], turn=turn + 1, now=NOW)


def test_one_page_of_a_host_is_read_at_a_time(database: Database) -> None:
    _fill(database, LARGE, 50)
    _fill(database, SMALL, 3)
    ids = _open(database)
    assert sorted(_url(database, each) for each in ids) == [f"{LARGE}/0", f"{SMALL}/0"]
    assert _open(database) == []


def test_a_turn_goes_on_until_nothing_of_its_host_is_due(database: Database) -> None:
    _fill(database, SMALL, 3)
    ids, seen = _open(database), []
    while ids:
        seen.append(_url(database, ids[0]))
        ids = _read(database, ids[0])
    assert seen == [f"{SMALL}/{n}" for n in range(3)]
    with database.read() as session:
        host = session.get_one(HostRow, SMALL)
        first = session.scalar(select(PageRow.next_due).order_by(PageRow.next_due).limit(1))
    assert host.refresh_at == first
    assert _open(database) == []


def test_a_host_with_many_due_pages_lets_others_have_their_turn(database: Database) -> None:
    _fill(database, LARGE, 500, since=timedelta(days=30))
    for number in range(6):
        _fill(database, f"https://h{number}.example", 10)
    ids, order = _open(database, 2), []
    for _ in range(150):
        candidate_id = ids.pop(0)
        order.append(_url(database, candidate_id).rpartition("/")[0])
        ids += _read(database, candidate_id)
    counts = Counter(order)
    assert [counts[f"https://h{number}.example"] for number in range(6)] == [10] * 6
    assert counts[LARGE] == 90


def test_of_claims_at_once_no_page_is_taken_twice(database: Database) -> None:
    for number in range(20):
        _fill(database, f"https://h{number}.example", 2)
    with ThreadPoolExecutor(4) as pool:
        taken = [each for ids in pool.map(lambda _: _open(database, 5), range(8)) for each in ids]
    while left := _open(database, 5):  # a claim among others may find fewer than there are
        taken += left
    urls = [_url(database, each) for each in taken]
    assert len(urls) == len(set(urls)) == 20


def test_a_page_that_is_claimed_is_due_once_more_later_whatever_becomes_of_it(database: Database) -> None:
    _fill(database, SMALL, 1)
    _open(database)
    with database.read() as session:
        page = session.scalars(select(PageRow)).one()
    assert page.next_due == NOW + timedelta(days=1)


def test_a_host_whose_turn_got_lost_is_taken_up_again(database: Database) -> None:
    _fill(database, SMALL, 3)
    _open(database)
    with database.write() as session:
        session.execute(delete(CandidateRow))
    assert _open(database) == []
    assert len(_open(database, now=NOW + refresh_queue.LOST_AFTER)) == 1


def test_a_host_that_is_told_of_an_earlier_page_moves_up_and_of_a_later_one_stays(database: Database) -> None:
    for at in (NOW, NOW + timedelta(hours=1), NOW - timedelta(hours=1)):
        with database.write() as session:
            refresh_queue.host_is_due(session, SMALL, at)
    with database.read() as session:
        assert session.get_one(HostRow, SMALL).refresh_at == NOW - timedelta(hours=1)


def test_pages_of_a_site_are_planned_together(database: Database) -> None:
    _fill(database, SMALL, 12)
    later = NOW + timedelta(hours=6)
    source = Source(id=1, url=f"{SMALL}/", own=False, min_delay_s=None, include=("/1*",))
    with database.write() as session:
        refresh_queue.plan(session, SMALL, source, later, [])
    with database.read() as session:
        planned = session.scalars(select(PageRow.url).where(PageRow.next_due == later).order_by(PageRow.url))
        assert list(planned) == [f"{SMALL}/1", f"{SMALL}/10", f"{SMALL}/11"]
        assert refresh_queue.count(session, NOW) == 9


def test_a_page_that_asks_not_to_be_shown_after_a_day_is_due_on_it(database: Database) -> None:
    until = NOW + timedelta(hours=5)
    page = PageText(title="Sale", text="Ropes cost half.", lang="en", until=until)
    with database.write() as session:
        for _ in range(2):
            page_id, _ = pages.save(
                session, url=f"{SMALL}/sale", host=SMALL, page=page, content_hash="1", validators=Validators(), depth=0,
                now=NOW,
            )  # fmt: skip
            assert session.get_one(PageRow, page_id).next_due == until
