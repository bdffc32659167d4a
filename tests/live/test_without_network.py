"""A machine that reaches nothing: the engine and the site are named, and no page counts as read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli.main import cli
from wellread import Client
from workers.processes.stack import Stack
from workers.settings import load

#: a port that no server has
NOBODY = "http://127.0.0.1:9"

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Client]:
    options = {
        "WIKIPEDIA": "false",
        "API_PORT": "0",
        "DATA_DIR": str(tmp_path / "data"),
        "EMBEDDER": "minilm",
        "SEARXNG_URL": NOBODY,
    }
    for name, value in (*options.items(), ("CRAWL_PROCESSES", "2")):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    with Stack(load(), flower=False) as stack, Client(stack.address.api_url) as client:
        yield client


def run(*arguments: str) -> str:
    """What a command prints, in one line."""
    return " ".join(CliRunner().invoke(cli, arguments, catch_exceptions=False).output.split())


def test_it_says_what_could_not_be_reached_and_counts_no_page_as_read(client: Client) -> None:
    client.add_source(f"{NOBODY}/", own=True)
    asked = client.ask("When was the lighthouse of Vierburg built?", wait=120)
    assert (asked.status, asked.live_urls) == ("ABSTAINED", ())
    assert asked.answer is not None
    assert "Pages read for it: 0." in asked.answer
    for said in (asked.stop_reason or "", run("trace", asked.id), str(list(client.events(asked.id)))):
        assert f"SearXNG at {NOBODY} could not be reached" in said
        assert "The site could not be reached" in said
    assert "no page could be read" in (asked.stop_reason or "")

    shown = run("ask", "When was the harbour of Vierburg built?")
    assert "(0 pages read)" in shown
    assert "reading a page" in shown  # and a sitemap, which is no page
    assert "searxng: " in shown
    assert "No connection to it came about" in shown or "could not be reached" in shown
    found = run("doctor")
    assert f"SearXNG at {NOBODY} could not be reached" in found
    assert f"{NOBODY}/ could not be read" in found
    assert "Stored: 0 pages" in run("status")
    assert "failed" in run("read", f"{NOBODY}/x")
