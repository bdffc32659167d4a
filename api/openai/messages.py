"""Reads the question out of a conversation: the last message, understood from the turns before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from domain.errors import WellreadError
from domain.options import MAX_CHARACTERS
from domain.question import Turn
from pipeline.question.analysis import clean_question
from pipeline.question.follow_up import understand
from store.questions.threads import LAST_TURNS

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class BadMessages(WellreadError):
    """The conversation cannot be answered; the message says which part of it and why."""


class Message(BaseModel):
    """One message of a conversation. Names, refusals and the like are taken and not used."""

    model_config = ConfigDict(extra="ignore")

    role: str
    content: Any = None
    tool_calls: Any = None


def question_of(messages: Sequence[Message]) -> tuple[str, list[Turn]]:
    """Return what is asked, the last user message, and the last turns before it, each as those before it complete it.

    Raises BadMessages and QuestionError.
    """
    texts = [_text(message, f"messages[{place}]") for place, message in enumerate(messages)]
    if not messages or messages[-1].role != "user":
        raise BadMessages("The last message must be a user's: it is the question that is answered.")
    question = clean_question(texts[-1])
    turns: list[Turn] = []
    for asked, answer in _turns(messages, texts)[-LAST_TURNS:]:
        turns.append(Turn(question=understand(asked, turns), answer=answer))
    return question, turns


def _turns(messages: Sequence[Message], texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the earlier questions of a conversation, each with the first line of what was said to it."""
    turns: list[tuple[str, str]] = []
    for message, text in zip(messages[:-1], texts, strict=False):
        plain = " ".join(text.split())[:MAX_CHARACTERS]
        if message.role == "user":
            turns.append((plain, ""))
        elif message.role == "assistant" and turns:
            turns[-1] = (turns[-1][0], plain)
    return turns


def _text(message: Message, place: str) -> str:
    """Return the text of a message; raises BadMessages where it has none that can be read."""
    if message.role not in _ROLES:
        raise BadMessages(f"{place}.role is {message.role[:40]!r}: it is one of {', '.join(_ROLES)}.")
    if message.tool_calls is not None:
        _check_tool_calls(message, place)
    content = message.content
    if content is None and message.role == "assistant":
        return ""  # it called a tool, or refused
    if isinstance(content, str):
        text = content
    elif isinstance(content, list):
        text = "\n".join(_part(part, f"{place}.content[{number}]") for number, part in enumerate(content))
    else:
        raise BadMessages(f"{place}.content must be text, or a list of parts of text.")
    if not text.strip() and message.role == "user":
        raise BadMessages(f"{place}.content is empty: write what you want to know.")
    return text


def _part(part: Any, place: str) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "refusal":
        return ""
    if kind != "text":
        raise BadMessages(f"{place} is {_named(kind)}: Wellread reads only text.")
    if not isinstance(part.get("text"), str):
        raise BadMessages(f"{place}.text must be text.")
    return str(part["text"])


def _named(kind: object) -> str:
    known = {"image_url": "an image", "input_audio": "a recording", "file": "a file"}
    return known.get(kind, f"of the type {kind[:40]!r}") if isinstance(kind, str) else "no part with a type"


def _check_tool_calls(message: Message, place: str) -> None:
    """Raise BadMessages unless these are the calls of an earlier turn, in their form."""
    calls = message.tool_calls
    if message.role != "assistant" or not isinstance(calls, list):
        raise BadMessages(f"{place}.tool_calls must be a list, in a message of the assistant.")
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise BadMessages(f"{place}.tool_calls[{number}] must be an object whose `function` has a `name`.")
