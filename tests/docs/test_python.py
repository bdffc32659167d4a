"""Every piece of Python that is shown is run."""

from __future__ import annotations

import ast
import json
from datetime import timedelta
from typing import Any

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from tests.api import walk
from tests.docs.blocks import API, BROKER, SOCKET, Block, blocks
from workers.questions.submit import Payload
from workers.questions.webhooks import sign
from workers.services import Services

#: its blocks are run by tests/docs/frameworks, in a venv with those libraries
FRAMEWORKS = "docs/how-to/frameworks.md"
SECRET = "whsec_c2VjcmV0"


@pytest.mark.parametrize("block", [b for b in blocks("python") if API in b.text and b.page != FRAMEWORKS], ids=str)
def test_python_that_asks_gets_an_answer(block: Block, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    _run(block.text.replace(API, url))
    printed = capsys.readouterr().out
    if "put_document" in block.text:  # no worker runs
        assert "ticket-43 waiting" in printed
        return
    assert "ANSWERED" in printed
    assert walk.QUOTE in printed or "final" in printed or walk.BUILDER in printed


@pytest.mark.parametrize("block", [b for b in blocks("python") if BROKER in b.text or SOCKET in b.text], ids=str)
def test_python_that_enqueues_keeps_the_contract(block: Block, services: Services) -> None:
    services.redis.delete("answer")
    _run(block.text.replace(BROKER, services.settings.broker).replace(SOCKET, services.settings.broker))
    (message,) = services.redis.lrange("answer", 0, -1)
    services.redis.delete("answer")
    sent = json.loads(message)
    assert sent["headers"]["task"] == "wellread.ask"
    (payload,) = ast.literal_eval(sent["headers"]["argsrepr"])
    assert Payload.model_validate(payload).idempotency_key


def test_webhook_check_takes_a_signed_body_and_no_other(services: Services) -> None:
    (block,) = [b for b in blocks("python") if "event_of" in b.text]
    event_of = _run(block.text)["event_of"]
    body, now = b'{"event": "question.answered"}', services.now()
    headers = sign(body, message_id="msg_1", secret=SECRET, now=now)
    assert event_of(body, headers, SECRET) == {"event": "question.answered"}
    old = sign(body, message_id="msg_1", secret=SECRET, now=now - timedelta(minutes=6))
    for wrong in ((body + b" ", headers, SECRET), (body, headers, "whsec_YW5vdGhlcg=="), (body, old, SECRET)):
        with pytest.raises(WebhookVerificationError):
            event_of(*wrong)


def test_no_python_is_left_unrun() -> None:
    known = (API, BROKER, SOCKET, "event_of")
    shown = [block for block in blocks("python") if block.page != FRAMEWORKS]
    assert [str(block) for block in shown if not any(mark in block.text for mark in known)] == []


def _run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "docs"}
    exec(compile(code, "docs", "exec"), names)
    if close := getattr(names.get("client"), "close", None):  # else its socket is found open in a later test
        close()
    return names
