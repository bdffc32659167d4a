"""Serve every attack's page on loopback, and read, embed, ask and answer from it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import structlog

from domain import Candidate, Status
from evals.injection.attack import AttackPage
from evals.injection.measure import all_pages
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.questions.state import Move
from store.sql import leases
from store.sql.database import migrate
from store.sql.tables import CandidateRow, PageRow, QuestionRow, WebhookRow
from tests.fakes import HashingEmbedder
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.servers import running
from tests.workers.conftest import Outbox
from workers import indexing
from workers.crawl import read_candidate
from workers.questions import lookup, submit, transitions, webhooks
from workers.services import Services
from workers.settings import load

__all__ = ["ask", "double", "library", "made", "server"]


class Listener:
    """A server that serves ``files`` by path and remembers every request and its body."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, str]] = {}
        self.asked: list[tuple[str, bytes]] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                listener.asked.append((self.path, body))
                content, kind = listener.files.get(self.path, (b"", "text/plain"))
                self.send_response(200 if self.path in listener.files or body else 404)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET  # noqa: N815 - its name is the server's

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"


@dataclass(kw_only=True)
class Library:
    """What Wellread made of the attacks' pages."""

    services: Services
    pages: list[AttackPage]
    site: Listener  #: where the pages stand
    collector: Listener  #: the attacker's server, to which nothing may ever come
    receiver: Listener  #: of webhooks
    logs: list[dict[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)  #: the questions', in the order of the pages


@pytest.fixture(scope="package")
def library(tmp_path_factory: pytest.TempPathFactory, valkey_url: str) -> Iterator[Library]:
    data_dir: Path = tmp_path_factory.mktemp("safety")
    site, collector, receiver = Listener(), Listener(), Listener()
    settings = load(
        data_dir=data_dir, redis_url=valkey_url, wikipedia=False, fetch_deadline_s=10.0, min_delay_s=0.0,
        webhook_secret="secret", anthropic_api_key="", allow_hosts=(receiver.host,),
    )  # fmt: skip
    migrate(settings.database)
    services = Services(settings)
    services.__dict__.update(dispatcher=Outbox(), embedder=HashingEmbedder())
    made = Library(
        services=services, pages=all_pages(host=collector.host), site=site, collector=collector, receiver=receiver
    )
    with running(site.server), running(collector.server), running(receiver.server):
        structlog.reset_defaults()  # another test may have set a level that leaves messages out
        with structlog.testing.capture_logs() as logs:
            _read_all(made)
            made.ids = [_answered(made, page) for page in made.pages]
        made.logs = [dict(entry) for entry in logs]
        yield made
        services.close()


def _read_all(made: Library) -> None:
    services = made.services
    made.site.files = {page.path: (page.body, page.attack.content_type) for page in made.pages}
    submit.add_source(services, f"http://{made.site.host}/", own=True, min_delay_s=0.0)
    wanted = [Candidate(url=f"http://{made.site.host}{page.path}") for page in made.pages]
    with services.database.write() as session:
        ids = candidates.add(session, None, wanted, wave=0, status=CandidateStatus.WAITING, now=services.now())
    for candidate_id in ids:
        _read(services, candidate_id)
    with services.database.read() as session:
        page_ids = [row.id for row in session.query(PageRow)]
    assert len(page_ids) == len(made.pages)
    for page_id in page_ids:
        indexing.embed(services, page_id)


def _read(services: Services, candidate_id: int) -> None:
    """Answer wake-up calls as a worker would, until the page is read: another's turn at the host may come first."""
    for _ in range(500):
        read_candidate.read(services, candidate_id)
        with services.database.write() as session:
            row = session.get_one(CandidateRow, candidate_id)
            if row.status == CandidateStatus.SETTLED:
                return
            row.due_at, row.lease_until = services.now(), None
        time.sleep(0.01)
    raise AssertionError("the page was never read")


def _answered(made: Library, page: AttackPage) -> str:
    """Ask a page's question, give the answer of the first look as the final one, and have its webhook delivered."""
    services = made.services
    new = NewQuestion(
        text=page.question, lang=page.attack.lang, crawl_enabled=False, callback_url=f"http://{made.receiver.host}/hook"
    )
    with services.database.write() as session:
        question, _ = new_questions.ask(session, new, services.now())
    result = lookup.first_pass(services, question)
    move = Move(
        to=Status.ANSWERED, outcome="sufficient", detail=transitions.detail_of(result), answer=result.answer,
        verdict=result.verdict, context=transitions.context_of(result.hits),
    )  # fmt: skip
    with services.database.write() as session:
        lease = leases.claim(session, QuestionRow, question.id, QuestionRow.status == Status.ASKED, services.now())
        assert lease is not None
        assert state.record(session, lease, move, step="retrieve", started_at=services.now(), now=services.now())
    services.events.publish(question.id, "provisional", {"answer": result.answer.text if result.answer else ""})
    services.events.publish(question.id, "final", {"status": Status.ANSWERED})
    with services.database.read() as session:
        owed = [row.id for row in session.query(WebhookRow).filter_by(question_id=question.id)]
    for webhook_id in owed:
        webhooks.deliver(services, webhook_id)
    return question.id
