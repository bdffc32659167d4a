"""What the rows say came of questions: which were lost, which have not ended, what was recorded or done twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain import FINAL, Status
from store.sql.database import Database, DatabaseError
from store.sql.tables import AnswerRow, QuestionRow, StepRow, WebhookRow, WebhookStatus

#: the steps that are claimed before they are done
STEPS = ("retrieve", "retry", "seek", "requery")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of the questions that were taken."""

    taken: int
    by_status: dict[str, int]
    missing: int  #: that have no row
    rows_twice: int  #: rows that nobody asked for
    answers_twice: int  #: questions with more or less than the one final answer of their end
    steps_twice: int  #: steps of one pass that are recorded again
    webhooks_twice: int  #: questions with another number of deliveries than one
    webhooks_waiting: int
    steps: int

    @property
    def lost(self) -> int:
        """Questions that ended without a result, or are not there."""
        return self.missing + self.by_status.get(Status.FAILED, 0) + self.by_status.get(Status.TIMED_OUT, 0)

    @property
    def open(self) -> int:
        """Questions that have not ended."""
        return sum(count for status, count in self.by_status.items() if Status(status) not in FINAL)

    @property
    def duplicated(self) -> int:
        """What is recorded more often than it happened."""
        return self.rows_twice + self.answers_twice + self.steps_twice + self.webhooks_twice


def count(session: Session, ids: Collection[str]) -> Outcome:
    """Count what is recorded of the questions; nothing else was asked of this database."""
    by_status = _pairs(session, select(QuestionRow.status, func.count()).group_by(QuestionRow.status))
    there = dict(session.execute(select(QuestionRow.id, QuestionRow.status)).all())
    finals = _pairs(
        session,
        select(AnswerRow.question_id, func.count()).where(~AnswerRow.provisional).group_by(AnswerRow.question_id),
    )
    answered = {question for question, status in there.items() if status in (Status.ANSWERED, Status.ABSTAINED)}
    webhooks = _pairs(session, select(WebhookRow.question_id, func.count()).group_by(WebhookRow.question_id))
    in_order = select(StepRow.question_id, StepRow.name).where(StepRow.name.in_(STEPS)).order_by(StepRow.id)
    steps = select(func.count()).where(StepRow.name.in_(STEPS))
    waiting = select(func.count()).where(WebhookRow.status == WebhookStatus.WAITING)
    return Outcome(
        taken=len(ids),
        by_status=by_status,
        missing=len(set(ids) - there.keys()),
        rows_twice=len(there.keys() - set(ids)),
        answers_twice=sum(finals.get(question, 0) != 1 for question in answered),
        steps_twice=_twice([(question, name) for question, name in session.execute(in_order)]),
        webhooks_twice=sum(number > 1 for number in webhooks.values()),
        webhooks_waiting=session.scalar(waiting) or 0,
        steps=session.scalar(steps) or 0,
    )


def count_open(database: Database) -> int | None:
    """Return how many questions have not ended; None while the database does not answer."""
    try:
        with database.read() as session:
            query = select(func.count()).where(QuestionRow.status.not_in(FINAL))
            return session.scalar(query) or 0
    except DatabaseError:
        return None


def _twice(steps: Sequence[tuple[str, str]]) -> int:
    """Return how many steps follow one of the same name: of one question, another one is due after each."""
    last, twice = dict[str, str](), 0
    for question, name in steps:
        twice += last.get(question) == name
        last[question] = name
    return twice


def _pairs(session: Session, query: object) -> dict[str, int]:
    return {str(name): int(number) for name, number in session.execute(query).all()}  # type: ignore[call-overload]
