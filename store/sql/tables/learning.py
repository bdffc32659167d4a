"""The tables of learning: variants that were paid for, their success, and the learned versions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Table


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
    """Counts of a kind of variant for a type of question: trials, and trials that earned a citation."""

    __tablename__ = "variant_tallies"

    question_type: Mapped[str] = mapped_column(String(16), primary_key=True)
    kind: Mapped[str] = mapped_column(String(24), primary_key=True)
    tried: Mapped[int]
    rewarded: Mapped[int]


class LearnedRow(Table):
    """A learned version; at most one of a kind and an embedder is active, and the shipped one is used where none is."""

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
    """The last try at learning a kind; ``held`` stops learning after an operator's rollback."""

    __tablename__ = "learning"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    embedder: Mapped[str] = mapped_column(String(200), primary_key=True)
    held: Mapped[bool]
    tried_at: Mapped[datetime | None]
    said: Mapped[str]
