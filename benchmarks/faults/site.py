"""A site on loopback with a page for each text of a set, and the questions on them; and a receiver of webhooks."""

from __future__ import annotations

import json
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle, islice
from pathlib import Path

from api.cli.demo.site_server import serve
from benchmarks.corpus.knowledge_base import real_set
from domain import Passage


def questions(count: int) -> list[str]:
    """Return so many questions on the site, from the first again where there are fewer."""
    return list(islice(cycle([question.text for question in real_set().questions]), count))


@contextmanager
def serving() -> Iterator[str]:
    """Serve the site while the block runs; yield its first page's URL."""
    passages = real_set().passages
    with tempfile.TemporaryDirectory(prefix="wr-site-") as folder:
        for passage in passages:
            (Path(folder) / f"{passage.page_id}.html").write_text(_page(passage), "utf-8")
        (Path(folder) / "index.html").write_text(_front(passages), "utf-8")
        with serve(Path(folder)) as site:
            yield f"{site.origin}/"


class Receiver(ThreadingHTTPServer):
    """Counts the webhooks that it receives, by question."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receives)
        self.received: Counter[str] = Counter()

    @property
    def origin(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive webhooks while the block runs."""
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, name="receiver", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Receives(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Count the question that ended."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.received[str(body["question"]["id"])] += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _page(passage: Passage) -> str:
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{escape(passage.title)}</title></head><body>"
        f"<main><h1>{escape(passage.title)}</h1><p>{escape(passage.text)}</p></main></body></html>"
    )


def _front(passages: tuple[Passage, ...]) -> str:
    """Return the page that links all others, each by the beginning of its text."""
    links = "".join(
        f'<li><a href="/{passage.page_id}.html">{escape(passage.title)}: {escape(passage.text[:80])}</a></li>'
        for passage in passages
    )
    return f"<!doctype html><html lang=en><head><title>All pages</title></head><body><ul>{links}</ul></body></html>"
