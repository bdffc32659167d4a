"""A machine that reaches nothing: the engine and the site are named, and no page counts as read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli.main import cli
from tests.own_stack import own_stack
from wellread import Client

#: a port that no server has
NOBODY = "http://127.0.0.1:9"

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    settings = {"embedder": "minilm", "searxng_url": NOBODY, "crawl_processes": "2"}
    with own_stack(tmp_path / "data", **settings) as stack, Client(stack.address.api_url) as client:
        yield client


def run(*arguments: str) -> str:
    """What a command prints, in one line."""
    return " ".join(CliRunner().invoke(cli, arguments, catch_exceptions=False).output.split())


def test_it_says_what_could_not_be_reached_and_counts_no_page_as_read(client: Client) -> None:
    client.add_source(f"{NOBODY}/", own=True)
    asked = client.ask("When was the lighthouse of Vierburg built?", wait=120)
    assert (asked.status, asked.live_urls) == ("ABSTAINED", ())
    assert asked.answer is not None
    assert "Pages searched: 0." in asked.answer
    for said in (asked.stop_reason or "", run("trace", asked.id), str(list(client.events(asked.id)))):
        assert f"SearXNG at {NOBODY} could not be reached" in said
        assert "The site could not be reached" in said
    assert "no page could be read" in (asked.stop_reason or "")

    shown = run("ask", "When was the harbour of Vierburg built?")
    assert "(0 pages read)" in shown
    assert "reading a page" in shown  # and a sitemap, which is no page
    assert "searxng: " in shown
    assert "could not be reached" in shown
    found = run("doctor")
    assert f"SearXNG at {NOBODY} could not be reached" in found
    assert f"{NOBODY}/ could not be read" in found
    assert "Stored: 0 pages" in run("status")
    assert "failed" in run("read", f"{NOBODY}/x")
