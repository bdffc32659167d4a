"""The tables of questions and answers: their state, threads, steps and deliveries, and what is learned from them."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Leased, StorableJson, Table


class QuestionRow(Leased, Table):
    """A question and its state."""

    __tablename__ = "questions"
    __table_args__ = (
        Index("ix_questions_work", "status", "due_at"),
        Index("ix_questions_equal", "equal_key", "status"),
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
    owner: Mapped[str | None] = mapped_column(String(80), index=True)  #: whose key asked it; None: an operator's
    created_at: Mapped[datetime] = mapped_column(index=True)
    updated_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class ThreadRow(Table):
    """Questions that are asked one after the other, each understood from those before it."""

    __tablename__ = "threads"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    title: Mapped[str]
    folded: Mapped[str]  #: the title, to be searched
    owner: Mapped[str | None] = mapped_column(String(80), index=True)  #: of its questions
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime] = mapped_column(index=True)


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


class RequestState(StrEnum):
    """How far a request is that waits for a batch."""

    WAITING = "WAITING"
    SENDING = "SENDING"  #: the service may have it
    SENT = "SENT"
    REPLIED = "REPLIED"
    SINGLE = "SINGLE"  #: no batch replied to it: it is to be asked by itself
    DROPPED = "DROPPED"  #: it was sent, and its step is over: only what it costs is of interest


class BatchedRequestRow(Table):
    """A request to a model that goes into a batch, and its reply, until the step that made it is over."""

    __tablename__ = "batched_requests"

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


class WebhookRow(Leased, Table):
    """One delivery to a caller."""

    __tablename__ = "webhooks"
    __table_args__ = (
        Index("ix_webhooks_work", "status", "due_at"),
        Index("ix_webhooks_question", "question_id", "status"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"), index=True)
    url: Mapped[str]
    event: Mapped[str] = mapped_column(String(32))
    status: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime]
    delivered_at: Mapped[datetime | None]


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
