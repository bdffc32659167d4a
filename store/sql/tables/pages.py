"""The tables of collections, of pages, of the visits to them, and of the names and facts in them; API keys."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Leased, Table


class IndexState(StrEnum):
    """The state of a page in the knowledge base."""

    FETCHED = "FETCHED"  #: not yet
    INDEXED = "INDEXED"
    FAILED = "FAILED"


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
    private: Mapped[bool] = mapped_column(default=False, index=True)  #: serves only the questions that had it read
    shared_at: Mapped[datetime | None] = mapped_column(index=True)  #: when a private page became public
    canonical_url: Mapped[str] = mapped_column(default="")  #: another one, as the page names it
    duplicate_of: Mapped[int | None] = mapped_column(index=True)  #: the page that stands for this one
    band_0: Mapped[int | None]  #: of the text's fingerprint (store.pages.duplicates)
    band_1: Mapped[int | None]
    band_2: Mapped[int | None]
    band_3: Mapped[int | None]


class PrivateReadRow(Table):
    """A URL (page, sitemap or feed) that was read for a private question: it may see what is private there."""

    __tablename__ = "private_reads"

    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(primary_key=True)


class PageCheckRow(Table):
    """The result of a visit to a page; equal results in a row are one row with a count."""

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


class PageVersionRow(Table):
    """A text that a page had before its present one."""

    __tablename__ = "page_versions"

    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    text: Mapped[str]
    content_hash: Mapped[str] = mapped_column(String(64))
    published: Mapped[datetime | None]
    read_at: Mapped[datetime]


class EntityRow(Table):
    """A named thing, under the one spelling by which its name is compared."""

    __tablename__ = "entities"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)


class MentionRow(Table):
    """A mention of an entity in a passage, or a page whose title names it (``ord`` −1)."""

    __tablename__ = "mentions"
    __table_args__ = (Index("ix_mentions_page", "page_id", "ord"), {"sqlite_with_rowid": False})

    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
    ord: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)
    private: Mapped[bool] = mapped_column(default=False)  #: its page was private when it was indexed


class FactRow(Table):
    """Subject–predicate–object read from a page, with the span that states it."""

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


class FolderRow(Table):
    """A folder of this machine whose files are read; only this table knows where it is."""

    __tablename__ = "folders"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    path: Mapped[str] = mapped_column(unique=True)
    every_s: Mapped[float]
    next_due: Mapped[datetime] = mapped_column(index=True)
    problem: Mapped[str | None]
    seen_as: Mapped[str] = mapped_column(String(64), default="")  #: its disk and inode when it was last looked through
    created_at: Mapped[datetime]


class FileRow(Table):
    """A file that was uploaded, or found in a watched folder; its page has its address as URL."""

    __tablename__ = "files"

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(unique=True)
    folder_id: Mapped[int | None] = mapped_column(ForeignKey("folders.id", ondelete="CASCADE"), index=True)
    path: Mapped[str]  #: in its folder, as the disk writes it
    size: Mapped[int] = mapped_column(BigInteger)  #: bytes
    changed_ns: Mapped[int | None] = mapped_column(BigInteger)  #: as the disk says, of a file in a folder
    content: Mapped[bytes | None] = mapped_column(LargeBinary)  #: of an upload, until it is read
    version: Mapped[int] = mapped_column(default=1)  #: counts the uploads under this name
    left_out: Mapped[bool] = mapped_column(default=False)  #: deleted here, though its folder still has it
    added_at: Mapped[datetime]


class CollectionRow(Table):
    """A collection beside the default one. Its id is never used again; what is in it is stored under that id."""

    __tablename__ = "collections"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    exclude_sites: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  #: kept for a while: what a late worker writes is erased too


class ApiKeyRow(Table):
    """A key of the API: of its secret only the hash."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    collections: Mapped[list[Any] | None]  #: ids; null: all, also those to come
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
