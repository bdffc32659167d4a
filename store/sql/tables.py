"""The SQL tables: the truth about every question, page and piece of work.

Rows that wait for work carry a lease (:class:`Leased`): a message only says "look", the row says whether there is
anything to do. Times are UTC and timezone-aware on the way in and out, on SQLite and PostgreSQL alike.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, validates

from domain.storable import storable, storable_json


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware time stored as UTC; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware time into UTC (without its zone on SQLite, which stores none)."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no timezone; every stored time is UTC")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class StorableText(TypeDecorator[str]):
    """A text; what no database can hold of it (as a model's reply or a page may have) is replaced, not refused."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text as it can be stored."""
        return storable(value) if isinstance(value, str) else value


class StorableJson(TypeDecorator[Any]):
    """JSON; what cannot be held of its texts is replaced."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Return the JSON as it can be stored."""
        return storable_json(value)


class Table(DeclarativeBase):
    """The base class of all rows."""

    metadata = MetaData(  # named constraints: a later migration can change them on SQLite too
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 (SQLAlchemy reads it as a plain dict)
        datetime: UtcDateTime,
        str: StorableText,
        dict[str, Any]: StorableJson,
        list[Any]: StorableJson,
    }

    def __init_subclass__(cls, *, name: str, **options: Any) -> None:
        """Name the table before SQLAlchemy maps the class."""
        cls.__tablename__ = name
        super().__init_subclass__(**options)


class Leased:
    """A row that waits for work: its lease, how often it was tried, when it is due."""

    attempts: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    lease_by: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    error: Mapped[str | None]


class QuestionRow(Leased, Table, name="questions"):
    """A question and its state."""

    __table_args__ = (
        Index("ix_questions_work", "status", "due_at"),
        Index("ix_questions_equal", "equal_key", "cached_from", "status"),
        Index("ix_questions_thread", "thread_id", "created_at"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    text: Mapped[str]  #: as it is understood: what is looked up
    asked: Mapped[str | None]  #: in its asker's words, where those are others
    thread_id: Mapped[str | None] = mapped_column(String(32))
    lang: Mapped[str] = mapped_column(String(8), default="")
    status: Mapped[str] = mapped_column(String(16))
    outcome: Mapped[str | None] = mapped_column(String(16))  #: of the end; None: it has none
    strategy: Mapped[str] = mapped_column(String(32), default="")
    sites: Mapped[list[Any]] = mapped_column(default=list)
    langs: Mapped[list[Any]] = mapped_column(default=list)
    private: Mapped[bool] = mapped_column(default=False)  #: new pages that it has read serve it alone
    crawl_enabled: Mapped[bool] = mapped_column(default=True)
    max_age_s: Mapped[int | None]
    overrides: Mapped[dict[str, Any]] = mapped_column(default=dict)
    answer_schema: Mapped[dict[str, Any] | None] = mapped_column(
        StorableJson(none_as_null=True)
    )  #: of the structured answer
    budget: Mapped[dict[str, Any]]
    priority: Mapped[int] = mapped_column(default=0)
    deadline: Mapped[datetime]
    queries: Mapped[list[Any]] = mapped_column(default=list)
    variants: Mapped[list[Any]] = mapped_column(default=list)
    missing: Mapped[list[Any]] = mapped_column(default=list)
    cycle: Mapped[int] = mapped_column(default=0)
    waves: Mapped[int] = mapped_column(default=0)
    crawl_reason: Mapped[str | None]
    stop_reason: Mapped[str | None]
    crawl_started_at: Mapped[datetime | None]
    draft: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))  #: as pipeline.draft makes it
    idempotency_key: Mapped[str | None] = mapped_column(String(255), unique=True)
    fingerprint: Mapped[str] = mapped_column(String(64), default="")
    equal_key: Mapped[str] = mapped_column(String(64), default="")
    reuse: Mapped[bool] = mapped_column(default=True)
    leader_id: Mapped[str | None] = mapped_column(String(32), index=True)
    cached_from: Mapped[str | None] = mapped_column(String(32))
    round: Mapped[int] = mapped_column(default=0)
    asked_again_at: Mapped[datetime | None]
    callback_url: Mapped[str | None]
    callback_events: Mapped[list[Any] | None] = mapped_column(StorableJson(none_as_null=True))  #: None: all
    owner: Mapped[str | None] = mapped_column(String(80), index=True)  #: whose key asked it; None: an operator's
    caller_metadata: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))
    confidence: Mapped[float | None]  #: of the final answer; None: there is none
    created_at: Mapped[datetime] = mapped_column(index=True)
    updated_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class ThreadRow(Table, name="threads"):
    """Questions that are asked one after the other, each understood from those before it."""

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    title: Mapped[str]
    folded: Mapped[str]  #: the title, to be searched
    owner: Mapped[str | None] = mapped_column(String(80), index=True)  #: of its questions
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime] = mapped_column(index=True)


