"""One running Wellread is asked by Celery, by the clients of OpenAI's API and of MCP, and the same again.

A question that another process enqueues with Celery, without a queue's name, is answered under the id it chose. What
only asks stands here: to start a stack of its own costs more than to ask.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
import pytest
from celery import Celery
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.live.test_equal_questions import _steps
from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from workers.processes.supervise import wait_until
from workers.settings import Settings, load

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A stack that reads the demonstration's site."""

    url: str
    client: httpx2.Client
    settings: Settings


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A stack for all tests of this file; each asks questions of its own."""
    with ExitStack() as opened:
        with pytest.MonkeyPatch.context() as patch:
            stack, client = opened.enter_context(_stack(patch, tmp_path_factory.mktemp("asked")))
            settings = load()
        yield Asked(url=stack.address.api_url, client=client, settings=settings)


def test_enqueued_question_is_answered_under_its_own_id(asked: Asked) -> None:
    named = str(uuid.uuid4())
    payload = {"id": named, "question": QUESTIONS[0], "budget": {"pages": 5}}
    for _ in range(2):  # a message may arrive twice
        Celery(broker=asked.settings.broker).send_task("wellread.ask", args=[payload])
    assert wait_until(lambda: _status(asked.client, named) in FINAL, within_s=240)
    record = asked.client.get(f"/api/questions/{named}").json()
    assert (record["id"], record["status"]) == (uuid.UUID(named).hex, "ANSWERED")
    questions = [each["question"] for each in asked.client.get("/api/questions").json()]
    assert questions.count(QUESTIONS[0]) == 1


def test_an_equal_question_later_is_answered_from_the_first_ones_answer(asked: Asked) -> None:
    named = asked.client.post("/api/questions", json={"question": QUESTIONS[1]}).json()["id"]
    assert wait_until(lambda: _status(asked.client, named) in FINAL, within_s=240)
    first = asked.client.get(f"/api/questions/{named}").json()
    steps = _steps(asked.settings)
    again = asked.client.post("/api/chat", json={"question": f"  {QUESTIONS[1].upper()}", "wait": 50}).json()
    assert _steps(asked.settings) - steps == Counter({"reuse": 1})
    assert (again["status"], again["answer"], again["cached_from"]) == ("ANSWERED", first["answer"], first["id"])
    assert again["cost"]["usd"] == 0
    assert again["id"] != first["id"]


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
    given, heard = asyncio.run(_asked(asked.url, QUESTIONS[5]))
    assert extra["wellread"]["status"] == "ANSWERED", extra
    assert "[1]" in text
    assert cited
    assert set(cited) <= set(extra["citations"])
    assert (given["status"], given["final"]) == ("ANSWERED", True), given
    assert given["citations"]
    assert heard[-1].startswith("done")
