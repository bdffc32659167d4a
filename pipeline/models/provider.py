"""Declare what a provider of language models is asked and replies, in plain values, and find the JSON in a reply."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from domain import Passage
from pipeline.models.passages import PassageBlocks
from pipeline.models.prices import Usage

Json = dict[str, Any]
#: complete, cut off at the token limit, or declined
ReplyEnd = Literal["complete", "cut off", "refused"]

#: small models put JSON into fences, behind their thoughts, or among other words
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)  # and write newlines into their strings
#: beginnings of an object that are tried
_TRIES = 20


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is asked."""

    instructions: str  #: the part of the system prompt that is the same for every question
    notes: tuple[str, ...] = ()  #: the rest of it
    passages: tuple[PassageBlocks, ...] = ()
    texts: tuple[str, ...]  #: after the passages; the question comes last
    reply_room: float = 1.0  #: times the usual tokens that a reply may have
    schema: Json | None = None  #: of the JSON object to reply with; None: sentences that cite the passages


@dataclass(frozen=True, kw_only=True)
class PassageSpan:
    """The quote ``passage.text[start:end]``."""

    passage: Passage
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class CitedText:
    """A part of the reply with the model's citations for it: those that name a passage and quote its very text."""

    text: str
    citations: tuple[PassageSpan, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """The reply in plain values."""

    parts: tuple[CitedText, ...]
    end: ReplyEnd
    usage: Usage
    text: str  #: as the model wrote it
    refusal: str = ""  #: why it declined, where it says so


#: receives the reply so far, whenever a part is complete
OnText = Callable[[Sequence[CitedText]], None]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Many requests that a service takes at once and replies to within a day, for half the price."""

    id: str
    size: int  #: requests in it
    created_at: datetime
    has_ended: bool
    is_ending: bool = False  #: whether it was cancelled


def without_thoughts(text: str) -> str:
    """Return the reply without the thoughts that a model wrote into it."""
    return _THOUGHTS.sub("", text)


def find_object(text: str) -> Json | None:
    """Return the first whole JSON object of a reply; None for none."""
    text = without_thoughts(text)
    for _, begun in zip(range(_TRIES), re.finditer(r"\{", text), strict=False):
        if found := object_at(text, begun.start()):
            return found[0]
    return None


def object_at(text: str, start: int) -> tuple[Json, int] | None:
    """Return the JSON object that begins at ``start``, and where it ends; None if none does."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None