class StepRow(Table, name="steps"):
    """One finished step of a question: the trace."""

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(32))
    cycle: Mapped[int]
    attempt: Mapped[int]
    outcome: Mapped[str] = mapped_column(String(32))
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime] = mapped_column(index=True)
    detail: Mapped[dict[str, Any]]

    @property
    def seconds(self) -> float:
        """Return the step's duration."""
        return (self.finished_at - self.started_at).total_seconds()


class RequestState(StrEnum):
    """How far a request is that waits for a batch."""

    WAITING = "WAITING"
    SENDING = "SENDING"  #: the service may have it
    SENT = "SENT"
    REPLIED = "REPLIED"
    SINGLE = "SINGLE"  #: no batch replied to it: it is to be asked by itself
    DROPPED = "DROPPED"  #: it was sent, and its step is over: only what it costs is of interest


class BatchedRequestRow(Table, name="batched_requests"):
    """A request to a model that goes into a batch, and its reply, until the step that made it is over."""

    name: Mapped[str] = mapped_column(String(64), primary_key=True)  #: in its batch
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    body: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(16))
    batch_id: Mapped[str | None] = mapped_column(String(128))
    sent_at: Mapped[datetime | None]
    reply: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))


class WebhookStatus(StrEnum):
    """The state of one delivery."""

    WAITING = "WAITING"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"


class WebhookRow(Leased, Table, name="webhooks"):
    """One delivery to a caller, of a question's record or of what is in the row."""

    __table_args__ = (
        Index("ix_webhooks_work", "status", "due_at"),
        Index("ix_webhooks_question", "question_id", "status"),
        Index("ix_webhooks_owner", "owner", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str | None] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    owner: Mapped[str | None] = mapped_column(String(80))  #: whose it is; None: an operator's
    body: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))  #: where it is no question's
    url: Mapped[str]
    event: Mapped[str] = mapped_column(String(32))
    status: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime]
    tried_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    response_status: Mapped[int | None]
    response: Mapped[str | None]  #: how it begins
    seconds: Mapped[float | None]  #: of the last try


class AnswerRow(Table, name="answers"):
    """One revision of a question's answer."""

    __table_args__ = (UniqueConstraint("question_id", "revision"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    revision: Mapped[int]
    provisional: Mapped[bool]
    text: Mapped[str]
    sentences: Mapped[list[Any]]
    citations: Mapped[list[Any]]
    context: Mapped[list[Any]]
    confidence: Mapped[float]
    composer: Mapped[str]
    notice: Mapped[str]
    structured: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))
    related: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")  #: questions to ask next
    verdict: Mapped[dict[str, Any]]
    cost: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    stale_at: Mapped[datetime | None] = mapped_column(index=True)


class EvidenceRow(Table, name="evidence"):
    """A page that a final answer cites, and what it said then; no foreign key: one that is missing must be missed."""

    answer_id: Mapped[int] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True)
    page_id: Mapped[int] = mapped_column(primary_key=True, index=True)
    content_hash: Mapped[str] = mapped_column(String(64))


