"""The doctor probes a server of language models, and says exactly what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.operations.doctor import diagnose
from api.operations.resources import Diagnosis
from tests.claude_double import KEY, ClaudeDouble
from tests.openai_double import MODEL, Bytes, Chat, OpenAIDouble, Reply, Status, chat_json
from workers.services import Services
from workers.settings import SettingsError, load

YES = chat_json({"sufficient": True, "confidence": 0.9, "reason": "It says so.", "missing": [], "contradictions": []})
NO = chat_json({"sufficient": False, "confidence": 0, "reason": "", "missing": []})
NOTHING = chat_json({"sentences": []})


def found(url: str, tmp_path: Path, model: str = MODEL) -> Diagnosis:
    services = Services(load(data_dir=tmp_path, model_base_url=url, large_model=model))
    [check] = diagnose(services, "language model")
    if services.model:
        services.model.close()
    return check


def test_server_that_does_all_is_well(tmp_path: Path) -> None:
    with OpenAIDouble() as double:
        check = found(double.url, tmp_path)
        assert (check.level, check.fix) == ("ok", "")
        assert check.finding.startswith(f"{MODEL} at {double.url}: a verdict in ")
        assert max(len(request.user) for request in double.received) > 8_000


def test_without_a_model_it_says_how_to_have_one(tmp_path: Path) -> None:
    [check] = diagnose(Services(load(data_dir=tmp_path)), "language model")
    assert check.level == "note"
    assert "WELLREAD_MODEL_BASE_URL" in check.fix


def test_password_in_the_address_is_not_shown(tmp_path: Path) -> None:
    with OpenAIDouble() as double:
        secret = double.url.replace("://", "://operator:s3cret@")
        shown = [found(secret, tmp_path), found(secret, tmp_path, model="llama3")]
    assert all(double.url in check.finding for check in shown)
    assert "s3cret" not in repr(shown)
    with pytest.raises(SettingsError) as caught:
        load(model_base_url="ftp://operator:s3cret@localhost", large_model="m")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("script", "finding", "fix"),
    [
        ((YES, NOTHING, Chat("It was built in 1874. [1]")), "not from a long one", "OLLAMA_CONTEXT_LENGTH=16384"),
        ((YES, NOTHING, NOTHING), "cites no passage", "WELLREAD_LARGE_MODEL"),
        ((Chat("Yes, it suffices."),), "is no JSON object", "WELLREAD_SMALL_MODEL"),
        ((NO,), "does not see", "WELLREAD_SMALL_MODEL"),
        ((Status(401),), "does not accept the key", "WELLREAD_MODEL_API_KEY"),
        ((Status(429, "You exceeded your current quota", {"retry-after": "0"}),) * 3, "quota", "account"),
        ((Bytes(b"<html>no</html>", "text/html", 502, {"retry-after": "0"}),) * 3, "busy (502)", "server's own log"),
        ((Status(400, "maximum context length is 4096 tokens"),), "do not fit", "OLLAMA_CONTEXT_LENGTH"),
        ((YES, Chat("I'm sorry, but I can't help with that request.")), "declines", "Name another model"),
    ],
    ids=["forgets", "cites nothing", "no JSON", "sees nothing", "key", "quota", "HTML", "context", "declines"],
)  # fmt: skip
def test_what_is_wrong_has_its_fix(tmp_path: Path, script: tuple[Reply, ...], finding: str, fix: str) -> None:
    with OpenAIDouble() as double:
        double.script(*script)
        check = found(double.url, tmp_path)
    assert check.level == "wrong"
    assert finding in check.finding
    assert fix in check.fix


def test_claudes_key_and_models_are_looked_at_for_nothing(tmp_path: Path) -> None:
    def found(**settings: str) -> Diagnosis:
        services = Services(load(data_dir=tmp_path, anthropic_base_url=double.url, **settings))
        [check] = diagnose(services, "language model")
        return check

    with ClaudeDouble() as double:
        well, wrong = found(anthropic_api_key=KEY), found(anthropic_api_key="sk-ant-wrong")
        other = found(anthropic_api_key=KEY, large_model="claude-none")
        assert double.received == []
    assert (well.level, well.finding) == ("ok", f"claude-sonnet-5-5 at {double.url}, the key is accepted")
    assert (wrong.level, "WELLREAD_ANTHROPIC_API_KEY" in wrong.fix) == ("wrong", True)
    assert ("'claude-none'" in other.finding, "WELLREAD_LARGE_MODEL" in other.fix) == (True, True)


def test_model_that_the_server_has_not_is_told_with_those_it_has(tmp_path: Path) -> None:
    with OpenAIDouble() as double:
        check = found(double.url, tmp_path, model="llama3")
    assert (check.level, MODEL in check.finding, "`ollama pull llama3`" in check.fix) == ("wrong", True, True)


def test_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    check = found("http://127.0.0.1:9/v1", tmp_path)
    assert "127.0.0.1:9 cannot be reached" in check.finding
    assert "server runs" in check.fix


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model_base_url": "http://127.0.0.1:1/v1"}, "set WELLREAD_LARGE_MODEL"),
        ({"model_base_url": "localhost:11434", "large_model": "m"}, "begin with http://"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load(**settings)


def test_one_name_serves_for_both_models_and_claudes_search_keeps_its_own() -> None:
    settings = load(model_base_url="http://127.0.0.1:1/v1", small_model="qwen3:4b")
    assert settings.models == ("qwen3:4b", "qwen3:4b")
    assert settings.claude_small_model == "claude-haiku-5-5"
    assert load().models == ("claude-haiku-5-5", "claude-sonnet-5-5")
