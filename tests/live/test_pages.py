"""The pages of docs/ that tell step by step what to do are done: their shell is run, and what they show compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest
import redis

from tests.docs.blocks import Block, blocks
from tests.live.terminal import Terminal, assert_shows, opened

pytestmark = [pytest.mark.live, pytest.mark.timeout(1500)]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with opened() as terminal:
        yield terminal


def follow(page: str, terminal: Terminal) -> None:
    """Do what a page says, with Wellread running."""
    told = [block for block in blocks("sh", "text") if block.page == page]
    if not any(block.text.endswith("wellread up\n") for block in told):
        terminal.run(Block(page, 0, "sh", "wellread up\n"))
    printed = ""
    for block in told:
        if block.language == "sh":
            printed = terminal.run(_in_time(block))
        else:
            assert_shows(block, printed, terminal)


#: what is quicker than a reader → what it waits for: a change that is seen, a worker that begins, Flower that sees
#: a worker (Celery's events go to who listens when they are sent), an event that comes
IN_TIME = {
    "sleep 130": "until wellread pages show http://127.0.0.1:8000/rye.html | grep -q ' changed '; do sleep 2; done",
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
