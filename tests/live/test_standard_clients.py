"""The official clients of OpenAI's API and of the Model Context Protocol get answers of real workers."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import openai
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.live.conftest import Asked
from tests.live.test_faults import QUESTIONS

pytestmark = [pytest.mark.live, pytest.mark.timeout(600), pytest.mark.xdist_group("asked")]


def _streamed(url: str, question: str) -> tuple[str, dict[str, Any], list[str]]:
    """The text of a streamed answer, the last chunk's extra fields, and the URLs of its annotations."""
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        chunks = list(
            client.chat.completions.create(
                model="wellread", messages=[{"role": "user", "content": question}], stream=True
            )
        )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    cited = [entry["url_citation"] for entry in (chunks[-1].choices[0].delta.model_extra or {})["annotations"]]
    assert [text[c["start_index"] : c["end_index"]][:1] for c in cited] == ["["] * len(cited)
    return text, chunks[-1].model_extra or {}, [c["url"] for c in cited]


async def _asked(url: str, question: str) -> tuple[dict[str, Any], list[str]]:
    """What the tool `ask` returns, and the progress it reported."""
    heard: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async with (
        httpx2.AsyncClient(timeout=200, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        given = await client.call_tool("ask", {"question": question, "wait_s": 180}, progress_callback=hear)
    assert given.structured_content is not None, given
    return given.structured_content, heard


def test_standard_clients_get_answers_with_their_citations(asked: Asked) -> None:
    text, extra, cited = _streamed(asked.url, QUESTIONS[3])
    given, heard = asyncio.run(_asked(asked.url, QUESTIONS[2]))
    assert extra["wellread"]["status"] == "ANSWERED", extra
    assert "[1]" in text
    assert cited
    assert set(cited) <= set(extra["citations"])
    assert (given["status"], given["final"]) == ("ANSWERED", True), given
    assert given["citations"]
    assert heard[-1].startswith("done")
