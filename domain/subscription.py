"""Subscriptions: a question or a subject that is looked up on a schedule, and what was new each time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from domain.published import UNPUBLISHED, Received, described, published
from domain.record import CitedLine
from domain.site import Schedule


@published
class Subscription(Received):
    """A question or subject that is looked up on a schedule; its subscriber is told what is new."""

    id: str
    question: str | None = described("It is asked again; null: it is a subject.")
    subject: str | None = described("New passages on it are looked for; null: it is a question.")
    options: Mapping[str, Any] = described("Those of a question that were given.")
    schedule: Schedule
    paused: bool
    callback_url: str | None
    email: str | None
    feed_token: str = described("Opens its feeds: /api/subscriptions/ID/feed.atom?token=…")
    next_due: datetime | None
    last_run_at: datetime | None
    question_id: str | None = described("The question that is being looked up for it; null: none.")
    error: str | None = described("Why the last run came to nothing; null: it did not fail.")
    created_at: datetime
    owner: str | None = field(default=None, metadata=UNPUBLISHED)


@dataclass(frozen=True, kw_only=True)
class PageNamed:
    """A page."""

    url: str
    title: str


@published
class News(Received):
    """What was new at one run."""

    id: int
    first: bool = described("Whether it is the state at the first run.")
    title: str
    text: str = described("The answer, or the digest, with its [n] markers; without a model the quotes.")
    citations: tuple[CitedLine, ...]
    added: tuple[PageNamed, ...] = described("New pages of a subject's sites.")
    changed: tuple[PageNamed, ...] = described("Pages of them with another text.")
    removed: tuple[PageNamed, ...] = described("Pages that are gone.")
    question_id: str | None = described("The question that was asked for it.")
    created_at: datetime
