"""Whole sites read by three crawl processes, and read again: the sites' own logs are the witness."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery import Celery
from sqlalchemy import func, select, update

from store.sql.database import Database
from store.sql.tables import CandidateRow, HostRow, PageRow
from tests.logged_site import LoggedSite, article, served
from tests.own_stack import own_stack
from wellread import Client, SiteRead
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

PAGES, DELAY_S = 60, 0.2
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@contextmanager
def _stack(tmp_path: Path) -> Iterator[tuple[Stack, Client, Database]]:
    settings = {"embedder": "minilm", "crawl_processes": "3"}
    with own_stack(tmp_path / "data", **settings) as stack, Client(stack.address.api_url) as client:
        database = Database(load().database)
        yield stack, client, database
        database.close()


def _site(count: int) -> dict[str, str]:
    """A front page that links to ten pages, each of which links to its share of the others."""
    tens = "".join(f"<a href=/{n}>Lamp {n}</a> " for n in range(1, 11))
    pages = {"/": article(0, links=tens)}
    for number in range(1, count):
        links = "".join(f"<a href=/{n}>Lamp {n}</a> " for n in range(number + 10, count, 10)) if number < 11 else ""
        pages[f"/{number}"] = article(number, links=links)
    return pages


def _over(client: Client, begun: list[SiteRead]) -> bool:
    time.sleep(0.5)  # to look costs, too
    seen = [client.site_read(each.id) for each in begun]
    return all(each.is_final and not each.embedding for each in seen)


def _refresh(database: Database) -> None:
    """Have every page be due and wait until all were looked at, as when their time has come."""
    with database.write() as session:
        session.execute(update(PageRow).values(next_due=LONG_AGO))
        session.execute(update(HostRow).values(refresh_at=LONG_AGO))
    broker = Celery(broker=load().broker)
    broker.send_task("wellread.refresh", queue="upkeep")

    def is_over() -> bool:
        time.sleep(0.3)
        with database.read() as session:
            due = session.scalar(select(func.count()).where(PageRow.next_due <= LONG_AGO + timedelta(days=1)))
            waiting = session.scalar(select(func.count()).where(CandidateRow.status == "WAITING"))
            unembedded = session.scalar(select(func.count()).where(PageRow.state == "FETCHED"))
        return not (due or waiting or unembedded)

    assert wait_until(is_over, within_s=120)


def _embedded(tmp_path: Path) -> int:
    """How many pages the embedding worker says it put into the knowledge base."""
    lines = (tmp_path / "data" / "logs" / "answer.log").read_text().splitlines()
    events = [json.loads(line[line.index("{") :]) for line in lines if '"event": "pages_indexed"' in line]
    return sum(event["pages"] for event in events)


def _generations(database: Database) -> dict[str, int]:
    with database.read() as session:
        return dict(session.execute(select(PageRow.url, PageRow.generation)).all())


def test_sites_are_read_politely_and_read_again_without_work_where_nothing_changed(tmp_path: Path) -> None:
    with ExitStack() as opened:
        sites = [opened.enter_context(served(_site(count))) for count in (PAGES, 25, 25)]
        _, client, database = opened.enter_context(_stack(tmp_path))
        for site, delay_s in zip(sites, (0.0, DELAY_S, DELAY_S), strict=True):
            client.add_source(f"{site.origin}/", own=True, min_delay_s=delay_s)
        began = time.monotonic()
        begun = [client.read_site(f"{site.origin}/") for site in sites]
        assert wait_until(lambda: _over(client, begun), within_s=240)
        print(f"read {time.monotonic() - began:.1f} s")
        done = [client.site_read(each.id) for each in begun]
        assert [(each.status, each.new, each.failed) for each in done] == [("DONE", n, 0) for n in (PAGES, 25, 25)]
        assert _embedded(tmp_path) == PAGES + 50
        seen = [len(site.log) for site in sites]

        began = time.monotonic()
        _refresh(database)
        print(f"refreshed {time.monotonic() - began:.1f} s")
        for site, since in zip(sites, seen, strict=True):
            assert sorted(site.paths(since=since, status=304)) == sorted(site.pages)
            assert site.paths(since=since, status=200) == []
        assert _embedded(tmp_path) == PAGES + 50
        assert set(_generations(database).values()) == {1}

        changed = ["/7", "/23", "/59"]
        sites[0].pages |= {path: article(int(path[1:]), more=" This is news.") for path in changed}
        since = len(sites[0].log)
        _refresh(database)
        assert sorted(sites[0].paths(since=since, status=200)) == sorted(changed)
        assert _embedded(tmp_path) == PAGES + 50 + len(changed)
        news = {url for url, generation in _generations(database).items() if generation == 2}
        assert news == {sites[0].origin + path for path in changed}
        history = client.page_at(f"{sites[0].origin}/7").history
        assert [check.outcome for check in history] == ["changed", "unchanged", "new"]

        _were_polite(sites)


def _were_polite(sites: list[LoggedSite]) -> None:
    for site, delay_s in zip(sites, (0.0, DELAY_S, DELAY_S), strict=True):
        assert site.most_at_once() == 1
        assert min(site.gaps_s()) >= delay_s


@pytest.mark.nightly
def test_kill_9_of_the_crawl_worker_loses_no_page_of_a_site(tmp_path: Path) -> None:
    with served(_site(40)) as site, _stack(tmp_path) as (stack, client, database):
        client.add_source(f"{site.origin}/", own=True, min_delay_s=0.1)
        begun = client.read_site(f"{site.origin}/")
        for _ in range(3):
            seen = len(site.log)
            assert wait_until(lambda seen=seen: len(site.log) > seen + 3, within_s=90)  # type: ignore[misc]
            os.kill(stack.pids()["crawl"], signal.SIGKILL)
        assert wait_until(lambda: _over(client, [begun]), within_s=120)
        assert client.site_read(begun.id).looked_at == 40
        assert len(_generations(database)) == 40
