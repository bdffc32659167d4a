"""The tables of the knowledge graph: named things, where they are named, and what is said of them."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Table


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
