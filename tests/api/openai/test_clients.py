"""The official client of OpenAI's API asks Wellread, unmodified."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx2
import openai
import pytest
from fastapi import FastAPI
from openai.types.chat import ChatCompletionMessageParam
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from api.openai.completions import PROVISIONAL
from api.openai.requests import LOCAL_MODELS
from api.routes.completions import KEEP_ALIVE_S
from domain import Status
from domain.answer import StructuredAnswer, StructuredField
from domain.record import Record
from store.questions.listing import latest
from store.questions.state import Changes, Move, UnknownQuestion, find
from tests.api import walk
from tests.api.conftest import serving
from workers.services import Services

QUESTION = "Who built the lighthouse?"
ANSWER = "Robert Tallis built it in 1871 [1]."
FAILED = Move(to=Status.FAILED, outcome="failed", changes=Changes(error="The disk is full."))


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=20) as client:
        yield client


def _user(text: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


def test_completion_carries_text_and_references(client: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    given = client.chat.completions.create(model="wellread", messages=_user(QUESTION), temperature=0.2, seed=7)
    (choice,) = given.choices
    content = choice.message.content
    assert (content, choice.finish_reason, choice.message.role) == (ANSWER, "stop", "assistant")
    assert choice.message.annotations is not None
    (citation,) = [annotation.url_citation for annotation in choice.message.annotations]
    assert content is not None
    assert content[citation.start_index : citation.end_index] == "[1]"
    assert (citation.url, citation.title) == ("https://example.org/tower", "The tower")
    assert given.model_extra is not None
    assert given.model_extra["citations"] == ["https://example.org/tower"]
    assert given.model_extra["wellread"]["short_answer"] == walk.BUILDER
    assert given.usage is not None
    assert (given.usage.prompt_tokens, given.usage.completion_tokens, given.usage.total_tokens) == (5, 1, 6)
    assert given.id == f"chatcmpl-{given.model_extra['wellread']['question_id']}"


def test_unsure_answer_says_so_and_carries_the_nearest_passages_apart(
    client: openai.OpenAI, services: Services
) -> None:
    walk.move_soon(services, walk.unsure(walk.keep_page(services)), text=QUESTION)
    given = client.chat.completions.create(model="wellread", messages=_user(QUESTION))
    assert (given.choices[0].message.content or "").startswith("Perhaps: Robert Tallis")
    assert given.model_extra is not None
    told = given.model_extra["wellread"]
    assert (told["outcome"], told["short_answer"]) == ("unsure", None)
    assert [each["title"] for each in told["nearest"]] == ["The tower › Steps"]


def test_streamed_answer_is_the_final_one_and_its_last_chunk_carries_the_references(
    client: openai.OpenAI, services: Services
) -> None:
    moves = (walk.insufficient(Status.RETRYING), walk.provisional(), walk.answered(walk.keep_page(services)))
    walk.move_soon(services, *moves, text=QUESTION)
    stream = client.chat.completions.create(
        model="wellread", messages=_user(QUESTION), stream=True, stream_options={"include_usage": True}
    )
    *text, last, counted = list(stream)
    assert text[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in text) == ANSWER
    assert (last.choices[0].finish_reason, last.choices[0].delta.content) == ("stop", None)
    extra: dict[str, Any] = last.choices[0].delta.model_extra or {}
    assert [entry["url_citation"]["start_index"] for entry in extra["annotations"]] == [ANSWER.index("[1]")]
    assert (last.model_extra or {})["citations"] == ["https://example.org/tower"]
    assert counted.usage is not None
    assert (counted.choices, counted.usage.total_tokens) == ([], 6)


def test_stream_that_waits_is_kept_alive_by_comments(url: str) -> None:
    body = {"model": "wellread", "messages": _user(QUESTION), "stream": True}
    with httpx2.stream("POST", f"{url}/v1/chat/completions", json=body, trust_env=False) as response:
        lines = (line for line in response.iter_lines() if line)
        assert next(lines).startswith("data: ")
        assert next(lines).startswith(": ")


def test_client_waits_through_comments(client: openai.OpenAI, services: Services) -> None:
    stream = client.chat.completions.create(model="wellread", messages=_user(QUESTION), stream=True)
    next(stream)
    time.sleep(KEEP_ALIVE_S + 0.5)
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == ANSWER


def test_asynchronous_client_gets_the_same(url: str, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)

    async def ask() -> str | None:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
            given = await client.chat.completions.create(model="wellread", messages=_user(QUESTION))
        return given.choices[0].message.content

    assert asyncio.run(ask()) == ANSWER


def test_sources_are_listed_in_the_text_when_asked_for(client: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    given = client.chat.completions.create(
        model="wellread", messages=_user(QUESTION), extra_body={"wellread": {"list_sources": True}}
    )
    assert given.choices[0].message.content == f"{ANSWER}\n\nSources:\n[1] The tower: https://example.org/tower"


def test_answer_that_is_not_final_in_time_says_so(client: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.insufficient(Status.RETRYING), walk.provisional(), text=QUESTION)
    given = client.chat.completions.create(
        model="wellread", messages=_user(QUESTION), extra_body={"wellread": {"wait": 1.0}}
    )
    assert given.choices[0].message.content == f"Perhaps.\n\n{PROVISIONAL}"
    assert given.choices[0].finish_reason == "length"


def test_no_answer_in_time_is_an_error_that_names_the_question(client: openai.OpenAI) -> None:
    with pytest.raises(openai.InternalServerError, match=r"has no answer yet; GET /api/questions/[0-9a-f]{32}") as late:
        client.chat.completions.create(model="wellread", messages=_user(QUESTION), extra_body={"wellread": {"wait": 0}})
    assert late.value.status_code == 504
    assert late.value.response.headers["x-should-retry"] == "false"


def test_no_answer_in_time_ends_a_stream_with_an_error(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model="wellread", messages=_user(QUESTION), stream=True, extra_body={"wellread": {"wait": 0}}
    )
    with pytest.raises(openai.APIError, match="has no answer yet"):
        list(stream)


def test_question_that_is_deleted_ends_its_stream_with_an_error(
    client: openai.OpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(services: Services, question_id: str) -> Record:
        raise UnknownQuestion(f"There is no question {question_id}.")

    monkeypatch.setattr("api.dependencies.read_record", gone)
    with pytest.raises(openai.APIError, match="There is no question"):
        list(client.chat.completions.create(model="wellread", messages=_user(QUESTION), stream=True))


def test_failed_question_is_an_error_and_is_not_asked_again(client: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, FAILED, text=QUESTION)
    with pytest.raises(openai.InternalServerError, match="was not answered: The disk is full") as failed:
        client.with_options(max_retries=2).chat.completions.create(model="wellread", messages=_user(QUESTION))
    assert (failed.value.status_code, failed.value.code) == (500, "question_failed")
    with services.database.read() as session:
        assert len(latest(session)) == 1


def test_known_model_reads_nothing(client: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    given = client.chat.completions.create(model="wellread-known", messages=_user(QUESTION))
    with services.database.read() as session:
        assert not find(session, given.id.removeprefix("chatcmpl-")).crawl_enabled


def test_question_is_understood_from_the_turns_before_it(client: openai.OpenAI, services: Services) -> None:
    understood = "When was the lighthouse built?"
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=understood)
    turns: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Be brief."},
        *_user(QUESTION),
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": [{"type": "text", "text": "And when was it built?"}]},
    ]
    given = client.chat.completions.create(model="wellread", messages=turns)
    told = (given.model_extra or {})["wellread"]
    assert (told["question"], told["question_as_understood"]) == ("And when was it built?", understood)
    (first, *_) = client.chat.completions.create(model="wellread", messages=turns, stream=True)
    assert (first.model_extra or {})["wellread"]["question_as_understood"] == understood


def test_answer_in_a_json_schema_is_json(client: openai.OpenAI, services: Services) -> None:
    answered = walk.answered(walk.keep_page(services))
    assert answered.answer is not None
    field = StructuredField(path="/builder", value=walk.BUILDER, confidence=0.9, citation=answered.answer.citations[0])
    form = StructuredAnswer(value={"builder": walk.BUILDER}, fields=(field,))
    walk.move_soon(services, replace(answered, answer=replace(answered.answer, structured=form)), text=QUESTION)
    schema: dict[str, object] = {"type": "object", "properties": {"builder": {"type": "string"}}}
    given = client.chat.completions.create(
        model="wellread",
        messages=_user(QUESTION),
        response_format={"type": "json_schema", "json_schema": {"name": "tower", "schema": schema}},
    )
    assert json.loads(given.choices[0].message.content or "") == {"builder": walk.BUILDER}
    told = (given.model_extra or {})["wellread"]["structured"]["fields"][0]
    assert told["citation"]["quote"] == walk.QUOTE


def test_models_are_listed(client: openai.OpenAI) -> None:
    answering = [model.id for model in client.models.list() if model.id not in LOCAL_MODELS]
    assert answering == ["wellread", "wellread-known"]
    assert client.models.retrieve("wellread").owned_by == "wellread"
    with pytest.raises(openai.NotFoundError, match="There is no model 'gpt-4o'") as unknown:
        client.models.retrieve("gpt-4o")
    assert unknown.value.code == "model_not_found"


def test_key_is_the_api_key(services: Services) -> None:
    settings = services.settings.model_copy(update={"api_keys": (SecretStr("ask:reader"),)})
    guarded = Services(settings)
    with serving(create_app(guarded)) as url:
        with openai.OpenAI(base_url=f"{url}/v1", api_key="reader", max_retries=0) as client:
            assert client.models.list().data
        with (
            openai.OpenAI(base_url=f"{url}/v1", api_key="guess", max_retries=0) as client,
            pytest.raises(openai.AuthenticationError, match="missing or unknown") as refused,
        ):
            client.models.list()
    assert refused.value.code == "invalid_api_key"
    guarded.close()


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
#: what is wrong, and a piece of what the error says
BAD: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "The last message must be a user's"),
    ({"messages": _user("")}, "messages[0].content is empty"),
    ({"messages": _user("x" * 5_000)}, "5,000 characters"),
    ({"messages": [{"role": "user"}]}, "messages[0].content must be text"),
    ({"messages": [{"role": "user", "content": [{"type": "text", "text": "What?"}, IMAGE]}]}, "[1] is an image"),
    ({"messages": [{"role": "user", "content": [{"text": "What?"}]}]}, "no part with a type"),
    ({"messages": [{"role": "user", "content": [7]}]}, "messages[0].content[0] is no part"),
    ({"messages": [{"role": "robot", "content": "What?"}]}, "messages[0].role is 'robot'"),
    ({"messages": [*_user("Who?"), {"role": "assistant", "content": "I."}]}, "The last message must be a user's"),
    ({"messages": [{"role": "assistant", "tool_calls": "x"}, *_user("Who?")]}, "messages[0].tool_calls must be a list"),
    ({"messages": [{"role": "assistant", "tool_calls": [{}]}, *_user("Who?")]}, "tool_calls[0] must be an object"),
    ({"messages": [{"role": "tool", "content": {}}, *_user("Who?")]}, "messages[0].content must be text"),
    ({"tools": [{"type": "function", "function": "f"}]}, "tools[0].function must be an object"),
    ({"tools": "f"}, "tools: Input should be a valid list"),
    ({"tool_choice": "required"}, "Wellread calls no tool"),
    ({"response_format": {"type": "json_object"}}, "Leave response_format out"),
    ({"response_format": {"type": "json_schema", "json_schema": {}}}, "must be a JSON Schema"),
    ({"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "array"}}}}, "must be an object"),
    ({"modalities": ["audio"]}, "Wellread answers in text"),
    ({"logprobs": True}, "There are no logprobs"),
    ({"n": 2}, "n: Input should be 1"),
    ({"wellread": {"wait": 1_000}}, "wellread.wait"),
    ({"wellread": {"colour": "red"}}, "wellread.colour: unknown field"),
    ({"wellread": {"queued": True}}, "wellread.queued is not accepted here"),
    ({"wellread": {"list_sources": "yes"}}, "wellread.list_sources is true or false"),
    ({"wellread": {"sites": ["http://127.0.0.1/"]}}, "not public"),
    ({"wellread": {"budget": {"pages": 10_000}}}, "operator allows 20"),
]


@pytest.mark.parametrize(("wrong", "said"), BAD, ids=[said for _, said in BAD])
def test_what_cannot_be_answered_is_refused_in_words(http: TestClient, wrong: dict[str, Any], said: str) -> None:
    body = {"model": "wellread", "messages": _user("Who built it?"), **wrong}
    for stream in (False, True):
        response = http.post("/v1/chat/completions", json={**body, "stream": stream})
        error = response.json()["error"]
        assert (response.status_code, error["type"]) == (400, "invalid_request_error")
        assert said in error["message"]
    assert http.get("/api/questions").json() == []


def test_conversation_of_three_thousand_turns_is_answered_from_its_last_ones(
    client: openai.OpenAI, services: Services
) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    long_ago = [*_user("What is the weather like?" * 3), {"role": "assistant", "content": "It rains. " * 20}] * 3_000
    given = client.chat.completions.create(model="wellread", messages=[*long_ago, *_user(QUESTION)])  # type: ignore[list-item]
    assert given.choices[0].message.content == ANSWER


def test_conversation_that_is_too_long_is_refused_in_words(client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIStatusError, match=r"larger than 1,024 KB\. The last 4 turns are read") as refused:
        client.chat.completions.create(model="wellread", messages=_user("Who built it?" * 30_000) * 3)
    assert refused.value.status_code == 413
    assert "file" not in refused.value.message.lower()


def test_tools_that_need_not_be_called_are_taken(client: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    given = client.chat.completions.create(
        model="wellread",
        messages=_user(QUESTION),
        tools=[{"type": "function", "function": {"name": "get_weather", "parameters": {}}}],
        tool_choice="auto",
    )
    assert given.choices[0].message.content == ANSWER
