"""Reading a candidate: every kind of page gets an outcome and a reason, and nothing stored is harmed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from sqlalchemy import select

from domain import Status
from store.pages import pages
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.leases import MAX_ATTEMPTS
from store.sql.tables import CandidateRow, LinkRow, PageRow, QuestionRow
from tests.workers.conftest import Outbox
from tests.workers.crawl.one_candidate import add, make_due, read_one, row_of, work
from workers.crawl import read_candidate
from workers.questions import submit
from workers.services import Services

TEXT = "The keeper trims the wick every evening before he lights the lamp, and again at midnight when the oil is low."
CHINESE = "灯塔的灯每天晚上都要点亮。守塔人修剪灯芯，并在半夜加满灯油。" * 4


class _Site(BaseHTTPRequestHandler):
    """A page of every unpleasant kind."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.strip("/").replace(".", "_")
        getattr(self, f"_{name}", self._missing)()

    def _say(self, body: bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", headers.pop("length", str(len(body))))
        for header, value in headers.items():
            self.send_header(header.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _missing(self) -> None:
        self._say(b"not found", "text/plain", 404)

    def _robots_txt(self) -> None:
        self._say(b"User-agent: *\nDisallow: /secret\n", "text/plain")

    def _good(self) -> None:
        self._say(f"<html lang=en><title>Lamp</title><p>{TEXT}</p><a href=/wick>Wicks</a></html>".encode(), etag='"1"')

    def _chinese(self) -> None:
        self._say(f"<html><head><meta charset=gb2312><p>{CHINESE}</p></html>".encode("gb18030"), "text/html")

    def _empty(self) -> None:
        self._say(b"")

    def _binary(self) -> None:
        self._say(b"\x7fELF" + bytes(range(256)) * 40, "application/octet-stream")

    def _disguised(self) -> None:
        self._say(b"\x89PNG\r\n\x1a\n" + bytes(2000), "text/html")

    def _huge(self) -> None:
        self._say(b"", length=str(50_000_000))

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"<p>more and more and more</p>" * 1000)
        except OSError:
            self.close_connection = True

    def _busy(self) -> None:
        self._say(b"later", status=503, retry_after="7")

    def _loop(self) -> None:
        self._say(b"", status=302, location="/loop")

    def _inward(self) -> None:
        self._say(b"", status=302, location="http://169.254.169.254/latest/meta-data/")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(services: Services) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    submit.add_source(services, f"{origin}/", own=True, min_delay_s=0.0)
    yield origin
    server.shutdown()
    server.server_close()


def test_a_page_is_kept_with_its_text_and_links_and_waits_to_be_embedded(
    services: Services, site: str, outbox: Outbox
) -> None:
    row = read_one(services, f"{site}/good")
    with services.database.read() as session:
        page = session.get_one(PageRow, row.page_id)
        links = list(session.scalars(select(LinkRow.url)))
    assert (row.outcome, row.news, page.state, page.etag) == ("read", True, "FETCHED", '"1"')
    assert TEXT in page.text
    assert links == [f"{site}/wick"]
    assert ("wellread.embed", row.page_id) in outbox.messages


@pytest.mark.parametrize(
    ("path", "outcome", "said"),
    [
        ("chinese", "read", ""),
        ("empty", "empty", "empty"),
        ("binary", "failed", "application/octet-stream"),
        ("disguised", "failed", ""),
        ("huge", "failed", "large"),
        ("endless", "failed", ""),
        ("nowhere", "gone", "404"),
        ("secret", "forbidden", "robots.txt"),
        ("loop", "failed", "redirect"),
        ("inward", "blocked", "169.254.169.254"),
    ],
)
def test_every_kind_of_page_gets_an_outcome_and_its_reason(
    services: Services, site: str, path: str, outcome: str, said: str
) -> None:
    row = read_one(services, f"{site}/{path}")
    if path == "loop":
        assert row.outcome in ("failed", "blocked")
    else:
        assert (row.outcome, row.status) == (outcome, "SETTLED")
    assert said.lower() in (row.reason or "").lower()


def test_a_private_address_that_is_not_the_operators_own_is_never_asked(services: Services) -> None:
    assert read_one(services, "http://127.0.0.1:9/").outcome == "blocked"


def test_a_busy_server_is_tried_again_later_and_not_for_ever(services: Services, site: str) -> None:
    candidate_id = add(services, f"{site}/busy")
    read_candidate.read(services, candidate_id)
    row = row_of(services, candidate_id)
    assert (row.status, row.attempts) == ("WAITING", 1)
    assert (row.due_at - services.now()).total_seconds() > 5
    with services.database.write() as session:
        session.get_one(CandidateRow, candidate_id).attempts = MAX_ATTEMPTS
    make_due(services, candidate_id)
    read_candidate.read(services, candidate_id)
    assert row_of(services, candidate_id).outcome == "failed"


def test_a_read_delivered_twice_is_done_once(services: Services, site: str) -> None:
    candidate_id = add(services, f"{site}/good")
    read_candidate.read(services, candidate_id)
    first = row_of(services, candidate_id).settled_at
    read_candidate.read(services, candidate_id)
    assert row_of(services, candidate_id).settled_at == first


def test_an_unchanged_page_is_not_embedded_again(services: Services, site: str, outbox: Outbox) -> None:
    first = read_one(services, f"{site}/good")
    outbox.messages.clear()
    second = read_one(services, f"{site}/good")
    assert (second.outcome, second.page_id, second.news) == ("unchanged", first.page_id, False)
    assert "wellread.embed" not in {task for task, _ in outbox.messages}


def test_a_page_that_fails_keeps_its_last_good_text(services: Services, site: str) -> None:
    row = read_one(services, f"{site}/good")
    with services.database.write() as session:
        session.get_one(PageRow, row.page_id).url = f"{site}/binary"
    assert read_one(services, f"{site}/binary").outcome == "failed"
    with services.database.read() as session:
        assert TEXT in pages.texts(session, [row.page_id or 0])[row.page_id or 0]


def test_who_finds_the_host_busy_goes_away_and_comes_back(services: Services, site: str, outbox: Outbox) -> None:
    services.host_slots.claim(site, now=1e10, delay_s=0.0)
    candidate_id = add(services, f"{site}/good")
    read_candidate.read(services, candidate_id)
    row = row_of(services, candidate_id)
    assert (row.status, row.attempts, row.lease_by) == ("WAITING", 0, None)
    assert ("wellread.read", candidate_id) in outbox.messages


def test_the_last_page_of_a_wave_moves_the_question_on_whatever_came_of_it(
    services: Services, site: str, outbox: Outbox
) -> None:
    with services.database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text="Who trims the wick?"), services.now())
        session.get_one(QuestionRow, question.id).status = Status.READING
    first, second = (add(services, f"{site}/{path}", question.id) for path in ("nowhere", "good"))
    work(services, first, until=lambda row: row.status == "SETTLED")
    assert _status(services, question.id) == Status.READING
    work(services, second, until=lambda row: row.status == "SETTLED")
    assert _status(services, question.id) == Status.EMBEDDING


def test_a_question_that_was_cancelled_reads_nothing_more(services: Services, site: str) -> None:
    with services.database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text="Who trims the wick?"), services.now())
        session.get_one(QuestionRow, question.id).status = Status.READING
    candidate_id = add(services, f"{site}/good", question.id)
    submit.cancel(services, question.id)
    read_candidate.read(services, candidate_id)
    assert row_of(services, candidate_id).outcome == "skipped"


def _status(services: Services, question_id: str) -> str:
    with services.database.read() as session:
        return session.get_one(QuestionRow, question_id).status
