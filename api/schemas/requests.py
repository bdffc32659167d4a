"""The bodies of the requests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field

from domain import BLOCK_KINDS, BlockKind
from domain.site import PageKind
from workers.questions.asked import MAX_LANGS, Asked, Body, Language, Url
from workers.questions.search import MAX_FOUND, PassageQuery

MAX_WAIT_S = 120.0

Every = Annotated[str | None, Field(max_length=40, description="Look at it this often: 90m, 6h, 1d12h.")]
Cron = Annotated[str | None, Field(max_length=100, description="Look at it at these times: a cron line.")]
Delay = Annotated[float | None, Field(ge=0, le=3600, validation_alias=AliasChoices("min_delay_s", "min_delay"))]


def _moment(given: datetime) -> datetime:
    """Return the time in UTC, which it is in where it names no zone; raises ValueError."""
    if not 1900 <= given.year <= 2200:
        raise ValueError("the year must be between 1900 and 2200")
    return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(_moment)]


class ChatRequest(Asked):
    """A question whose asker waits for the answer."""

    wait: float = Field(default=30.0, ge=0, le=MAX_WAIT_S, description="Seconds to wait for the final answer.")
    queued: bool = Field(default=False, description="Do not wait at all: the answer is fetched or watched by its id.")


class QuestionRequest(Asked):
    """A question whose asker does not wait."""

    callback_url: Url | None = Field(default=None, description="Told by a signed POST when the question ends.")
    deadline: float = Field(
        default=900.0, gt=0, le=86_400, description="Seconds until it ends with the best answer there is."
    )


class SearchRequest(Body):
    """Words to find passages for."""

    query: str = Field(description="What to look for: at most 4,000 characters.", examples=["lighthouse builder"])
    sites: list[Url] = Field(default_factory=list, max_length=20, description="Pages below these URLs only.")
    langs: list[Language] = Field(
        default_factory=list, max_length=MAX_LANGS, description="Pages in these languages only (ISO 639-1)."
    )
    kinds: list[BlockKind] = Field(
        default_factory=list,
        max_length=len(BLOCK_KINDS),
        description="Passages with a part of one of these kinds only.",
    )
    published_after: Moment | None = Field(
        default=None, description="Pages that say they were published after this only."
    )
    read_after: Moment | None = Field(default=None, description="Pages read, or seen unchanged, after this only.")
    limit: int = Field(default=10, ge=1, le=MAX_FOUND, description="Most passages to return.")
    lang: str = Field(default="", pattern=r"^([a-z]{2,3})?$", description="Of the query; left out: from its words.")


class ThreadRequest(Body):
    """A thread's settings."""

    title: str = Field(min_length=1, max_length=200, pattern=r"\S", description="What it is called.")


class WatchRequest(Body):
    """A question to ask again when its evidence changes."""

    callback_url: Url | None = Field(
        default=None, description="Told of changes by a signed POST; left out: the question's own."
    )


class FeedbackRequest(Body):
    """What a reader says of an answer."""

    verdict: Literal["right", "wrong", "citation_wrong"]
    comment: str = Field(default="", max_length=4000)
    revision: int | None = Field(default=None, ge=1, le=2**31 - 1, description="Of the record; left out: the latest.")


class SourceRequest(Body):
    """A site to read for any question."""

    url: Url
    own: bool = Field(default=False, description="Your own site: its address may be private. Needs the role admin.")
    min_delay_s: Delay = Field(default=None, description="Seconds between two requests to it.")
    every: Every = None
    cron: Cron = None
    zone: str | None = Field(
        default=None, max_length=64, description="Time zone of the cron line, such as Europe/Berlin; left out: UTC."
    )


class SourceChanges(Body):
    """What is to be changed of a source; what is left out stays. `every` and `cron` null end its schedule."""

    min_delay_s: Delay = Field(
        default=None, description="Seconds between two requests to it; null: the server's setting."
    )
    every: Every = None
    cron: Cron = None
    zone: str | None = Field(
        default=None, max_length=64, description="Time zone of the cron line, such as Europe/Berlin; null: as it is."
    )


class SiteReadRequest(Body):
    """A whole site to read."""

    url: Url
    max_pages: int = Field(default=10_000, ge=1, le=1_000_000, description="Most pages to look at.")
    max_depth: int = Field(default=20, ge=0, le=1_000, description="Most links from where it begins.")


class PagesWanted(Body):
    """Which stored page, or which part of the list."""

    url: Annotated[str, Field(max_length=2048)] | None = Field(
        default=None, description="The page's URL; left out: a list, for operators."
    )
    question_id: str = Field(default="", max_length=64, description="The question that a private page was read for.")
    version: int | None = Field(default=None, ge=1, le=2**31 - 1, description="The page's text with this number.")
    site: str = Field(default="", max_length=2048, description="List the pages below this URL.")
    source: int | None = Field(default=None, ge=1, le=2**31 - 1, description="List the pages of this source.")
    since: Moment | None = Field(default=None, description="List those whose text is not older.")
    kind: PageKind | None = Field(default=None, description="List pages of the web, or files.")
    not_read: bool = Field(default=False, description="List what answers cannot be drawn from, with the reason.")
    after: str = Field(default="", max_length=2048, description="List what is behind this address: the next part.")
    limit: int = Field(default=100, ge=1, le=1_000, description="Most to list.")


class ReadRequest(Body):
    """A page to read now."""

    url: Url


def to_passage_query(asked: SearchRequest) -> PassageQuery:
    """Return the body as the search takes it."""
    return PassageQuery(
        text=asked.query,
        sites=tuple(asked.sites),
        langs=tuple(asked.langs),
        kinds=tuple(asked.kinds),
        published_after=asked.published_after,
        read_after=asked.read_after,
        limit=asked.limit,
        lang=asked.lang,
    )
