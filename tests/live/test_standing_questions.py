"""A page that changes makes the answers that cite it stale; the watched ones are asked again and told of once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from celery import Celery
from sqlalchemy import func, select, update

from store.sql.database import Database
from store.sql.tables import CandidateRow, HostRow, PageRow, StepRow
from tests.own_stack import own_stack
from tests.servers import running
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

KEEPER = """<h1>The lighthouse of Vierburg</h1>
<p>The lighthouse of Vierburg is kept by {name}, who trims the wick every evening and lights the lamp at dusk.</p>
<p>The tower was built of granite in 1874 and stands thirty metres above the sea. Its stair has 141 steps, and visitors
may climb it on the first Sunday of every month between April and October.</p>"""
HARBOUR = """<h1>The harbour of Vierburg</h1>
<p>The harbour of Vierburg is 14 metres deep at low tide, so that coal ships can lie at its southern pier.</p>
<p>The ferry to Sand leaves from the north pier twice a day, and fishing boats sell their catch there every morning
except on Sundays. The harbour master's office is the red house behind the crane.</p>"""
WHO, DEEP = "Who keeps the lighthouse of Vierburg?", "How deep is the harbour of Vierburg?"


class _Site(ThreadingHTTPServer):
    """Two pages that can be changed, and a receiver of webhooks."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = {"/keeper": KEEPER.format(name="Ada Brandt"), "/harbour": HARBOUR}
        self.told: list[dict[str, Any]] = []
        self.origin = f"http://127.0.0.1:{self.server_port}"

    def body(self, path: str) -> str:
        if path == "/":
            return '<p>Vierburg, a town by the sea.</p><a href="/keeper">Lighthouse</a> <a href="/harbour">Harbour</a>'
        return self.pages.get(path, "")

    def events(self) -> Counter[tuple[str, str]]:
        return Counter((each["question"]["question"], each["event"]) for each in self.told)


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        body = self.server.body(self.path)
        self._say(
            200 if body else 410,  # gone for good: a 404 would be looked at again first
            f"<html lang=en><title>Vierburg {self.path}</title><main>{body}</main></html>".encode(),
        )

    def do_POST(self) -> None:
        self.server.told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self._say(200, b"")

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[_Site]:
    site = _Site()
    with running(site):
        yield site


@pytest.fixture
def client(site: _Site, tmp_path: Path) -> Iterator[httpx2.Client]:
    """The embedded stack, which reads the site."""
    receiver = site.origin.partition("//")[2]
    with (
        own_stack(tmp_path / "data", allow_hosts=receiver) as stack,
        httpx2.Client(base_url=stack.address.api_url, timeout=90, trust_env=False) as client,
    ):
        client.post("/api/sources", json={"url": f"{site.origin}/", "own": True, "min_delay_s": 0.0})
        yield client


@pytest.fixture
def database(client: httpx2.Client) -> Iterator[Database]:
    database = Database(load().database)
    yield database
    database.close()


def _ask(client: httpx2.Client, question: str, **terms: Any) -> str:
    return str(client.post("/api/questions", json={"question": question, **terms}).json()["id"])


def _record(client: httpx2.Client, question_id: str) -> dict[str, Any]:
    return dict(client.get(f"/api/questions/{question_id}").json())


def _ended(client: httpx2.Client, *ids: str) -> bool:
    return all(_record(client, question_id)["finished_at"] for question_id in ids)


def _refresh(database: Database) -> None:
    """Have every page read again now, as beat does when they are due, and wait until that is done."""
    with database.write() as session:
        session.execute(update(PageRow).values(next_due=PageRow.read_at))
        session.execute(update(HostRow).values(refresh_at=datetime(2020, 1, 1, tzinfo=UTC)))
    Celery(broker=load().broker).send_task("wellread.refresh", queue="upkeep")

    def is_over() -> bool:
        with database.read() as session:
            due = session.scalar(select(func.count()).where(PageRow.next_due <= PageRow.read_at))
            unread = session.scalar(select(func.count()).where(CandidateRow.status == "WAITING"))
            unembedded = session.scalar(select(func.count()).where(PageRow.state == "FETCHED"))
        return not (due or unread or unembedded)

    assert wait_until(is_over, within_s=60)


def _steps(database: Database) -> Counter[str]:
    with database.read() as session:
        query = select(StepRow.question_id, func.count()).group_by(StepRow.question_id)
        return Counter(dict(session.execute(query).all()))


def test_changed_page_tells_the_watcher_once_and_recomputes_nothing_else(
    client: httpx2.Client, site: _Site, database: Database
) -> None:
    callback = f"{site.origin}/told"
    watched = _ask(client, WHO, watch=True, callback_url=callback)
    assert wait_until(lambda: _ended(client, watched), within_s=90)
    alone, other = _ask(client, WHO), _ask(client, DEEP, watch=True, callback_url=callback)
    assert wait_until(lambda: _ended(client, alone, other) and len(site.told) == 2, within_s=90)
    before, steps = _record(client, watched), _steps(database)
    assert "Ada Brandt" in before["answer"]
    assert "14 metres" in _record(client, other)["answer"]
    assert _record(client, alone)["cached_from"] == watched

    site.pages["/keeper"] = KEEPER.format(name="Jonas Peters")
    _refresh(database)
    assert wait_until(lambda: site.events()[WHO, "question.changed"] == 1, within_s=60)
    after = _record(client, watched)
    assert "Jonas Peters" in after["answer"]
    assert (after["id"], after["round"], after["stale"], after["status"]) == (watched, 1, False, "ANSWERED")
    assert after["revision"] > before["revision"]
    told = next(each for each in site.told if each["event"] == "question.changed")
    assert told["question"]["answer"] == after["answer"]

    kept, harbour = _record(client, alone), _record(client, other)
    assert (kept["stale"], kept["round"], "Ada Brandt" in kept["answer"]) == (True, 0, True)
    assert (harbour["stale"], harbour["round"]) == (False, 0)
    assert {question_id for question_id, count in (_steps(database) - steps).items() if count} == {watched}

    _refresh(database)  # nothing changed: nobody is told again
    again = _ask(client, WHO)
    assert wait_until(lambda: _ended(client, again), within_s=60)
    assert _record(client, again)["cached_from"] == watched
    assert site.events() == Counter(
        {(WHO, "question.answered"): 1, (DEEP, "question.answered"): 1, (WHO, "question.changed"): 1}
    )


@pytest.mark.nightly
def test_page_that_vanishes_makes_its_answers_stale_and_they_are_not_given_again(
    client: httpx2.Client, site: _Site, database: Database
) -> None:
    first = client.post("/api/chat", json={"question": WHO, "wait": 90}).json()
    watch = client.post(f"/api/questions/{first['id']}/watch", json={}).json()
    assert (watch["question"], watch["changed_at"]) == (WHO, None)
    assert [each["question_id"] for each in client.get("/api/watches").json()] == [first["id"]]
    del site.pages["/keeper"]
    _refresh(database)
    assert wait_until(lambda: client.get("/api/watches").json()[0]["changed_at"] is not None, within_s=90)
    after = _record(client, first["id"])
    assert "Ada Brandt" not in after["answer"]
    assert client.delete(f"/api/questions/{first['id']}/watch").status_code == 204
    assert client.get("/api/watches").json() == []
