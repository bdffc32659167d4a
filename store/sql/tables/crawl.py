"""The tables of the crawl: candidates, whole sites, links, sources and hosts."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Leased, Table


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


class SiteReadRow(Table):
    """The reading of a whole site: its limits and its progress."""

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
    private: Mapped[bool] = mapped_column(default=False)  #: seen only where private questions had it read
    seen_at: Mapped[datetime]


class SourceRow(Table):
    """A site the operator chose to read; ``own`` lets its address be private, ``paused`` keeps its schedule unused."""

    __tablename__ = "sources"

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
    depth: Mapped[int | None]
    page_only: Mapped[bool] = mapped_column(default=False)
    ignore_robots: Mapped[bool] = mapped_column(default=False)
    access: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  #: secret
    next_due: Mapped[datetime | None]
    created_at: Mapped[datetime]


class RedirectRow(Table):
    """Where a site's front page redirects; its pages are there."""

    __tablename__ = "redirects"

    url: Mapped[str] = mapped_column(primary_key=True)
    to_url: Mapped[str] = mapped_column(index=True)


class HostRow(Table):
    """One origin: its robots.txt, its delay between requests, when pages of it are due again."""

    __tablename__ = "hosts"

    origin: Mapped[str] = mapped_column(String(300), primary_key=True)
    robots: Mapped[bytes]
    robots_status: Mapped[int]
    robots_at: Mapped[datetime | None]
    delay_s: Mapped[float | None]
    refresh_at: Mapped[datetime | None] = mapped_column(index=True)
