"""What callers are told of a question beside its answer: plain values, for who keeps and for who receives them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from domain import Status

FeedbackVerdict = Literal["right", "wrong", "citation_wrong"]


@dataclass(frozen=True, kw_only=True)
class PageSeen:
    """A candidate of the question's crawl and what came of it."""

    url: str
    title: str
    outcome: str | None  #: None while it waits
    reason: str | None
    wave: int


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long one step took."""

    step: str
    cycle: int
    attempt: int
    outcome: str
    seconds: float
    started_at: datetime


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """What a reader said of one revision of an answer."""

    verdict: FeedbackVerdict
    comment: str
    revision: int
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Watch:
    """A standing question and how it stands."""

    question_id: str
    question: str
    status: Status
    callback_url: str | None
    created_at: datetime
    changed_at: datetime | None  #: when its watcher was last told
