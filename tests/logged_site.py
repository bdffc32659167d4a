"""A site on loopback that keeps a log of its own: when each request came and was answered, and with what."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, cast


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as the site saw it; times of the monotonic clock."""

    path: str
    status: int
    came_at: float
    answered_at: float


@dataclass
class LoggedSite:
    """Pages by path, which may change while it is served."""

    origin: str = ""
    pages: dict[str, str] = field(default_factory=dict)  #: path → HTML
    moved: dict[str, str] = field(default_factory=dict)  #: path → where it leads
    moved_status: int = 302
    failing: set[str] = field(default_factory=set)  #: paths that the server refuses, and does not say why
    robots: str = ""
    has_etags: bool = True
    takes_s: float = 0.0
    log: list[Request] = field(default_factory=list)

    def paths(self, *, since: int = 0, status: int | None = None) -> list[str]:
        """The pages asked for, in order, without robots.txt and sitemaps."""
        seen = self.log[since:]
        return [r.path for r in seen if r.path in self.pages and status in (None, r.status)]

    def most_at_once(self) -> int:
        """The most requests that were being answered at one time."""
        edges = sorted([(r.came_at, 1) for r in self.log] + [(r.answered_at, -1) for r in self.log])
        now = most = 0
        for _, step in edges:
            now += step
            most = max(most, now)
        return most

    def gaps_s(self) -> list[float]:
        """The pauses between an answer and the next request; robots.txt belongs to the page it is asked for."""
        pages = [r for r in sorted(self.log, key=lambda r: r.came_at) if r.path != "/robots.txt"]
        return [later.came_at - earlier.answered_at for earlier, later in pairwise(pages)]


def article(number: int, *, links: str = "", more: str = "") -> str:
    """A page with enough text to be one, unlike any other."""
    words = " ".join(f"lamp{number}x{part} burns with oil {number * part} all night" for part in range(1, 12))
    return f"<html lang=en><title>Lamp {number}</title><h1>Lamp {number}</h1><p>{words}.{more}</p>{links}</html>"


@contextmanager
def served(pages: Mapping[str, str], *, host: str = "127.0.0.1", **options: Any) -> Iterator[LoggedSite]:
    """Serve pages; a page "/sitemap.xml" is served as one."""
    site = LoggedSite(pages=dict(pages), **options)
    server = _Server((host, 0), _Handler)
    server.site = site
    site.origin = f"http://{host}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    site: LoggedSite
    daemon_threads = True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site = cast(_Server, self.server).site
        came_at = time.monotonic()
        time.sleep(site.takes_s)
        body = site.robots if self.path == "/robots.txt" and site.robots else site.pages.get(self.path)
        etag = f'"{hashlib.sha1((body or "").encode()).hexdigest()}"'
        status = 404 if body is None else 304 if self._knows(site, etag) else 200
        status = 400 if self.path in site.failing else status
        status = site.moved_status if self.path in site.moved else status
        answered_at = time.monotonic()  # noted before the answer goes out: its reader may be back before this thread
        site.log.append(Request(path=self.path, status=status, came_at=came_at, answered_at=answered_at))
        sent = (body or "").encode() if status == 200 else b""
        self.send_response(status)
        kinds = {"xml": "application/xml", "txt": "text/plain"}
        self.send_header("content-type", kinds.get(self.path.rpartition(".")[2], "text/html; charset=utf-8"))
        self.send_header("content-length", str(len(sent)))
        if self.path in site.moved:
            self.send_header("location", site.moved[self.path])
        elif site.has_etags and body is not None:
            self.send_header("etag", etag)
        self.end_headers()
        self.wfile.write(sent)

    def _knows(self, site: LoggedSite, etag: str) -> bool:
        return site.has_etags and self.headers.get("if-none-match") == etag

    def log_message(self, format: str, *args: object) -> None:
        pass