class WatchRow(Table, name="watches"):
    """A question that is asked again when its evidence changes; ``told_revision`` is the answer its watcher knows."""

    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), primary_key=True)
    callback_url: Mapped[str | None]
    told_revision: Mapped[int | None]
    changed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class SubscriptionRow(Table, name="subscriptions"):
    """A question or subject that is looked up on a schedule."""

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str | None] = mapped_column(String(80), index=True)
    text: Mapped[str]
    is_subject: Mapped[bool]
    options: Mapped[dict[str, Any]]  #: of a question, those given
    private: Mapped[bool]  #: its questions are
    every_s: Mapped[float | None]
    cron: Mapped[str | None] = mapped_column(String(100))
    zone: Mapped[str] = mapped_column(String(64))
    paused: Mapped[bool] = mapped_column(default=False)
    next_due: Mapped[datetime | None] = mapped_column(index=True)
    callback_url: Mapped[str | None]
    email: Mapped[str | None]
    feed_token: Mapped[str] = mapped_column(String(64))
    last_run_at: Mapped[datetime | None]
    question_id: Mapped[str | None] = mapped_column(String(32), index=True)  #: asked for the run that is under way
    found: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))  #: that it is asked about
    state: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))  #: as it was reported
    error: Mapped[str | None]
    created_at: Mapped[datetime]


class NewsRow(Table, name="news"):
    """What was new of a subscription at one run."""

    id: Mapped[int] = mapped_column(primary_key=True)
    subscription_id: Mapped[str] = mapped_column(ForeignKey("subscriptions.id", ondelete="CASCADE"), index=True)
    first: Mapped[bool]
    title: Mapped[str]
    text: Mapped[str]
    citations: Mapped[list[Any]]
    pages: Mapped[dict[str, Any]]
    question_id: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[datetime]


class FeedbackRow(Table, name="feedback"):
    """A reader's feedback on one revision of an answer, with the features of the question at that time."""

    __table_args__ = (
        UniqueConstraint("question_id", "revision"),
        Index("ix_feedback_verdict", "verdict", "updated_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"))
    revision: Mapped[int]
    verdict: Mapped[str] = mapped_column(String(16))
    comment: Mapped[str]
    features: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class VariantsRow(Table, name="variants"):
    """Variants that were paid for: the cache."""

    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    question: Mapped[str]
    lang: Mapped[str] = mapped_column(String(8))
    maker: Mapped[str]
    count: Mapped[int]
    variants: Mapped[list[Any]]
    made_at: Mapped[datetime] = mapped_column(index=True)


class VariantTallyRow(Table, name="variant_tallies"):
    """Counts of a kind of variant for a type of question: trials, and trials that earned a citation."""

    question_type: Mapped[str] = mapped_column(String(16), primary_key=True)
    kind: Mapped[str] = mapped_column(String(24), primary_key=True)
    tried: Mapped[int]
    rewarded: Mapped[int]


class RecalibrationRow(Table, name="recalibrations"):
    """What feedback makes of the judge's confidence in some answers, and what that was fitted to."""

    embedder: Mapped[str] = mapped_column(String(200), primary_key=True)
    lang: Mapped[str] = mapped_column(String(8), primary_key=True)
    calibration: Mapped[str] = mapped_column(String(32), primary_key=True)
    intercept: Mapped[float]
    slope: Mapped[float]
    said: Mapped[str]
    right: Mapped[int]
    wrong: Mapped[int]
    held_out: Mapped[int]
    loss_before: Mapped[float | None]
    loss_after: Mapped[float | None]
    since: Mapped[datetime | None]  #: feedback before it teaches nothing
    learned_at: Mapped[datetime]


