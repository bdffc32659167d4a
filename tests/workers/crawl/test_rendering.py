"""What JavaScript makes is read and stored where there is a browser; else the outcome says what is missing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from sqlalchemy import select

from domain import Candidate
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.sql.tables import CandidateRow, PageRow
from tests.crawler.browser.web import chromium
from workers.crawl import read_candidate
from workers.questions import submit
from workers.services import Services
from workers.settings import SettingsError, load

SHELL = b"<html lang=en><title>App</title><body><div id=root></div><script src=/app.js></script></body></html>"
SCRIPT = b"document.getElementById('root').innerHTML = '<h1>Lamp</h1><p>' + 'It burns whale oil all night. '.repeat(9)"


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = {"/": (SHELL, "text/html"), "/app.js": (SCRIPT, "text/javascript")}
        body, kind = known.get(self.path, (b"", "text/plain"))
        self.send_response(200 if body else 404)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def _read(services: Services, site: str) -> tuple[str | None, str | None, list[str]]:
    """What came of the page: its outcome and reason, and the texts that are stored."""
    submit.add_source(services, site, own=True, min_delay_s=0.0)
    (candidate_id,) = services.write(
        candidates.add, None, [Candidate(url=site)], wave=0, status=CandidateStatus.WAITING, now=services.now()
    )
    read_candidate.read(services, candidate_id)
    with services.database.read() as session:
        row = session.get_one(CandidateRow, candidate_id)
        return row.outcome, row.reason, list(session.scalars(select(PageRow.text)))


def _services(services: Services, setting: str) -> Services:
    ready = Services(load(redis_url=services.settings.redis_url, chromium=setting, min_delay_s=0.0))
    ready.__dict__["dispatcher"] = services.dispatcher
    return ready


@pytest.mark.live
def test_page_that_a_script_makes_is_stored_as_it_makes_it(services: Services, site: str) -> None:
    ready = _services(services, chromium())
    outcome, _, texts = _read(ready, site)
    assert outcome == "read"
    assert "It burns whale oil" in texts[0]
    ready.close()


def test_without_a_browser_its_outcome_says_what_is_missing(services: Services, site: str) -> None:
    ready = _services(services, "off")
    outcome, reason, texts = _read(ready, site)
    assert (outcome, texts) == ("empty", [])
    assert reason is not None
    assert "install Chromium" in reason
    ready.close()


def test_path_where_nothing_can_be_run_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="WELLREAD_CHROMIUM"):
        load(chromium=str(tmp_path / "chromium"))
    assert load(chromium=sys.executable).chromium == sys.executable
