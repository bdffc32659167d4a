"""Batches through the real SDK: sent, listed by page, read and deleted; their failures have names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evals.model.wire import Cite, Fail, Json, Say
from pipeline.llm import ApiKeyRejected, BadReply, ModelBusy, ModelError, ModelUnreachable
from pipeline.models.claude_api import MessagesApi
from pipeline.models.model import LanguageModel
from pipeline.models.provider import Prompt
from tests.claude_double import ClaudeDouble
from tests.openai_double import model_at

REQUEST: Json = {"model": "claude-haiku-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": []}]}
PROMPT = Prompt(instructions="Reply.", texts=("Is it?",))
EARLIER = datetime.now(UTC) - timedelta(hours=1)


@pytest.fixture
def api(claude: LanguageModel) -> MessagesApi:
    found = claude.batch_api()
    assert found is not None
    return found


def test_batches_are_listed_over_all_pages_back_to_a_time(api: MessagesApi, double: ClaudeDouble) -> None:
    ids = [api.send_batch({"a": REQUEST, "b": REQUEST}) for _ in range(3)]
    double.batches.page = 1
    double.batches.held[ids[0]].created_at = EARLIER - timedelta(minutes=1)
    double.batches.held[ids[2]].end(Say(["a"]), "expired")
    listed = api.batches(EARLIER)
    assert [(batch.id, batch.size, batch.has_ended) for batch in listed] == [(ids[2], 2, True), (ids[1], 2, False)]


def test_reply_of_a_batch_is_read_like_any_other(api: MessagesApi, double: ClaudeDouble) -> None:
    batch_id = api.send_batch({"a": REQUEST, "b": REQUEST, "c": REQUEST})
    double.batches.last.end(
        Say(["Yes."], stop_reason="max_tokens", thinks=True, usage={"input_tokens": 5}),
        Fail(500, "api_error"),
        "expired",
    )
    replies = api.batch_replies(batch_id)
    assert (replies["b"], replies["c"]) == (None, None)
    assert replies["a"] is not None
    reply = api.read(replies["a"], PROMPT)
    assert (reply.text, reply.end, reply.usage.input_tokens) == ("Yes.", "cut off", 5)
    api.delete_batch(batch_id)
    assert double.batches.deleted == [batch_id]


def test_citation_of_a_passage_that_was_not_sent_is_dropped(api: MessagesApi, double: ClaudeDouble) -> None:
    batch_id = api.send_batch({"a": REQUEST})
    double.batches.last.end(Say([("Yes.", [Cite(result=3, start=0, end=1)])]))
    reply = api.batch_replies(batch_id)["a"]
    assert reply is not None
    assert api.read(reply, PROMPT).parts[0].citations == ()


@pytest.mark.parametrize("stored", [{}, {"content": 7, "usage": None, "stop_reason": "end_turn"}])
def test_reply_that_is_none_raises_a_model_error(api: MessagesApi, stored: Json) -> None:
    with pytest.raises((BadReply, ModelUnreachable)):
        api.read(stored, PROMPT)


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (Fail(401, "authentication_error"), ApiKeyRejected),
        (Fail(429, "rate_limit_error"), ModelBusy),
        (Fail(404, "not_found_error"), BadReply),
    ],
)
def test_failure_has_the_name_that_a_call_s_has(
    api: MessagesApi, double: ClaudeDouble, refusal: Fail, kind: type[ModelError]
) -> None:
    double.batches.refuses = refusal
    with pytest.raises(kind):
        api.send_batch({"a": REQUEST})


def test_lost_connection_is_named(api: MessagesApi, double: ClaudeDouble) -> None:
    double.batches.goes_silent = True
    with pytest.raises(ModelUnreachable):
        api.send_batch({"a": REQUEST})
    assert double.batches.made == 1  # nothing was tried again


def test_server_of_another_kind_takes_no_batches() -> None:
    model = model_at("http://127.0.0.1:9/v1")
    assert model.batch_api() is None
    model.close()