class CandidateRow(Leased, Table, name="candidates"):
    """A URL to read: for a question, for the reading of a whole site, or for neither when a page is read again."""

    __table_args__ = (
        UniqueConstraint("question_id", "url"),
        Index("ix_candidates_work", "status", "due_at"),
        Index("ix_candidates_wave", "question_id", "status"),
        Index("ix_candidates_of_site", "site_read_id", "url", unique=True),
        Index("ix_candidates_next", "site_read_id", "status", "score"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str | None] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"))
    site_read_id: Mapped[int | None] = mapped_column(ForeignKey("site_reads.id", ondelete="CASCADE"))
    url: Mapped[str] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(16))
    score: Mapped[float]
    depth: Mapped[int]
    origin: Mapped[str] = mapped_column(String(64))
    text: Mapped[str]
    wave: Mapped[int]
    status: Mapped[str] = mapped_column(String(16))
    outcome: Mapped[str | None] = mapped_column(String(16))
    reason: Mapped[str | None]
    page_id: Mapped[int | None] = mapped_column(ForeignKey("pages.id", ondelete="SET NULL"), index=True)
    bytes: Mapped[int] = mapped_column(default=0)
    elapsed_s: Mapped[float] = mapped_column(default=0.0)
    news: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class SiteReadRow(Table, name="site_reads"):
    """The reading of a whole site: its limits and its progress."""

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str]
    prefix: Mapped[str]
    status: Mapped[str] = mapped_column(String(16), index=True)
    reason: Mapped[str | None]
    again: Mapped[bool]
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="SET NULL"), index=True)
    max_pages: Mapped[int]
    max_depth: Mapped[int]
    found: Mapped[int] = mapped_column(default=0)
    looked_at: Mapped[int] = mapped_column(default=0)
    new: Mapped[int] = mapped_column(default=0)
    unchanged: Mapped[int] = mapped_column(default=0)
    left_out: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    active_s: Mapped[float] = mapped_column(default=0.0)
    running_since: Mapped[datetime | None]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class LinkRow(Table, name="links"):
    """A URL seen on a page, in a sitemap or in a feed."""

    __table_args__ = (UniqueConstraint("from_url", "url"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site: Mapped[str] = mapped_column(String(300), index=True)
    from_url: Mapped[str]
    url: Mapped[str]
    text: Mapped[str]
    context: Mapped[str]
    origin: Mapped[str] = mapped_column(String(64))
    depth: Mapped[int]
    private: Mapped[bool] = mapped_column(default=False)  #: seen only where private questions had it read
    seen_at: Mapped[datetime]


class SourceRow(Table, name="sources"):
    """A site the operator chose to read; ``own`` lets its address be private, ``paused`` keeps its schedule unused."""

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str] = mapped_column(unique=True)
    own: Mapped[bool]
    min_delay_s: Mapped[float | None]
    every_s: Mapped[float | None]
    cron: Mapped[str | None] = mapped_column(String(100))
    zone: Mapped[str] = mapped_column(String(64), default="UTC")
    paused: Mapped[bool] = mapped_column(default=False)
    include: Mapped[list[Any] | None]
    exclude: Mapped[list[Any] | None]
    select: Mapped[list[Any] | None]
    drop: Mapped[list[Any] | None]
    depth: Mapped[int | None]
    callback_url: Mapped[str | None]
    page_only: Mapped[bool] = mapped_column(default=False)
    ignore_robots: Mapped[bool] = mapped_column(default=False)
    access: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  #: secret
    next_due: Mapped[datetime | None]
    created_at: Mapped[datetime]


class RedirectRow(Table, name="redirects"):
    """Where a site's front page redirects; its pages are there."""

    url: Mapped[str] = mapped_column(primary_key=True)
    to_url: Mapped[str] = mapped_column(index=True)


class HostRow(Table, name="hosts"):
    """One origin: its robots.txt, its delay between requests, when pages of it are due again."""

    origin: Mapped[str] = mapped_column(String(300), primary_key=True)
    robots: Mapped[bytes]
    robots_status: Mapped[int]
    robots_at: Mapped[datetime | None]
    delay_s: Mapped[float | None]
    refresh_at: Mapped[datetime | None] = mapped_column(index=True)


class IndexState(StrEnum):
    """The state of a page in the knowledge base."""

    FETCHED = "FETCHED"  #: not yet
    INDEXED = "INDEXED"
    FAILED = "FAILED"


class PageRow(Leased, Table, name="pages"):
    """A fetched, extracted document; ``state`` says whether the knowledge base holds this text yet."""

    __table_args__ = (
        Index("ix_pages_work", "state", "due_at"),
        Index("ix_pages_due", "host", "next_due", "id"),
        Index("ix_pages_twin", "host", "content_hash"),
        Index("ix_pages_canonical", "host", "canonical_url"),
        # of the few: with the public ones, SQLite would rather go through all of these than by another index
        Index("ix_pages_private", "private", sqlite_where=text("private = 1"), postgresql_where=text("private")),
        *(Index(f"ix_pages_band_{at}", "host", f"band_{at}") for at in range(4)),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str] = mapped_column(unique=True)
    host: Mapped[str] = mapped_column(String(300))
    title: Mapped[str]
    text: Mapped[str]
    lang: Mapped[str] = mapped_column(String(8))
    headings: Mapped[list[Any]]
    blocks: Mapped[list[Any]] = mapped_column(default=list)
    places: Mapped[list[Any]] = mapped_column(default=list)
    missing: Mapped[list[Any]] = mapped_column(default=list)  #: what of a document could not be read
    published: Mapped[datetime | None]
    modified: Mapped[datetime | None]
    etag: Mapped[str]
    last_modified: Mapped[str]
    content_hash: Mapped[str] = mapped_column(String(64))
    body_hash: Mapped[str] = mapped_column(String(64), default="")
    generation: Mapped[int]
    state: Mapped[str] = mapped_column(String(16))
    depth: Mapped[int]
    read_at: Mapped[datetime] = mapped_column(index=True)
    checked_at: Mapped[datetime]
    next_due: Mapped[datetime]
    interval_s: Mapped[float]
    indexed_at: Mapped[datetime | None] = mapped_column(index=True)  #: when the knowledge base took this text
    gone_at: Mapped[datetime | None] = mapped_column(index=True)
    missed_as: Mapped[str] = mapped_column(String(16), default="")  #: why the last look did not read it; "" if it did
    missed_at: Mapped[datetime | None]  #: the first of the looks in a row that failed, or that found no page
    deleted_at: Mapped[datetime | None]  #: emptied, until its passages are erased
    is_hub: Mapped[bool] = mapped_column(default=False)
    private: Mapped[bool] = mapped_column(default=False)  #: serves only the questions that had it read
    shared_at: Mapped[datetime | None] = mapped_column(index=True)  #: when a private page became public
    fetched_by: Mapped[str] = mapped_column(String(16), default="")  #: the paid service that did
    canonical_url: Mapped[str] = mapped_column(default="")  #: another one, as the page names it
    duplicate_of: Mapped[int | None] = mapped_column(index=True)  #: the page that represents this one
    band_0: Mapped[int | None]  #: of the text's fingerprint (store.pages.duplicates)
    band_1: Mapped[int | None]
    band_2: Mapped[int | None]
    band_3: Mapped[int | None]
    tags: Mapped[list[Any]] = mapped_column(default=list)  #: of a document that a program pushed (domain.filters)
    characters: Mapped[int | None]  #: of the text; None: an earlier version wrote it

    @validates("text")
    def _count(self, _: str, text: str) -> str:
        self.characters = len(text)
        return text


class PrivateReadRow(Table, name="private_reads"):
    """A URL (page, sitemap or feed) that was read for a private question: it may see what is private there."""

    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(primary_key=True)


class PageCheckRow(Table, name="page_checks"):
    """The result of a visit to a page; equal results in a row are one row with a count."""

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    outcome: Mapped[str] = mapped_column(String(16))
    status: Mapped[int | None]
    content_hash: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str]
    times: Mapped[int]
    first_at: Mapped[datetime]
    last_at: Mapped[datetime]


