"""OpenAI's client asks by the Responses API, and Anthropic's by the Messages API, both unmodified."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest
from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from domain.answer import StructuredAnswer
from store.sql.tables import QuestionRow
from tests.api import walk
from tests.api.conftest import serving
from tests.api.openai.test_clients import ANSWER, FAILED, QUESTION
from tests.tables import each_row
from workers.services import Services

TURNS: list[Any] = [
    {"role": "user", "content": "Who built the lighthouse of Skagen?"},
    {"role": "assistant", "content": "Robert Tallis."},
    {"role": "user", "content": "When was it built?"},
]


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


@pytest.fixture
def newer(url: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=20) as client:
        yield client


@pytest.fixture
def claude(url: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=url, api_key="none", max_retries=0, timeout=20) as client:
        yield client


def user(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


def test_response_carries_text_and_references(newer: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    given = newer.responses.create(model="wellread", input=QUESTION, instructions="Be short.", temperature=0.2)
    assert (given.status, given.output_text, given.object) == ("completed", ANSWER, "response")
    (part,) = given.output[0].content  # type: ignore[union-attr]
    (cited,) = part.annotations  # type: ignore[union-attr]
    assert ANSWER[cited.start_index : cited.end_index] == "[1]"  # type: ignore[union-attr]
    assert cited.url == "https://example.org/tower"  # type: ignore[union-attr]
    assert given.usage is not None
    assert (given.usage.input_tokens, given.usage.output_tokens, given.usage.total_tokens) == (5, 1, 6)
    assert (given.model_extra or {})["wellread"]["short_answer"] == walk.BUILDER


def test_streamed_response_ends_with_the_whole_one(newer: openai.OpenAI, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    with newer.responses.stream(model="wellread", input=user(QUESTION)) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert "".join(each.delta for each in events if each.type == "response.output_text.delta") == ANSWER
    assert (events[0].type, events[-1].type) == ("response.created", "response.completed")
    assert [each.sequence_number for each in events] == list(range(len(events)))
    assert (final.output_text, final.status) == (ANSWER, "completed")


def test_failed_question_ends_both_streams_with_an_error(
    newer: openai.OpenAI, claude: anthropic.Anthropic, services: Services
) -> None:
    walk.move_soon(services, FAILED, text=QUESTION)
    with pytest.raises(openai.APIError, match="The disk is full"):
        list(newer.responses.create(model="wellread", input=QUESTION, stream=True))
    again = f"{QUESTION} Tell me."
    walk.move_soon(services, FAILED, text=again)
    with pytest.raises(anthropic.APIError, match="The disk is full"):
        list(claude.messages.create(model="wellread", max_tokens=9, messages=user(again), stream=True))


def test_message_carries_text_and_citations(claude: anthropic.Anthropic, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    given = claude.messages.create(model="wellread", max_tokens=1024, messages=user(QUESTION), system="Be short.")
    (block,) = given.content
    assert (block.type, given.stop_reason, given.role) == ("text", "end_turn", "assistant")
    assert block.text == ANSWER
    (cited,) = block.citations or []
    assert (cited.type, cited.url) == ("web_search_result_location", "https://example.org/tower")
    assert cited.cited_text == walk.QUOTE
    assert (given.usage.input_tokens, given.usage.output_tokens) == (5, 1)


def test_streamed_message_is_the_same_in_pieces(claude: anthropic.Anthropic, services: Services) -> None:
    walk.move_soon(services, walk.answered(walk.keep_page(services)), text=QUESTION)
    with claude.messages.stream(model="wellread", max_tokens=1024, messages=user(QUESTION)) as stream:
        assert "".join(stream.text_stream) == ANSWER
        final = stream.get_final_message()
    (block,) = final.content
    assert block.type == "text"
    assert [each.type for each in block.citations or []] == ["web_search_result_location"]
    assert (final.stop_reason, final.usage.output_tokens) == ("end_turn", 1)


def test_question_is_understood_from_the_turns_before_it(
    newer: openai.OpenAI, claude: anthropic.Anthropic, services: Services
) -> None:
    for ask in (
        lambda: newer.responses.create(model="wellread", input=TURNS, extra_body={"wellread": {"wait": 0.1}}),
        lambda: claude.messages.create(
            model="wellread", max_tokens=9, messages=TURNS, extra_body={"wellread": {"wait": 0.1}}
        ),
    ):
        with pytest.raises((openai.APIStatusError, anthropic.APIStatusError), match="has no answer yet"):
            ask()
    with services.database.read() as session:
        texts = [row.text for row in session.scalars(select(QuestionRow))]
    assert texts
    assert all("built" in text and "Skagen" in text for text in texts)


def test_answer_in_a_json_schema_is_json(newer: openai.OpenAI, claude: anthropic.Anthropic, services: Services) -> None:
    form = StructuredAnswer(value={"year": 1871}, fields=())
    answer = walk.answered(walk.keep_page(services)).answer
    assert answer is not None
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}}
    move = replace(walk.answered(walk.keep_page(services)), answer=replace(answer, structured=form))
    walk.move_soon(services, move, text=QUESTION)
    asked: Any = {"format": {"type": "json_schema", "name": "built", "schema": schema}}
    given = newer.responses.create(model="wellread", input=QUESTION, text=asked)
    assert json.loads(given.output_text) == {"year": 1871}
    config: Any = {"format": {"type": "json_schema", "schema": schema}}
    (block,) = claude.messages.create(
        model="wellread", max_tokens=9, messages=user(QUESTION), output_config=config
    ).content
    assert block.type == "text"
    assert json.loads(block.text) == {"year": 1871}


MESSAGE = {"model": "wellread", "max_tokens": 9, "messages": user("Who?")}
RESPONSE = {"model": "wellread", "input": "Who?"}


@each_row(
    ("path", "body", "said"),
    [
        ("responses", RESPONSE | {"model": "gpt-4o"}, "There is no model 'gpt-4o'"),
        ("responses", RESPONSE | {"previous_response_id": "resp_1"}, "No conversation is kept"),
        ("responses", RESPONSE | {"conversation": {"id": "x"}}, "No conversation is kept"),
        ("responses", RESPONSE | {"background": True}, "background"),
        ("responses", RESPONSE | {"tool_choice": "required"}, "Wellread calls no tool"),
        ("responses", RESPONSE | {"text": {"format": {"type": "json_object"}}}, "response_format"),
        ("responses", RESPONSE | {"text": {"format": "json"}}, "format"),
        ("responses", RESPONSE | {"input": [{"type": "computer_call"}]}, "only messages are read"),
        ("responses", RESPONSE | {"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input_image"),
        ("responses", RESPONSE | {"input": []}, "The last message must be a user's"),
        ("messages", MESSAGE | {"model": "claude"}, "There is no model 'claude'"),
        ("messages", {"model": "wellread", "messages": user("Who?")}, "max_tokens"),
        ("messages", MESSAGE | {"tool_choice": {"type": "any"}}, "Wellread calls no tool"),
        ("messages", MESSAGE | {"messages": [{"role": "user", "content": [{"type": "image"}]}]}, "image"),
        ("messages", MESSAGE | {"messages": [{"content": "Who?"}]}, "role"),
        ("messages", MESSAGE | {"messages": []}, "The last message must be a user's"),
    ],
)
def test_what_is_not_done_is_refused_in_words(http: TestClient, path: str, body: dict[str, Any], said: str) -> None:
    refused = http.post(f"/v1/{path}", json=body)
    assert refused.status_code in (400, 404)
    assert said in refused.json()["error"]["message"]


def test_greeting_gets_a_reply_and_asks_nothing(newer: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    assert newer.responses.create(model="wellread", input="Hello!").output_text
    with claude.messages.stream(model="wellread", max_tokens=9, messages=user("Hello!")) as stream:
        assert stream.get_final_text()
