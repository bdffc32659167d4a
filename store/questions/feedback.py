"""Store readers' feedback on each revision of an answer; give it to learning, and confirmed answers as examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, aliased

from domain import SolvedQuestion
from domain.errors import WellreadError
from domain.record import Feedback, FeedbackVerdict
from store.learned import correct
from store.questions import answers, trace
from store.sql.database import Database
from store.sql.rows import to_value
from store.sql.tables import AnswerRow, FeedbackRow, QuestionRow, StepRow
from text.terms import words

#: confirmed answers that are compared with a question, the latest first
LOOKED_THROUGH = 500


class NothingToJudge(WellreadError):
    """The question has no answer yet, or none with this revision."""


@dataclass(frozen=True, kw_only=True)
class LabelledAnswer:
    """A question as the judge saw it, and whether the answer was right."""

    question: str
    lang: str
    verdict: FeedbackVerdict
    features: dict[str, Any]  #: who composed the answer, and what the judge weighed
    at: datetime


def give(
    session: Session, question_id: str, verdict: FeedbackVerdict, *, comment: str, revision: int | None, now: datetime
) -> Feedback:
    """Save feedback on a revision (None: the latest); the last one counts. Raises NothingToJudge."""
    question = session.scalar(select(QuestionRow).where(QuestionRow.id == question_id).with_for_update())
    wanted = answers.last_revision(session, question_id) if revision is None else revision
    answer = answers.at_revision(session, question_id, wanted)
    if question is None or answer is None:
        raise NothingToJudge(
            f"Question {question_id} has no answer {wanted}: its record's `revision` says how many it got."
        )
    known = (FeedbackRow.question_id == question_id, FeedbackRow.revision == wanted)
    row = session.scalar(select(FeedbackRow).where(*known))
    row = row or FeedbackRow(question_id=question_id, revision=wanted, created_at=now)
    _correct_rewards(session, question, answer, before=row.verdict, after=verdict)
    row.features = {"composer": answer.composer} | {each: answer.verdict.get(each) for each in ("embedder", "evidence")}
    row.verdict, row.comment, row.updated_at = verdict, comment, now
    session.add(row)
    detail = {"revision": wanted, "comment": comment}
    trace.add(session, question, "feedback", outcome=verdict, detail=detail, started_at=now, now=now)
    session.flush()
    return to_value(Feedback, row)


def outcomes(session: Session, limit: int = 10_000) -> list[LabelledAnswer]:
    """Return the last feedback of each answer with its features, latest first: examples to train a judge."""
    query = select(FeedbackRow, QuestionRow).join(QuestionRow, QuestionRow.id == FeedbackRow.question_id)
    rows = session.execute(query.order_by(FeedbackRow.updated_at.desc()).limit(limit))
    return [
        to_value(LabelledAnswer, row, question=question.text, lang=question.lang, at=row.updated_at)
        for row, question in rows
    ]


def count_since(session: Session, since: datetime | None) -> int:
    """Count the feedback since then, or all of it."""
    query = select(func.count()).select_from(FeedbackRow)
    return session.scalar(query if since is None else query.where(FeedbackRow.updated_at > since)) or 0


class SolvedReader:
    """Finds questions whose answers readers confirmed, as examples for a model.

    Only those of the asking question's owner and of nobody in particular: others' are not for a stranger's model.
    An honest "not known" is no example, even if it was right.
    """

    def __init__(self, database: Database, question_id: str) -> None:
        self._database, self._question_id = database, question_id

    def like(self, question: str, *, lang: str, at_most: int) -> Sequence[SolvedQuestion]:
        """Return up to ``at_most`` solved questions in this language, those with most words in common first."""
        asked = set(words(question))
        ranked = sorted(self._latest(lang), key=lambda solved: -len(asked & set(words(solved.question))))
        return ranked[:at_most]

    def _latest(self, lang: str) -> list[SolvedQuestion]:
        asker = aliased(QuestionRow)
        owner = select(asker.owner).where(asker.id == self._question_id).scalar_subquery()
        judged = (AnswerRow.question_id == FeedbackRow.question_id) & (AnswerRow.revision == FeedbackRow.revision)
        query = (
            select(QuestionRow.text, AnswerRow.text, AnswerRow.citations)
            .join(FeedbackRow, FeedbackRow.question_id == QuestionRow.id)
            .join(AnswerRow, judged)
            .where(FeedbackRow.verdict == "right", QuestionRow.lang == lang, AnswerRow.stale_at.is_(None))
            .where(~QuestionRow.private, or_(QuestionRow.owner.is_(None), QuestionRow.owner == owner))
            .order_by(FeedbackRow.updated_at.desc())
            .limit(LOOKED_THROUGH)
        )
        with self._database.read() as session:
            rows = session.execute(query).all()
        return [SolvedQuestion(question=q, answer=a, lang=lang) for q, a, citations in rows if citations]


def _correct_rewards(
    session: Session, question: QuestionRow, answer: AnswerRow, *, before: str | None, after: FeedbackVerdict
) -> None:
    """Take the reward for an answer that was wrong back from the variants that found it; give it back if it is right.

    An answer that was given again was rewarded once, where it was made.
    """
    query = select(StepRow).where(StepRow.question_id == question.id, StepRow.finished_at <= answer.created_at)
    found = (step.detail for step in session.scalars(query.order_by(StepRow.id.desc())) if "top" in step.detail)
    look = next(found, {})
    was_wrong, is_wrong = before not in (None, "right"), after != "right"
    if look.get("rewards") and was_wrong != is_wrong:
        correct(session, look["question_type"], look["rewards"], by=-1 if is_wrong else 1)
