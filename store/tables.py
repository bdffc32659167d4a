"""The SQL tables: the truth about every question, page and piece of work.

Rows that wait for work carry a lease (:class:`Leased`): a message only says "look", the row says whether there is
anything to do. Times are UTC and timezone-aware on the way in and out, on SQLite and PostgreSQL alike.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware time kept as UTC; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware time into UTC (without its zone on SQLite, which keeps none)."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no timezone; every stored time is UTC")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Table(DeclarativeBase):
    """What every table is made from."""

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
        str: Text,
        dict[str, Any]: JSON,
        list[Any]: JSON,
    }


class Leased:
    """A row that waits for work: who works on it until when, how often it was tried, when it is due."""

    attempts: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    lease_by: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    error: Mapped[str | None]


class QuestionRow(Leased, Table):
    """What was asked and where it stands."""

    __tablename__ = "questions"
    __table_args__ = (
        Index("ix_questions_work", "status", "due_at"),
        Index("ix_questions_equal", "equal_key", "status"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    text: Mapped[str]
    lang: Mapped[str] = mapped_column(String(8), default="")
    status: Mapped[str] = mapped_column(String(16))
    strategy: Mapped[str] = mapped_column(String(32), default="")
    sites: Mapped[list[Any]] = mapped_column(default=list)
    langs: Mapped[list[Any]] = mapped_column(default=list)
    crawl_enabled: Mapped[bool] = mapped_column(default=True)
    max_age_s: Mapped[int | None]
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
    idempotency_key: Mapped[str | None] = mapped_column(String(255), unique=True)
    fingerprint: Mapped[str] = mapped_column(String(64), default="")
    equal_key: Mapped[str] = mapped_column(String(64), default="")
    reuse: Mapped[bool] = mapped_column(default=True)
    leader_id: Mapped[str | None] = mapped_column(String(32), index=True)
    cached_from: Mapped[str | None] = mapped_column(String(32))
    round: Mapped[int] = mapped_column(default=0)
    asked_again_at: Mapped[datetime | None]
    callback_url: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(index=True)
    updated_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class StepRow(Table):
    """One finished step of a question: the trace."""

    __tablename__ = "steps"

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(32))
    cycle: Mapped[int]
    attempt: Mapped[int]
    outcome: Mapped[str] = mapped_column(String(32))
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime]
    detail: Mapped[dict[str, Any]]


class AnswerRow(Table):
    """One revision of a question's answer."""

    __tablename__ = "answers"
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
    verdict: Mapped[dict[str, Any]]
    cost: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    stale_at: Mapped[datetime | None] = mapped_column(index=True)


class EvidenceRow(Table):
    """A page that a final answer cites, and what it said then; no foreign key: one that is missing must be missed."""

    __tablename__ = "evidence"

    answer_id: Mapped[int] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True)
    page_id: Mapped[int] = mapped_column(primary_key=True, index=True)
    content_hash: Mapped[str] = mapped_column(String(64))


class WatchRow(Table):
    """A question that is asked again when its evidence changes; ``told_revision`` is the answer its watcher knows."""

    __tablename__ = "watches"

    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), primary_key=True)
    callback_url: Mapped[str | None]
    told_revision: Mapped[int | None]
    changed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class FeedbackRow(Table):
    """What a reader said of one revision of an answer, with what was known of the question when it was given."""

    __tablename__ = "feedback"
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


class CandidateRow(Leased, Table):
    """A URL to read: for a question, for the reading of a whole site, or for neither when a page is read again."""

    __tablename__ = "candidates"
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


class PageRow(Leased, Table):
    """A fetched, extracted document; ``state`` says whether the knowledge base holds this text yet."""

    __tablename__ = "pages"
    __table_args__ = (
        Index("ix_pages_work", "state", "due_at"),
        Index("ix_pages_due", "host", "next_due", "id"),
        Index("ix_pages_twin", "host", "content_hash"),
        Index("ix_pages_canonical", "host", "canonical_url"),
        *(Index(f"ix_pages_band_{at}", "host", f"band_{at}") for at in range(4)),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str] = mapped_column(unique=True)
    host: Mapped[str] = mapped_column(String(300))
    title: Mapped[str]
    text: Mapped[str]
    lang: Mapped[str] = mapped_column(String(8))
    headings: Mapped[list[Any]]
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
    gone_at: Mapped[datetime | None]
    is_hub: Mapped[bool] = mapped_column(default=False)
    canonical_url: Mapped[str] = mapped_column(default="")  #: another one, as the page names it
    duplicate_of: Mapped[int | None] = mapped_column(index=True)  #: the page that stands for this one
    band_0: Mapped[int | None]  #: of the text's fingerprint (store.simhash)
    band_1: Mapped[int | None]
    band_2: Mapped[int | None]
    band_3: Mapped[int | None]