class PageVersionRow(Table, name="page_versions"):
    """A text that a page had before its present one."""

    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    text: Mapped[str]
    content_hash: Mapped[str] = mapped_column(String(64))
    published: Mapped[datetime | None]
    read_at: Mapped[datetime]


class EntityRow(Table, name="entities"):
    """A named thing, under the one spelling by which its name is compared."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)


class MentionRow(Table, name="mentions"):
    """A mention of an entity in a passage, or a page whose title names it (``ord`` −1)."""

    __table_args__ = (Index("ix_mentions_page", "page_id", "ord"), {"sqlite_with_rowid": False})

    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
    ord: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)
    private: Mapped[bool] = mapped_column(default=False)  #: its page was private when it was indexed


class FactRow(Table, name="facts"):
    """Subject–predicate–object read from a page, with the span that states it."""

    __table_args__ = (Index("ix_facts_subject", "subject_folded"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    subject: Mapped[str]
    subject_folded: Mapped[str] = mapped_column(String(300))
    predicate: Mapped[str]
    object: Mapped[str]
    start: Mapped[int | None]
    end: Mapped[int | None]


class FolderRow(Table, name="folders"):
    """A folder whose files are read; only this table knows where on this machine it is."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    path: Mapped[str] = mapped_column(unique=True)
    every_s: Mapped[float]
    next_due: Mapped[datetime] = mapped_column(index=True)
    problem: Mapped[str | None]
    #: its disk and inode, or its commit, when it was last looked through
    seen_as: Mapped[str] = mapped_column(String(64), default="")
    checked_at: Mapped[datetime | None]
    link: Mapped[str] = mapped_column(default="")  #: what citations of its files begin with
    access: Mapped[dict[str, str]] = mapped_column(StorableJson, default=dict)  #: secret
    created_at: Mapped[datetime]


