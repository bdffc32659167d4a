"""An intranet on loopback: HTTPS with a certificate of its own, and pages only for who is logged in by a cookie."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from tests.crawler.hostile import CERTIFICATE
from tests.servers import running

PAGES = {
    "/": "<h1>Intranet</h1><p>What the staff of the harbour needs every day, by department.</p>"
    '<a href="/travel/">Travel</a> <a href="/hr/">Staff</a> <a href="/board/">Board</a>',
    "/travel/": "<h1>Business trips</h1><p>Flights above six hours are approved by the harbour master. Hotels may cost"
    ' 140 euros a night, breakfast included.</p><a href="/travel/trains">Trains</a>',
    "/travel/trains": "<h1>Trains</h1><p>Trains are booked in second class, up to four weeks before the trip.</p>",
    "/hr/": "<h1>Salaries</h1><p>The salary of a crane driver is 3,900 euros a month, and that of a pilot 5,200.</p>",
    "/board/": "<h1>Minutes</h1><p>The board decided in May to buy a third tug from the yard in Emden.</p>",
    "/login": "<h1>Log in</h1><p>Please log in to continue.</p><form method=post><input name=user>"
    "<input type=password name=password><button>Log in</button></form>",
}


@dataclass
class Intranet:
    """The site; ``session`` is the one that is let in."""

    session: str
    origin: str = ""


@contextmanager
def served() -> Iterator[Intranet]:
    """Serve the intranet."""
    server = _Server(("127.0.0.1", 0), _Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.site = Intranet("4711", f"https://localhost:{server.server_port}")
    with running(server):
        yield server.site


class _Server(ThreadingHTTPServer):
    site: Intranet
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that trusts no such certificate."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        site = cast(_Server, self.server).site
        is_in = self.headers["cookie"] == f"session={site.session}" or self.path in ("/login", "/robots.txt")
        body = PAGES.get(self.path, "") if is_in else ""
        self.send_response(200 if body else 404 if is_in else 302)
        if not is_in:
            self.send_header("location", "/login")
        page = f"<!doctype html><html lang=en><title>{body[4 : body.find('</h1>')]}</title><main>{body}</main></html>"
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode() if body else b"")

    def log_message(self, format: str, *args: object) -> None:
        pass