class PageCheckRow(Table):
    """What was found when a page was looked at; the same finding many times in a row is one row, counted."""

    __tablename__ = "page_checks"

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    outcome: Mapped[str] = mapped_column(String(16))
    status: Mapped[int | None]
    content_hash: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str]
    times: Mapped[int]
    first_at: Mapped[datetime]
    last_at: Mapped[datetime]


class SiteReadRow(Table):
    """The reading of a whole site: what it is bound to, and how far it has come."""

    __tablename__ = "site_reads"

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


class LinkRow(Table):
    """A URL seen on a page, in a sitemap or in a feed."""

    __tablename__ = "links"
    __table_args__ = (UniqueConstraint("from_url", "url"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site: Mapped[str] = mapped_column(String(300), index=True)
    from_url: Mapped[str]
    url: Mapped[str]
    text: Mapped[str]
    context: Mapped[str]
    origin: Mapped[str] = mapped_column(String(64))
    depth: Mapped[int]
    seen_at: Mapped[datetime]


class EntityRow(Table):
    """A named thing, under the one spelling its name compares by."""

    __tablename__ = "entities"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)


class MentionRow(Table):
    """Where an entity is named: in a passage, or by a page that bears the name (``ord`` −1)."""

    __tablename__ = "mentions"
    __table_args__ = (Index("ix_mentions_page", "page_id", "ord"), {"sqlite_with_rowid": False})

    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
    ord: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)


class FactRow(Table):
    """Subject–predicate–object read from a page, with the span that says so."""

    __tablename__ = "facts"
    __table_args__ = (Index("ix_facts_subject", "subject_folded"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    subject: Mapped[str]
    subject_folded: Mapped[str] = mapped_column(String(300))
    predicate: Mapped[str]
    object: Mapped[str]
    start: Mapped[int | None]
    end: Mapped[int | None]


class SourceRow(Table):
    """A site the operator chose to read; ``own`` lets its address be private."""

    __tablename__ = "sources"

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str] = mapped_column(unique=True)
    own: Mapped[bool]
    min_delay_s: Mapped[float | None]
    every_s: Mapped[float | None]
    cron: Mapped[str | None] = mapped_column(String(100))
    zone: Mapped[str] = mapped_column(String(64), default="UTC")
    next_due: Mapped[datetime | None]
    created_at: Mapped[datetime]


class HostRow(Table):
    """What is known of one origin: its robots.txt, how fast it may be asked, when pages of it are due again."""

    __tablename__ = "hosts"

    origin: Mapped[str] = mapped_column(String(300), primary_key=True)
    robots: Mapped[bytes]
    robots_status: Mapped[int]
    robots_at: Mapped[datetime | None]
    delay_s: Mapped[float | None]
    refresh_at: Mapped[datetime | None] = mapped_column(index=True)


class WebhookRow(Leased, Table):
    """One delivery owed to a caller."""

    __tablename__ = "webhooks"

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    url: Mapped[str]
    event: Mapped[str] = mapped_column(String(32))
    status: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime]
    delivered_at: Mapped[datetime | None]


class VariantsRow(Table):
    """Variants that were paid for: the cache."""

    __tablename__ = "variants"

    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    question: Mapped[str]
    lang: Mapped[str] = mapped_column(String(8))
    maker: Mapped[str]
    count: Mapped[int]
    variants: Mapped[list[Any]]
    made_at: Mapped[datetime] = mapped_column(index=True)


class VariantTallyRow(Table):
    """How often a kind of variant was tried for a type of question, and how often that earned a citation."""

    __tablename__ = "variant_tallies"

    question_type: Mapped[str] = mapped_column(String(16), primary_key=True)
    kind: Mapped[str] = mapped_column(String(24), primary_key=True)
    tried: Mapped[int]
    rewarded: Mapped[int]


class LearnedRow(Table):
    """One version of what was learned; of a kind and an embedder at most one is active, without any what is shipped."""

    __tablename__ = "learned"
    __table_args__ = (UniqueConstraint("kind", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    number: Mapped[int]
    embedder: Mapped[str] = mapped_column(String(200))
    parameters: Mapped[dict[str, Any]]
    metrics: Mapped[dict[str, Any]]
    examples: Mapped[int]
    active: Mapped[bool]
    created_at: Mapped[datetime]


class LearningRow(Table):
    """What learning last came to; ``held`` leaves a kind as an operator put it back."""

    __tablename__ = "learning"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    embedder: Mapped[str] = mapped_column(String(200), primary_key=True)
    held: Mapped[bool]
    tried_at: Mapped[datetime | None]
    said: Mapped[str]
