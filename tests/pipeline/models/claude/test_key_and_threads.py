"""The key stays secret and goes nowhere else; one Claude serves many threads."""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from evals.model.wire import Fail, Ping, Raw
from pipeline.llm import ApiKeyRejected, BadReply, ModelError, ModelUnreachable
from pipeline.models.model import LanguageModel
from tests.claude_double import KEY, ClaudeDouble, claude_at
from tests.pipeline.models.asking import answered
from tests.pipeline.models.claude.lighthouse import QUESTION, Ask, hits

# --- the key


def test_wrong_key_is_named_and_never_shown(double: ClaudeDouble, ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    claude = ask(api_key="sk-ant-wrong-key")
    with pytest.raises(ApiKeyRejected, match="invalid x-api-key") as caught:
        answered(claude, QUESTION, hits())
    shown = "".join(traceback.format_exception(caught.value)) + repr(claude) + repr(vars(caught.value)) + caplog.text
    assert "sk-ant-wrong-key" not in shown
    assert "sk-ant-wrong-key" not in repr(claude._api())


def test_key_repeated_in_an_error_is_taken_out_of_the_message(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(Fail(400, "invalid_request_error", f"bad header x-api-key: {KEY}"))
    with pytest.raises(BadReply, match=r"\[key\]") as caught:
        answered(claude, QUESTION, hits())
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["", "  ", "schlüssel", "two words", "line\nbreak"])
def test_what_cannot_be_a_key_is_refused_at_once(key: str) -> None:
    with pytest.raises(ApiKeyRejected, match="WELLREAD_ANTHROPIC_API_KEY"):
        claude_at(api_key=key)


def test_key_is_taken_without_the_white_space_around_it(double: ClaudeDouble, ask: Ask) -> None:
    assert answered(ask(api_key=f" {KEY}\n"), QUESTION, hits()).text


def test_redirect_to_another_host_is_not_followed(double: ClaudeDouble, claude: LanguageModel) -> None:
    with ClaudeDouble() as other:
        double.script(Raw(b"", status=307, headers={"location": f"{other.url}/v1/messages"}))
        with pytest.raises(BadReply, match="307"):
            answered(claude, QUESTION, hits())
        assert other.received == []


def test_environment_of_the_sdk_does_not_choose_the_server(
    double: ClaudeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ClaudeDouble() as other:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", other.url)
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
        fresh = claude_at(api_key=KEY, base_url=double.url)
        answered(fresh, QUESTION, hits())
        fresh.close()
        assert other.received == []
    assert double.received[0].headers["authorization"] == f"Bearer {KEY}"


# --- threads and processes


def test_one_claude_serves_many_threads_with_one_pool(double: ClaudeDouble, claude: LanguageModel) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: answered(claude, QUESTION, hits()), range(24)))
    assert {answer.text for answer in answers} == {"The lighthouse of Vierburg was built in 1874. [1]"}
    assert len(double.received) == 24
    with ThreadPoolExecutor(8) as pool:
        assert len({id(api) for api in pool.map(lambda _: claude._api(), range(24))}) == 1


def test_deadline_of_one_call_does_not_end_another(double: ClaudeDouble, ask: Ask) -> None:
    double.script(Ping())
    claude = ask(timeout_s=1.0)
    failed: list[ModelError] = []

    def hang() -> None:
        try:
            answered(claude, QUESTION, hits())
        except ModelError as error:
            failed.append(error)

    thread = threading.Thread(target=hang)
    thread.start()
    while not double.received:
        time.sleep(0.005)
    assert answered(claude, QUESTION, hits()).text
    thread.join()
    assert isinstance(failed[0], ModelUnreachable)


def test_pool_inherited_from_another_process_is_not_used(claude: LanguageModel) -> None:
    api = claude._api()
    claude._opened = (os.getpid() + 1, api)  # as it looks to a child after a fork
    assert claude._api() is not api
    api.close()


def test_closed_claude_opens_again(claude: LanguageModel) -> None:
    answered(claude, QUESTION, hits())
    claude.close()
    assert answered(claude, QUESTION, hits()).text
