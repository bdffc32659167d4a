"""The tables of learning: variants that were paid for, their success, and recalibrations of the judge."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
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


class RecalibrationRow(Table):
    """What feedback makes of the judge's confidence in some answers, and what that was fitted to."""

    __tablename__ = "recalibrations"

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
