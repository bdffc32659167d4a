"""The pages of docs/ that tell step by step what to do are done: their shell is run, and what they show compared."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import httpx2
import pytest
import redis

from tests import intranet
from tests.crawler.hostile import CERTIFICATE
from tests.docs.blocks import Block, blocks
from tests.live.terminal import Terminal, assert_shows, opened
from tests.mail_server import mail_server
from tests.own_stack import until
from tests.servers import running

pytestmark = [pytest.mark.live, pytest.mark.timeout(1500)]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with opened() as terminal:
        yield terminal


def follow(page: str, terminal: Terminal, meanwhile: Callable[[Block, str], str] = lambda _, printed: printed) -> None:
    """Do what a page says, with Wellread running; ``meanwhile`` comes before each block; it returns what is shown."""
    told = [block for block in blocks("sh", "text") if block.page == page]
    if not any(block.text.endswith("wellread up\n") for block in told):
        terminal.run(Block(page, 0, "sh", "wellread up\n"))
    printed = ""
    for block in told:
        printed = meanwhile(block, printed)
        if block.language == "sh":
            printed = terminal.run(_in_time(block))
        else:
            assert_shows(block, printed, terminal)


#: what is quicker than a reader → what it waits for: a change that is seen, a worker that begins, Flower that sees
#: a worker (Celery's events go to who listens when they are sent), an event that comes
IN_TIME = {
    "sleep 130": "until wellread pages show http://127.0.0.1:8000/rye.html | grep -q ' changed '; do sleep 2; done",
    "sleep 20": "seen=$(cat seen 2> /dev/null || echo 0); echo $((seen + 1)) > seen\n"
    "until [ $(wellread subscriptions news ID | grep -c '^20') -gt $seen ]; do sleep 1; done",
    "curl -sf ": "curl -sf --retry 60 --retry-delay 1 --retry-all-errors ",
    "wellread doctor": "until wellread doctor > /dev/null; do sleep 2; done\nwellread doctor",
    "curl -s http://127.0.0.1:8484/api/questions": "until curl -s http://127.0.0.1:5555/metrics"
    " | grep -q 'online{worker=.answer'; do sleep 1; done\ncurl -s http://127.0.0.1:8484/api/questions",
    "curl -s http://127.0.0.1:5555/metrics": "until curl -s http://127.0.0.1:5555/metrics | grep -q wellread.retrieve;"
    " do sleep 1; done\ncurl -s http://127.0.0.1:5555/metrics",
}


def _in_time(block: Block) -> Block:
    """The block with the waiting that a reader's typing takes."""
    told = re.compile("|".join(map(re.escape, IN_TIME)))
    return Block(block.page, block.line, block.language, told.sub(lambda found: IN_TIME[found[0]], block.text))


@pytest.mark.nightly
def test_tutorial(terminal: Terminal) -> None:
    follow("docs/tutorial.md", terminal)
    listed = httpx2.post(
        terminal.here("http://127.0.0.1:5555/tasks/datatable"),
        data={"draw": "1", "start": "0", "length": "1000", "search[value]": "", "order[0][column]": "0"}
        | {"order[0][dir]": "asc", "columns[0][data]": "name"},
        timeout=60,
        trust_env=False,
    ).json()
    assert {"wellread.ask", "wellread.refresh", "wellread.read", "wellread.embed"} <= {
        task["name"] for task in listed["data"]
    }


@pytest.mark.nightly
def test_servers_of_ones_own(terminal: Terminal, empty_postgres: str, valkey_url: str) -> None:
    terminal.said["postgresql+psycopg://wellread:secret@127.0.0.1:5432/wellread"] = empty_postgres
    terminal.said["redis://127.0.0.1:6379/0"] = valkey_url
    with redis.Redis.from_url(valkey_url) as server:
        server.config_set("appendonly", "yes")
    said = [terminal.run(_in_time(block)) for block in blocks("sh") if block.page == "docs/how-to/servers.md"]
    assert "Celery:" not in said[1]  # no broker of its own is started
    assert "ok database: postgresql" in " ".join(said[2].split())


@pytest.mark.nightly
@pytest.mark.parametrize("page", ["docs/how-to/overnight.md", "docs/how-to/schedule.md", "docs/how-to/flower.md"])
def test_how_to(page: str, terminal: Terminal) -> None:
    follow(page, terminal)


@pytest.mark.nightly
def test_news_of_twenty_sites(terminal: Terminal) -> None:
    hooks = _Hooks()
    with mail_server(tls="starttls", login="news:secret") as mail, running(hooks):
        terminal.said |= {"mail.example.org:587": f"localhost:{mail.server_address[1]}"}
        terminal.said |= {"https://hooks.example.org": f"http://127.0.0.1:{hooks.server_port}"}
        terminal.said |= {
            f"{verb} ID": f"{verb} $(wellread subscriptions list | head -c 32)" for verb in ("news", "run")
        }
        terminal.said["edit ID"] = terminal.said["run ID"].replace("run", "edit", 1)
        terminal.env |= {"SSL_CERT_FILE": str(CERTIFICATE), "WELLREAD_ALLOW_HOSTS": f"127.0.0.1:{hooks.server_port}"}

        def meanwhile(block: Block, printed: str) -> str:
            if not block.text.startswith("Subject: "):
                return printed
            until(lambda: mail.got)
            message = message_from_bytes(mail.got[0], policy=policy.default)
            return f"Subject: {message['subject']}\n\n{message.get_content()}"

        follow("docs/how-to/news.md", terminal, meanwhile)
        until(lambda: {each["event"] for each in hooks.got} == {"subscription.news", "page.changed"})
    assert "strike ended" in next(each["text"] for each in hooks.got if each["event"] == "subscription.news")


class _Hooks(ThreadingHTTPServer):
    """Receives webhooks."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.got: list[dict[str, Any]] = []


class _Hook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        got = json.loads(self.rfile.read(int(self.headers["content-length"])))
        cast(_Hooks, self.server).got.append(got)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.nightly
def test_intranet_with_a_login(terminal: Terminal) -> None:
    with intranet.served() as site:
        terminal.said["https://intranet.example.org"] = site.origin
        terminal.env["WELLREAD_MIN_DELAY_S"] = "0"
        (terminal.folder / "company-ca.pem").write_bytes(CERTIFICATE.read_bytes())

        def meanwhile(block: Block, printed: str) -> str:
            if "pages list --stale" in block.text:
                site.session = "4712"  # the login of the page's first command has expired
            return printed

        follow("docs/how-to/intranet.md", terminal, meanwhile)
