"""Probes a server of language models: it is there, has the models, replies in JSON, and reads long prompts."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from domain import Passage
from domain.errors import without_userinfo
from pipeline.llm import ApiKeyRejected, BadReply, Brief, ModelBusy, ModelError, ModelRefused
from pipeline.models.claude_api import MessagesApi
from pipeline.models.connection import attempt
from pipeline.models.model import LanguageModel
from pipeline.models.openai_api import ChatApi
from pipeline.models.pace import Times
from workers.settings import Settings

#: the longest probe of the list of models
LIST_S = 10.0
QUESTION = "In which year was the lighthouse of Vierburg built?"
_STATED, _FOUND = "The lighthouse of Vierburg was built in 1874.", "1874"
#: other passages, as many and as long as a question has them
_OTHERS, _OTHER_CHARACTERS = 5, 1_800
_LONGER_CONTEXT = (
    "Raise the server's context length to 16,384 tokens (Ollama: OLLAMA_CONTEXT_LENGTH=16384; llama.cpp: "
    "--ctx-size 16384; vLLM: --max-model-len 16384; LM Studio: Context Length of the loaded model)."
)
_BETTER_MODEL = "Name another model in WELLREAD_LARGE_MODEL: those of 7B parameters and more usually follow the form."


def check_model_server(settings: Settings, model: LanguageModel) -> tuple[str, str]:
    """Return what was found and what to do; "" when all is well."""
    try:
        if missing := _missing_models(settings):
            return missing
        started = time.monotonic()
        verdict = model.verdict(_brief(1)).value
        judged_s = time.monotonic() - started
        started = time.monotonic()
        answers = _answers(model, 1 + _OTHERS)
        answered_s = time.monotonic() - started
    except ModelError as error:
        return str(error), _advice(error, settings)
    small, large = settings.models
    if not answers:
        if _answers(model, 1):
            return f"{large} answers from a short prompt, not from a long one", _LONGER_CONTEXT
        return f"{large} replies, but cites no passage in a form that can be checked", _BETTER_MODEL
    if not verdict.sufficient:
        return f"{small} replies, but does not see that a passage states the answer", (
            _BETTER_MODEL.replace("LARGE", "SMALL")
        )
    where = without_userinfo(settings.model_base_url)
    return f"{large} at {where}: a verdict in {judged_s:.1f} s, an answer in {answered_s:.1f} s", ""


def check_claude(settings: Settings) -> tuple[str, str]:
    """Return what was found and what to do, "" when all is well; the list of models costs nothing."""
    at = f" at {without_userinfo(settings.anthropic_base_url)}" if settings.anthropic_base_url else ""
    server = MessagesApi(
        api_key=settings.anthropic_api_key.get_secret_value().strip(), base_url=settings.anthropic_base_url
    )
    try:
        known = _listed(server)
    except ModelError as error:
        return str(error), _advice(error, settings)
    if known is None:
        return f"{settings.models[1]}{at}, key set; the server lists no models, so nothing was checked", ""
    for name, setting in _named(settings):
        if known and not any(each.startswith(name) for each in known):
            has = ", ".join(known[:10])
            return f"the key{at} has no model {name!r}; it has {has}", f"Set {setting} to one of them."
    return f"{settings.models[1]}{at}, the key is accepted", ""


def _listed(server: MessagesApi | ChatApi) -> Sequence[str] | None:
    """Return the models that a server lists; None if it has no list."""
    try:
        with attempt(Times(first_token_s=LIST_S, whole_s=LIST_S)):
            return server.models()
    except BadReply:
        return None
    finally:
        server.close()


def _named(settings: Settings) -> tuple[tuple[str, str], tuple[str, str]]:
    small, large = settings.models
    return (large, "WELLREAD_LARGE_MODEL"), (small, "WELLREAD_SMALL_MODEL")


def _advice(error: ModelError, settings: Settings) -> str:
    message, times = str(error).casefold(), settings.model_times
    if any(word in message for word in ("quota", "billing", "credit")):
        return "See the plan and the credit of the service's account."
    if isinstance(error, ApiKeyRejected):
        name = "WELLREAD_MODEL_API_KEY" if settings.model_base_url else "WELLREAD_ANTHROPIC_API_KEY"
        return f"Set {name} to a key that the service accepts."
    if isinstance(error, ModelBusy):
        return "Run this again later; if it stays so, the server's own log says why."
    if "context" in message:
        return _LONGER_CONTEXT
    if isinstance(error, ModelRefused) or "json object" in message or "in the form asked for" in message:
        return _BETTER_MODEL.replace("LARGE", "SMALL") if settings.models[0] in str(error) else _BETTER_MODEL
    if isinstance(error, BadReply):
        return "See that the address and the models are right; the server's own log may say more."
    return (
        f"See that the server runs and has loaded the model; its reply must begin within {times.first_token_s:g} s "
        f"(WELLREAD_MODEL_FIRST_TOKEN_S), the loading included, and end within {times.whole_s:g} s "
        "(WELLREAD_MODEL_TIMEOUT_S)."
    )


def _missing_models(settings: Settings) -> tuple[str, str] | None:
    """Return which model the server has not; a server without a list is asked for an answer all the same."""
    key = settings.model_api_key.get_secret_value()
    known = _listed(ChatApi(base_url=settings.model_base_url, api_key=key))
    for name, setting in _named(settings):
        if known is not None and name not in known and f"{name}:latest" not in known:
            has = ", ".join(known[:10]) or "no model at all"
            return (
                f"{without_userinfo(settings.model_base_url)} has no model {name!r}; it has {has}",
                f"Set {setting} to one of them, or load {name} there (Ollama: `ollama pull {name}`).",
            )
    return None


def _answers(model: LanguageModel, passages: int) -> bool:
    """Return whether an answer with a citation is written from so many passages; the first states it."""
    answer = model.write(_brief(passages)).answer
    return bool(answer.citations) and _FOUND in answer.text


def _brief(passages: int) -> Brief:
    rooms = [
        "".join(f"Room {number * 100 + at} of the harbour office is open on weekdays. " for at in range(99))
        for number in range(2, passages + 1)
    ]
    read = tuple(
        Passage(
            id=f"{number}-0", page_id=number, ord=0, url=f"https://example.org/{number}", title=f"Page {number}",
            lang="en", text=text, start=0, end=len(text), content_hash="",
        )
        for number, text in enumerate((_STATED, *(room[:_OTHER_CHARACTERS] for room in rooms)), start=1)
    )  # fmt: skip
    return Brief(question=QUESTION, sections=read, today=datetime.now(UTC).date(), lang="en")