class FileRow(Table, name="files"):
    """A file that was uploaded, or found in a watched folder; its page has its address as URL."""

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(unique=True)
    folder_id: Mapped[int | None] = mapped_column(ForeignKey("folders.id", ondelete="CASCADE"), index=True)
    path: Mapped[str]  #: in its folder, as the disk writes it
    size: Mapped[int] = mapped_column(BigInteger)  #: bytes
    changed_ns: Mapped[int | None] = mapped_column(BigInteger)  #: as the disk says, or what stands for another mark
    content: Mapped[bytes | None] = mapped_column(LargeBinary)  #: of an upload or a repository's, until it is read
    version: Mapped[int] = mapped_column(default=1)  #: counts the contents under this name
    left_out: Mapped[bool] = mapped_column(default=False)  #: deleted here, though its folder still has it
    added_at: Mapped[datetime]


class DocumentRow(Table, name="documents"):
    """A document that a program pushed, under the program's own id; its text is that of its page."""

    id: Mapped[str] = mapped_column(String(255), primary_key=True)
    page_id: Mapped[int | None] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), unique=True)
    pushed_hash: Mapped[str] = mapped_column(String(64), default="")  #: of all that was sent
    fields: Mapped[dict[str, Any]] = mapped_column(StorableJson, default=dict)  #: metadata
    added_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class DocumentValueRow(Table, name="document_values"):
    """A value in a document's metadata; a list has several."""

    __table_args__ = (
        Index("ix_document_values_text", "name", "value"),
        Index("ix_document_values_number", "name", "number", "value"),
        {"sqlite_with_rowid": False},
    )

    document_id: Mapped[str] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[float | None]


class CollectionRow(Table, name="collections"):
    """A collection other than the default one. Its id is never used again; what is in it is stored under that id."""

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    exclude_sites: Mapped[list[Any]] = mapped_column(default=list)
    weight: Mapped[float] = mapped_column(default=1.0)  #: of its work beside that of others
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  #: kept for a while: what a late worker writes is erased too


class ApiKeyRow(Table, name="api_keys"):
    """A key of the API: of its secret only the hash."""

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    collections: Mapped[list[Any] | None]  #: ids; null: all, also those to come
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    limits: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))  #: KeyLimits, those given
    callback_hosts: Mapped[list[Any] | None] = mapped_column(StorableJson(none_as_null=True))


class UsageRow(Table, name="usage"):
    """What the questions of one owner used on one day (UTC)."""

    owner: Mapped[str] = mapped_column(String(80), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)  #: as 2026-01-31
    questions: Mapped[int] = mapped_column(default=0)
    pages: Mapped[int] = mapped_column(default=0)
    tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    usd: Mapped[float] = mapped_column(default=0.0)
