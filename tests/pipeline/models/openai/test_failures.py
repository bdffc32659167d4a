"""Failures of chat completions servers are named, and retried only where that can help."""

from __future__ import annotations

from typing import Any

import pytest

from domain import Answer
from pipeline.llm import ApiKeyRejected, BadReply, ModelBusy, ModelError, ModelRefused, ModelUnreachable
from pipeline.models.model import LanguageModel
from tests.openai_double import (
    MODEL,
    Bytes,
    Chat,
    Endless,
    ErrorInside,
    OpenAIDouble,
    Silence,
    Status,
    model_at,
    quoting,
)
from tests.pipeline.models.asking import answered, judged
from tests.pipeline.models.claude.lighthouse import QUESTION, hits

SOON = {"retry-after": "0.01"}
BUILT = "The lighthouse of Vierburg was built in 1874."


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (Status(401), ApiKeyRejected, "WELLREAD_MODEL_API_KEY"),
        (Status(403), ApiKeyRejected, "WELLREAD_MODEL_API_KEY"),
        (Status(404), BadReply, "WELLREAD_MODEL_BASE_URL"),
        (Status(400, "maximum context length is 4096 tokens"), BadReply, "context length to 16,384"),
        (Status(413), BadReply, "413"),
        (Bytes(b"", status=307, headers={"location": "http://elsewhere.example/"}), BadReply, "307"),
        (Bytes(b"<html>hello</html>", "text/html"), BadReply, "chat completions API"),
        (Bytes(b"data: {not json\n\n"), BadReply, "WELLREAD_MODEL_BASE_URL"),
        (Bytes(b"data: [1, 2]\n\n"), BadReply, "chat completions API"),
        (Bytes(b'data: {"choices": [3]}\n\n'), BadReply, "chat completions API"),
        (Bytes(b"\xff\xfe\x00" * 50, "application/json"), BadReply, "chat completions API"),
        (Bytes(b"data: " + b"x" * 9_000_000), BadReply, "longer than"),
        (Endless(), BadReply, "does not end"),
        (Chat(""), BadReply, "empty reply"),
        (Chat("", finish="length", thoughts="Hmm."), BadReply, "max_tokens"),
        (Chat("", refusal="I cannot help with that."), ModelRefused, "I cannot help"),
        (Chat("", finish="content_filter"), ModelRefused, "content_filter"),
        (Chat("I'm sorry, but I can't help with that request."), ModelRefused, "declines"),
    ],
)
def test_failure_is_named_and_not_tried_again(
    double: OpenAIDouble, reply: Any, kind: type[ModelError], says: str
) -> None:
    double.script(reply)
    model = model_at(double.url, max_tokens=200)
    with pytest.raises(kind, match=says):
        answered(model, QUESTION, hits())
    model.close()
    assert len(double.received) == 1


@pytest.mark.parametrize(
    "reply",
    [Chat("It suffices."), Chat('{"sufficient": "yes", "confidence": 1}'), Chat('{"sufficient": true, "conf')],
)
def test_verdict_in_another_form_is_none(double: OpenAIDouble, model: LanguageModel, reply: Chat) -> None:
    double.script(reply)
    with pytest.raises(BadReply):
        judged(model, QUESTION, hits())


@pytest.mark.parametrize(
    "reply",
    [
        Status(429, headers=SOON),
        Status(500, headers=SOON),
        Status(503, headers=SOON),
        ErrorInside(),
        Chat("half of", finish=None, done=False),
    ],
)
def test_busy_server_and_broken_stream_are_asked_again(double: OpenAIDouble, model: LanguageModel, reply: Any) -> None:
    double.script(reply)
    assert answered(model, QUESTION, hits()).citations
    assert len(double.received) == 2


@pytest.mark.parametrize("reply", [Chat("half of it", finish=None, done=False), ErrorInside(), Endless()])
def test_tokens_of_a_reply_that_breaks_off_or_does_not_end_are_counted(double: OpenAIDouble, reply: Any) -> None:
    double.script(reply, Status(400), Status(400), Status(400))
    model = model_at(double.url, max_tokens=200)
    with pytest.raises(BadReply) as caught:
        answered(model, QUESTION, hits())
    model.close()
    assert caught.value.cost.input_tokens > 100
    assert caught.value.cost.output_tokens >= 1


def test_server_that_stays_busy_is_given_up(double: OpenAIDouble, model: LanguageModel) -> None:
    double.script(*[Status(429, headers=SOON)] * 9)
    with pytest.raises(ModelBusy, match="429"):
        answered(model, QUESTION, hits())
    assert len(double.received) == 3


