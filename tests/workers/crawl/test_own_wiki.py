"""An operator's own site is read as it is: behind a login, a certificate or a proxy, and whatever it says to robots."""

from __future__ import annotations

import select
import socket
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from crawler.fetch.access import BadAccess
from store.crawl import sources
from store.crawl.sources import NotYourOwn
from store.sql import row_lines
from store.sql.tables import LinkRow
from tests.crawler.hostile import CERTIFICATE
from tests.logged_site import article, served
from tests.servers import running
from tests.workers.crawl.one_candidate import read_one
from workers import exchange
from workers.crawl import claim as claims
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services

PEM = CERTIFICATE.read_text()
SECRET = "sesame-7f3a"
NOINDEX = '<meta name=robots content="noindex, nofollow">'
Asks = Callable[[BaseHTTPRequestHandler], bool]


class _Wiki(BaseHTTPRequestHandler):
    """A wiki that lets in who knows its secret, and asks every robot to stay out."""

    def do_GET(self) -> None:
        wiki = cast(_Server, self.server)
        path = "/" + self.path.partition("://")[2].partition("/")[2] if "://" in self.path else self.path
        wiki.seen.append((path, dict(self.headers)))
        body, status = wiki.pages.get(path, ""), 200
        if path == "/robots.txt":
            body = wiki.robots
        elif not wiki.asks(self):
            status = 401
        self.send_response(302 if path in wiki.moved else status if body else 404)
        if path in wiki.moved:
            self.send_header("location", wiki.moved[path])
        self.send_header("content-type", "text/html" if path != "/robots.txt" else "text/plain")
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, asks: Asks = lambda _: True) -> None:
        super().__init__(("127.0.0.1", 0), _Wiki)
        self.asks = asks
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.pages = {"/": article(1, links="<a href=/crane>c</a>", more=NOINDEX), "/crane": article(2)}
        self.moved: dict[str, str] = {}
        self.robots = "User-agent: *\nDisallow: /\n"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hung up, as one does that trusts no such certificate."""


class _Proxy(BaseHTTPRequestHandler):
    """A proxy that knows where a name of the inner network is."""

    def do_GET(self) -> None:
        proxy = cast(_ProxyServer, self.server)
        proxy.asked.append((self.path, self.headers.get("proxy-authorization", "")))
        inner = self.path.replace("wiki.corp:80", f"127.0.0.1:{proxy.port}")
        with urllib.request.urlopen(inner) as answer:
            body = answer.read()
            self.send_response(answer.status)
            self.send_header("content-type", answer.headers["content-type"])
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        proxy = cast(_ProxyServer, self.server)
        proxy.asked.append((self.path, self.headers.get("proxy-authorization", "")))
        with socket.create_connection(("127.0.0.1", proxy.port)) as inner:
            self.send_response(200)
            self.end_headers()
            ends = {self.connection: inner, inner: self.connection}
            while ready := select.select(list(ends), [], [], 5)[0]:
                for end in ready:
                    data = end.recv(65_536)
                    if not data:
                        return
                    ends[end].sendall(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _ProxyServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Proxy)
        self.port = port
        self.asked: list[tuple[str, str]] = []


@contextmanager
def wiki_behind(how: str) -> Iterator[tuple[str, _Server, dict[str, Any]]]:
    """Serve a wiki that is reached in one way only; yields its address, the server and what the source needs."""
    asks: dict[str, tuple[Asks, dict[str, Any]]] = {
        "headers": (lambda r: r.headers["x-token"] == SECRET, {"headers": {"X-Token": SECRET}}),
        "bearer": (lambda r: r.headers["authorization"] == SECRET, {"headers": {"Authorization": SECRET}}),
        "basic": (
            lambda r: r.headers["authorization"] == "Basic d2lraTpzw7xzcw==",
            {"user": "wiki", "password": "süss"},
        ),
        "cookies": (lambda r: r.headers["cookie"] == f"a=1; s={SECRET}", {"cookies": {"a": "1", "s": SECRET}}),
    }
    server = _Server(asks[how][0] if how in asks else lambda _: True)
    with ExitStack() as stack:
        if how in ("ca", "certificate", "tunnel"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            access = {"ca": PEM}
            if how == "certificate":
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(CERTIFICATE)
                key = PEM[PEM.index("-----BEGIN PRIVATE") : PEM.index("-----END PRIVATE")] + "-----END PRIVATE KEY-----"
                access |= {"certificate": PEM[PEM.index("-----BEGIN CERT") :], "key": key}
            server.socket = context.wrap_socket(server.socket, server_side=True)
            stack.enter_context(running(server))
            proxy = _ProxyServer(server.server_port)
            if how == "tunnel":
                access |= {"proxy": stack.enter_context(running(proxy))}
            yield f"https://localhost:{server.server_port}", server, access
            assert bool(proxy.asked) == (how == "tunnel")
            proxy.server_close()
            return
        origin = stack.enter_context(running(server))
        if how == "proxy":
            proxy = _ProxyServer(server.server_port)
            address = stack.enter_context(running(proxy)).replace("://", f"://me:{SECRET}@")
            yield "http://wiki.corp", server, {"proxy": address}
            assert {given for _, given in proxy.asked} == {"Basic bWU6c2VzYW1lLTdmM2E="}
            return
        yield origin, server, asks[how][1]


WAYS = ["headers", "bearer", "basic", "cookies", "ca", "certificate", "proxy", "tunnel"]


@pytest.mark.parametrize("how", WAYS)
def test_own_site_is_reached_as_its_operator_says_and_not_without(services: Services, how: str) -> None:
    with wiki_behind(how) as (origin, server, access):
        source = submit.add_source(services, f"{origin}/", own=True, min_delay_s=0.0, ignore_robots=True)
        assert read_one(services, f"{origin}/crane").outcome != "read"
        changed = sites.change(services, source.id, {"access": access})
        assert changed is not None
        assert changed.access == tuple(sorted(access, key=list(access).index))
        server.seen.clear()
        row = read_one(services, f"{origin}/crane")
        assert (row.outcome, row.reason) == ("read", "")
        assert "/crane" in [path for path, _ in server.seen]


def test_site_that_could_not_be_reached_is_tried_at_once_when_its_access_is_changed(services: Services) -> None:
    with wiki_behind("ca") as (origin, server, access):
        server.robots = "User-agent: *\nDisallow:\n"
        source = submit.add_source(services, f"{origin}/", own=True, min_delay_s=0.0)
        assert "certificate" in str(read_one(services, f"{origin}/crane").reason)
        sites.change(services, source.id, {"access": access})
        assert read_one(services, f"{origin}/crane").outcome == "read"


@pytest.mark.parametrize("how", ["headers", "basic", "cookies", "proxy"])
def test_secrets_of_a_site_go_to_no_other_and_are_shown_nowhere(services: Services, how: str, tmp_path: Path) -> None:
    with served({"/lamp": article(3)}) as other, wiki_behind(how) as (origin, server, access), capture_logs() as logs:
        elsewhere = _Server()
        with running(elsewhere) as there:
            elsewhere.pages["/lamp"] = article(4)
            for url in (f"{there}/", f"{other.origin}/"):
                submit.add_source(services, url, own=True, min_delay_s=0.0, ignore_robots=True)
            source = submit.add_source(
                services, f"{origin}/", own=True, min_delay_s=0.0, ignore_robots=True, access=access
            )
            server.moved["/out"] = f"{there}/lamp"
            if how != "proxy":
                assert read_one(services, f"{origin}/out").outcome == "read"
                assert elsewhere.seen
            read_one(services, f"{there}/lamp")
            read_one(services, f"{origin}/nothing-there")
            names = {name.lower() for _, headers in elsewhere.seen for name in headers}
            assert names.isdisjoint({"x-token", "authorization", "cookie", "proxy-authorization"})
        secrets = [SECRET, "süss", "d2lraTpzw7xzcw=="]
        exchange.export_collection(services, tmp_path / "all.zip", wellread="1.0")
        shown = [
            *map(repr, services.read(sources.list_all)),
            (tmp_path / "all.zip").read_bytes().decode("latin-1"),
            str(logs),
        ]
        with row_lines.snapshot(services.database) as rows:
            for table in row_lines.tables(rows):
                if table.name != "sources":
                    shown += [line.decode() for line in row_lines.lines(rows, table)]
        assert not [text[:200] for text in shown for secret in secrets if secret in text]
        forgotten = sites.change(services, source.id, {"access": None})
        assert forgotten is not None
        assert forgotten.access == ()


def test_headers_are_sent_to_what_belongs_to_the_source_only(services: Services) -> None:
    with wiki_behind("headers") as (origin, server, access):
        server.pages |= {"/wiki/a": article(5), "/~bob/": article(6)}
        submit.add_source(services, f"{origin}/wiki/", own=True, min_delay_s=0.0, ignore_robots=True, access=access)
        assert read_one(services, f"{origin}/wiki/a").outcome == "read"
        read_one(services, f"{origin}/~bob/")
        sent = {path: "X-Token" in {name.title() for name in headers} for path, headers in server.seen}
        assert {path: sent[path] for path in sent if path != "/robots.txt"} == {"/wiki/a": True}


@pytest.mark.parametrize("how", ["ca", "certificate", "proxy", "tunnel"])
def test_connections_of_a_source_serve_what_belongs_to_it_and_robots_only(services: Services, how: str) -> None:
    with wiki_behind(how) as (origin, server, access):
        server.robots = "User-agent: *\nDisallow:\n"
        server.pages |= {"/wiki/a": article(5), "/hr/pay": article(6)}
        submit.add_source(services, f"{origin}/wiki/", own=True, min_delay_s=0.0, access=access)
        assert read_one(services, f"{origin}/wiki/a").outcome == "read"
        assert read_one(services, f"{origin}/hr/pay").outcome != "read"
        assert [path for path, _ in server.seen] == ["/robots.txt", "/wiki/a"]


def test_secrets_of_a_single_page_are_for_no_page_beside_it(services: Services) -> None:
    with wiki_behind("headers") as (origin, server, access):
        server.pages |= {"/wiki/a": article(5), "/wiki/b": article(6)}
        submit.add_source(services, f"{origin}/wiki/a", own=True, min_delay_s=0.0, ignore_robots=True, access=access)
        assert read_one(services, f"{origin}/wiki/a").outcome == "read"
        assert read_one(services, f"{origin}/wiki/b").outcome == "forbidden"


@pytest.mark.parametrize("how", ["redirect", "frame"])
def test_page_beside_a_source_with_secrets_does_not_lead_into_it(services: Services, how: str) -> None:
    with wiki_behind("headers") as (origin, server, access):
        server.robots = "User-agent: *\nDisallow:\n"
        server.asks = lambda request: request.path.startswith("/blog/") or request.headers["x-token"] == SECRET
        server.pages |= {"/wiki/a": article(5), "/blog/frame": "<html><title>B</title><iframe src=/wiki/a></iframe>"}
        server.moved["/blog/redirect"] = f"{origin}/wiki/a"
        submit.add_source(services, f"{origin}/blog/", own=True, min_delay_s=0.0)
        submit.add_source(services, f"{origin}/wiki/", own=True, min_delay_s=0.0, access=access)
        assert read_one(services, f"{origin}/blog/{how}").outcome == ("blocked" if how == "redirect" else "empty")
        assert "/wiki/a" not in [path for path, _ in server.seen]


@pytest.mark.parametrize("ignores", [False, True])
def test_own_site_is_read_whatever_it_says_to_robots_where_its_operator_says_so(
    services: Services, ignores: bool
) -> None:
    server = _Server()
    with running(server) as origin, capture_logs() as logs:
        server.pages["/wiki/"] = article(1, links="<a href=/wiki/crane>c</a>", more=NOINDEX)
        submit.add_source(services, f"{origin}/wiki/", own=True, min_delay_s=0.0, ignore_robots=ignores)
        assert read_one(services, f"{origin}/wiki/").outcome == ("read" if ignores else "forbidden")
        assert read_one(services, f"{origin}/crane").outcome == "forbidden"  # it does not belong to the source
        with services.database.read() as session:
            links = session.scalars(sa.select(LinkRow.url)).all()
    assert (f"{origin}/wiki/crane" in links) == ignores
    assert ("robots_ignored" in {entry["event"] for entry in logs}) == ignores


def test_redirect_of_the_front_page_takes_no_permission_along(services: Services) -> None:
    server, new = _Server(), _Server()
    with running(server) as origin, running(new) as there:
        server.moved["/"] = f"{there}/"
        submit.add_source(services, f"{there}/nothing/", own=True, min_delay_s=0.0)
        source = submit.add_source(
            services,
            f"{origin}/",
            own=True,
            min_delay_s=0.0,
            ignore_robots=True,
            access={"headers": {"X-Token": SECRET}},
        )
        services.write(sources.follow, source.url, f"{there}/")
        row = read_one(services, source.url)
        assert (row.outcome, "robots.txt" in (row.reason or "")) == ("forbidden", True)
        assert not any("X-Token" in headers for _, headers in new.seen)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"ignore_robots": True}, NotYourOwn),
        ({"access": {"headers": {"X-Token": SECRET}}}, NotYourOwn),
        ({"own": True, "access": {"ca": f"no PEM {SECRET}"}}, BadAccess),
        ({"own": True, "access": {"certificate": f"{PEM[:400]}{SECRET}"}}, BadAccess),
        ({"own": True, "access": {"proxy": f"socks5://me:{SECRET}@proxy.example"}}, BadAccess),
    ],
)
def test_what_cannot_be_used_is_refused_without_a_word_of_it(
    services: Services, settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error) as refused:
        submit.add_source(services, "https://wiki.example/", **{"own": False} | settings)
    assert SECRET not in str(refused.value)
    with services.database.read() as session:
        assert sources.list_all(session) == []


def test_claim_shows_no_secret(services: Services) -> None:
    with wiki_behind("headers") as (origin, _, access):
        submit.add_source(services, f"{origin}/", own=True, access=access)
        begun = sites.start(services, f"{origin}/")
        with services.database.read() as session:
            candidate_id = session.scalars(sa.select(LinkRow.id)).first() or 1
        mine = claims.claim(services, candidate_id)
        assert begun.id
        assert mine is not None
        assert SECRET not in repr(mine)
        assert SECRET not in repr(services.client(mine.sources, mine.secrets).__dict__)
