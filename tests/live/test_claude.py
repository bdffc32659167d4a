"""The whole stack with Claude: answers with checked citations, and a key that is refused is said and survived."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from api.cli.demo.site_server import serve
from tests.claude_double import KEY, ClaudeDouble
from workers.processes.stack import Stack
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(240)]

QUESTION = "How many megawatt-hours of electricity do Harrow Point's turbines produce each year?"


@pytest.mark.parametrize(
    ("key", "composer", "notice"),
    [
        pytest.param(KEY, "claude", "", id="right key"),
        pytest.param("sk-ant-wrong", "extractive", "did not answer", id="wrong key", marks=pytest.mark.nightly),
    ],
)
def test_a_question_is_answered_with_and_without_an_accepted_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str, composer: str, notice: str
) -> None:
    with ClaudeDouble() as claude, serve() as site:
        settings = {
            "DATA_DIR": str(tmp_path / "data"),
            "WIKIPEDIA": "false",
            "API_PORT": "0",
            "ANTHROPIC_API_KEY": key,
            "ANTHROPIC_BASE_URL": claude.url,
        }
        for name, value in settings.items():
            monkeypatch.setenv(f"WELLREAD_{name}", value)
        with Stack(load(), flower=False) as stack, httpx2.Client(trust_env=False, timeout=130) as client:
            source = {"url": f"{site.origin}/", "own": True, "min_delay_s": 0.0}
            client.post(f"{stack.address.api_url}/api/sources", json=source)
            asked = client.post(f"{stack.address.api_url}/api/chat", json={"question": QUESTION, "wait": 100})
            record = asked.json()
            pages = {
                citation["page_id"]: client.get(f"{stack.address.api_url}/api/pages/{citation['page_id']}").json()
                for citation in record["citations"]
            }
    assert record["status"] == "ANSWERED", record
    assert composer in record["composer"]
    assert notice in record["notice"]
    assert record["citations"]
    for citation in record["citations"]:
        text = pages[citation["page_id"]]["text"]
        assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert (record["cost"]["usd"] > 0) == (composer == "claude")
    assert "sk-ant" not in asked.text
