"""Take questions through all phases in one process: the real tasks, stores, embedder and crawler, a web on loopback.

Only the broker is left out: a message is a call of its task. Nothing leaves the machine.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from sqlalchemy import select

from domain import PageText
from domain.record import Record
from evals.knowledge.stored import save_page
from store.questions import new_questions, records
from store.questions.new_questions import NewQuestion
from store.sql.database import migrate
from store.sql.tables import StepRow
from tests.servers import running, valkey_server
from workers import indexing
from workers import services as composition
from workers.app import app
from workers.services import Services
from workers.services.dispatch import Dispatcher
from workers.settings import load


class _Calls(Dispatcher):
    """Calls each task that is sent, in turn."""

    def __init__(self) -> None:
        super().__init__(app)
        self.waiting: deque[tuple[str, str | int]] = deque()

    def stand(self, task: str, row_id: str | int, **_: Any) -> bool:
        return False

    def send(self, task: str, row_id: str | int, **_: Any) -> bool:
        self.waiting.append((task, row_id))
        return True

    def work(self) -> None:
        while self.waiting:
            task, row_id = self.waiting.popleft()
            app.tasks[task](row_id)


class Process:
    """One process that answers questions."""

    def __init__(self, services: Services, calls: _Calls) -> None:
        self.services, self._calls = services, calls

    def know(self, pages: Mapping[str, str]) -> None:
        """Store and index pages, by title."""
        now = self.services.now()
        for title, text in pages.items():
            page = PageText(title=title, text=text, lang="en")
            url = f"https://known.example/{title.replace(' ', '-')}"
            with self.services.database.write() as session:
                page_id = save_page(session, page, url, now)
            indexing.embed(self.services, page_id)

    def ask(self, text: str, **options: Any) -> Record:
        """Take a question through its phases; return its record."""
        new = NewQuestion(text=text, **options)
        with self.services.database.write() as session:
            question, _ = new_questions.ask(session, new, self.services.now())
        self._calls.send_for(question.id, question.status, priority=question.priority)
        self._calls.work()
        with self.services.database.read() as session:
            return records.read(session, question.id, self.services.now())

    def lookups(self, record: Record) -> dict[str, Any]:
        """Return what the trace says of each lookup, by step."""
        with self.services.database.read() as session:
            steps = session.scalars(select(StepRow).where(StepRow.question_id == record.id).order_by(StepRow.id))
            return {step.name: step.detail for step in steps if "queries" in step.detail}


@contextmanager
def one_process(web: Mapping[str, str] | None = None, **settings: str) -> Iterator[Process]:
    """Start one with these settings; ``web`` is what a search engine finds and a site has: path → HTML."""
    with ExitStack() as stack:
        origin = stack.enter_context(running(ThreadingHTTPServer(("127.0.0.1", 0), _site(web or {}))))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wr-")))
        given = {
            "data_dir": str(folder),
            "redis_url": stack.enter_context(valkey_server()),
            "searxng_url": origin,
            "allow_hosts": urlsplit(origin).netloc,
            "wikipedia": "false",
            "min_delay_s": "0",
            **settings,
        }
        environment = {f"WELLREAD_{name.upper()}": value for name, value in given.items()}
        stack.enter_context(patch.dict(os.environ, environment))
        migrate(load().database)
        services, calls = Services(load()), _Calls()
        stack.callback(services.close)
        vars(services)["dispatcher"] = calls
        app.loader.import_default_modules()
        stack.enter_context(patch.object(composition, "_services", lambda _: services))
        yield Process(services, calls)


def _site(pages: Mapping[str, str]) -> type[BaseHTTPRequestHandler]:
    """Serve the pages, and a search engine that finds all of them whatever is asked."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            if path == "/search":
                origin = f"http://{self.headers['host']}"
                found = [{"url": f"{origin}{each}", "title": each.strip("/"), "content": ""} for each in pages]
                self._say(json.dumps({"results": found}), "application/json")
            elif path in pages:
                self._say(pages[path], "text/html; charset=utf-8")
            else:
                self.send_error(404)

        def _say(self, text: str, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Site