@pytest.mark.parametrize("reply", [Silence(30.0), Endless(every_s=0.05)])
def test_server_that_never_ends_its_reply_is_left_at_the_deadline(double: OpenAIDouble, reply: Any) -> None:
    double.script(reply)
    model = model_at(double.url, timeout_s=0.6)
    with pytest.raises(ModelUnreachable, match=r"within 0\.6 s"):
        answered(model, QUESTION, hits())
    model.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "nonsense", "http://"])
def test_server_that_is_not_there_is_unreachable(url: str) -> None:
    model = model_at(url)
    with pytest.raises(ModelUnreachable, match="WELLREAD_MODEL_BASE_URL"):
        answered(model, QUESTION, hits())
    model.close()


def test_key_is_sent_and_never_shown() -> None:
    with OpenAIDouble(key="sk-right") as double:
        good, bad = model_at(double.url, api_key=" sk-right\n"), model_at(double.url, api_key="sk-wrong")
        assert answered(good, QUESTION, hits()).text
        with pytest.raises(ApiKeyRejected, match=r"\[key\]") as caught:
            answered(bad, QUESTION, hits())
        good.close()
        bad.close()
    assert "sk-wrong" not in str(caught.value) + repr(bad) + repr(vars(bad))


def test_password_in_an_address_is_never_shown() -> None:
    model = model_at("http://reader:pass-word@127.0.0.1:9/v1")
    with pytest.raises(ModelUnreachable) as caught:
        answered(model, QUESTION, hits())
    model.close()
    assert "pass-word" not in str(caught.value) + repr(model)


@pytest.mark.parametrize(
    ("lacks", "requests"),
    [
        ({"json_schema"}, 2),
        ({"json_schema", "json_object"}, 3),
        ({"temperature"}, 2),
        ({"max_tokens"}, 2),
        ({"stream_options"}, 2),
        ({"json_schema", "json_object", "temperature", "max_tokens", "stream_options"}, 6),
    ],
    ids=lambda value: "+".join(sorted(value)) if isinstance(value, set) else str(value),
)
def test_what_a_server_refuses_is_left_out_and_remembered(
    double: OpenAIDouble, model: LanguageModel, lacks: set[str], requests: int
) -> None:
    double.lacks = frozenset(lacks)
    assert answered(model, QUESTION, hits()).text
    assert double.refused + len(double.received) == requests
    assert answered(model, QUESTION, hits()).text
    assert double.refused + len(double.received) == requests + 1


def test_unnamed_refusal_is_tried_without_a_schema(double: OpenAIDouble, model: LanguageModel) -> None:
    double.script(Status(400, "Bad request"))
    assert answered(model, QUESTION, hits()).text
    assert "response_format" in double.received[0].body
    assert double.received[1].body["response_format"] == {"type": "json_object"}


def test_model_that_the_server_has_not_is_named(double: OpenAIDouble) -> None:
    model = model_at(double.url, model="llama")
    with pytest.raises(BadReply, match=r"'llama' not found.*WELLREAD_LARGE_MODEL"):
        answered(model, QUESTION, hits())
    model.close()


def test_bug_of_the_caller_is_no_bad_reply(double: OpenAIDouble, model: LanguageModel) -> None:
    def publish(answer: Answer) -> None:
        raise KeyError("publish")

    lamp = "A storm broke the lamp in 1921."
    double.script(quoting(("Built in 1874.", 1, BUILT), ("The lamp broke in 1921.", 2, lamp)))
    with pytest.raises(KeyError, match="publish"):
        answered(model, QUESTION, hits(), on_answer=publish)
    assert len(double.received) == 1


def test_last_line_of_a_stream_needs_no_end(double: OpenAIDouble, model: LanguageModel) -> None:
    begun = b'data: {"choices": [{"delta": {"content": "Built in 1874. [1]"}}]}\n\n'
    double.script(Bytes(begun + b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}'))
    assert answered(model, QUESTION, hits()).text == "Built in 1874. [1]"
    double.script(Bytes(begun + b'data: {"choices": [{"del'))
    assert answered(model, QUESTION, hits()).text  # it broke off: asked again
    assert len(double.received) == 3


def test_server_that_does_not_stream_is_read(double: OpenAIDouble, model: LanguageModel) -> None:
    body = b'{"choices": [{"message": {"content": "Built in 1874. [1]"}, "finish_reason": "stop"}]}'
    double.script(Bytes(body, "application/json"))
    answer = answered(model, QUESTION, hits())
    assert answer.text == "Built in 1874. [1]"
    assert answer.cost.model == MODEL
    assert answer.cost.input_tokens > 100  # estimated
