"""The tables of answers: their evidence, their watches, and their readers' feedback."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import StorableJson, Table


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
    structured: Mapped[dict[str, Any] | None] = mapped_column(StorableJson(none_as_null=True))
    related: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")  #: questions to ask next
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
    """A reader's feedback on one revision of an answer, with the features of the question at that time."""

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
