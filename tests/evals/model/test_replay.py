"""The double of the API answers from the store, and names what it cannot answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import anthropic
import pytest
from anthropic.types import CitationsSearchResultLocation

from evals.model.replay import KEY, ReplayedModel, read_missing
from evals.model.replies import Replies
from evals.model.requests import request_of
from tests.evals.model.bodies import answer_body, verdict_body

SITES = {"sea": "http://127.0.0.1:4000/"}
TODAY = date(2026, 11, 26)


@pytest.fixture
def double(tmp_path: Path) -> Iterator[ReplayedModel]:
    replies = Replies(tmp_path / "replies")
    written = [{"text": "Ada Ferrier built it.", "cites": [[0, 0, 1]]}, {"text": " More is not said."}]
    replies.add(request_of(answer_body(), SITES, TODAY), "sea-1", written)
    with ReplayedModel(replies, {"sea": "http://127.0.0.1:5000/"}, date(2027, 2, 3), tmp_path / "missing") as model:
        model.begin("sea-1")
        yield model


@pytest.fixture
def client(double: ReplayedModel) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key=KEY, base_url=double.url, max_retries=0) as client:
        yield client


def test_a_stored_reply_comes_as_a_stream_with_the_quotes_of_this_request(
    client: anthropic.Anthropic, double: ReplayedModel
) -> None:
    body = answer_body(port=5000, today="2027-02-03", read="2027-02-03")
    with client.messages.stream(**body) as stream:
        message = stream.get_final_message()
    first, second = message.content
    assert first.type == second.type == "text"
    assert first.text + second.text == "Ada Ferrier built it. More is not said."
    assert first.citations
    (citation,) = first.citations
    assert citation.cited_text == "The lighthouse was built by Ada Ferrier. "
    assert isinstance(citation, CitationsSearchResultLocation)
    assert citation.source == "http://127.0.0.1:5000/index.html"
    (call,) = double.calls
    assert (call.question, call.kind) == ("sea-1", "answer")
    assert call.tokens_in == message.usage.input_tokens > 0
    assert call.tokens_out == message.usage.output_tokens > 0


def test_a_request_without_a_reply_is_kept_and_refused(
    client: anthropic.Anthropic, double: ReplayedModel, tmp_path: Path
) -> None:
    with pytest.raises(anthropic.BadRequestError, match="no reply is stored"):
        client.messages.create(**verdict_body())
    (file,) = (tmp_path / "missing").glob("*.json")
    request, question = read_missing(file)
    assert question == "sea-1"
    assert request.kind == "verdict"
    assert file.stem == request.hash == double.calls[0].hash
    assert double.calls[0].reply is None


def test_what_the_api_refuses_is_refused(double: ReplayedModel) -> None:
    with (
        anthropic.Anthropic(api_key="sk-other", base_url=double.url, max_retries=0) as client,
        pytest.raises(anthropic.AuthenticationError),
    ):
        client.messages.create(**answer_body())
    assert double.calls == []
