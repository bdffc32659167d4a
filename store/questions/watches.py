"""Store watches: a watched question is asked again when its evidence changes, and each new answer is notified once."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, aliased

from domain import Status
from domain.flow import COMPLETED
from domain.record import Watch
from store.questions import answers, webhooks
from store.sql.rows import to_value, update_rows
from store.sql.tables import AnswerRow, EvidenceRow, IndexState, PageRow, QuestionRow, WatchRow

#: the webhook's and the event's name
CHANGED = "question.changed"
#: an honest "not known" is asked again when something was read, but not more often than this
UNKNOWN_AGAIN = timedelta(minutes=10)


def add(session: Session, question_id: str, callback_url: str, now: datetime) -> None:
    """Watch a question from its latest final answer on; watching it again changes the callback URL."""
    row = session.get(WatchRow, question_id, with_for_update=True)
    if row is not None:
        row.callback_url = callback_url or row.callback_url
        return
    known = select(func.max(AnswerRow.revision)).where(AnswerRow.question_id == question_id, ~AnswerRow.provisional)
    watch = {"callback_url": callback_url or None, "told_revision": session.scalar(known)}
    session.add(WatchRow(question_id=question_id, created_at=now, **watch))
    session.flush()


def remove(session: Session, question_id: str) -> bool:
    """Stop watching a question; return whether it was watched."""
    row = session.get(WatchRow, question_id, with_for_update=True)
    if row is not None:
        session.delete(row)
    return row is not None


def find(session: Session, question_id: str) -> Watch | None:
    """Return the watch of one question."""
    return next(iter(_watches(session, WatchRow.question_id == question_id)), None)


def list_all(session: Session, owner: str | None = None) -> list[Watch]:
    """Return the watches of an owner's questions (None: all), oldest first."""
    return _watches(session) if owner is None else _watches(session, QuestionRow.owner == owner)


def record_changes(session: Session, ended: Sequence[QuestionRow], now: datetime) -> None:
    """Compare the final answers of questions with those their watchers know, and add a delivery where they differ.

    Called in the transaction that ends the questions: so a change is delivered once, whichever process dies when.
    """
    answered = {row.id: row for row in ended if row.status in COMPLETED}
    for watch in session.scalars(_WATCHES_OF, {"questions": list(answered)}).all():
        _record_change(session, watch, answered[watch.question_id], now)


_WATCHES_OF = select(WatchRow).where(WatchRow.question_id.in_(bindparam("questions", expanding=True))).with_for_update()


def _record_change(session: Session, watch: WatchRow, question: QuestionRow, now: datetime) -> None:
    final = answers.last(session, question.id)
    if final is None or final.provisional:
        return
    known = answers.at_revision(session, question.id, watch.told_revision) if watch.told_revision else None
    watch.told_revision = final.revision
    if known is None or not differ(known, final):
        return
    watch.changed_at = now
    webhooks.add(session, question, CHANGED, now, url=watch.callback_url or "")


def differ(one: AnswerRow, other: AnswerRow) -> bool:
    """Return whether two answers say, or cite, something else; the position of a quote on its page does not count."""
    return one.text != other.text or _cited(one) != _cited(other)


def just_changed(session: Session, question_id: str) -> list[str]:
    """Return those of an ended question and its followers whose watchers have another answer to learn of."""
    mine = (QuestionRow.id == question_id) | (QuestionRow.leader_id == question_id)
    query = select(WatchRow.question_id).join(QuestionRow, QuestionRow.id == WatchRow.question_id)
    return list(session.scalars(query.where(mine, WatchRow.changed_at == QuestionRow.finished_at)))


def owners(session: Session) -> set[str]:
    """Return whose questions are watched."""
    watched = select(QuestionRow.owner).select_from(WatchRow)
    query = watched.outerjoin(QuestionRow, QuestionRow.id == WatchRow.question_id).distinct()
    return {owner for owner in session.scalars(query) if owner is not None}


def due(session: Session, question_id: str = "", *, not_of: Collection[str] = ()) -> list[str]:
    """Return the watched questions (or only that one) with a stale answer whose evidence is all indexed.

    Those of the owners ``not_of`` are left out.
    """
    stale = {
        each.answer_id: each.question_id
        for each in _latest(session, question_id)
        if each.status in COMPLETED and each.stale_at is not None and each.owner not in not_of
    }
    cited = select(EvidenceRow.answer_id).join(PageRow, PageRow.id == EvidenceRow.page_id)
    waits = cited.where(EvidenceRow.answer_id.in_(stale), PageRow.state == IndexState.FETCHED)
    waiting = set(session.scalars(waits)) if stale else set()
    return [question_id for answer_id, question_id in stale.items() if answer_id not in waiting]


def unknown_outdated(session: Session, now: datetime) -> list[int]:
    """Return the answers "not known" of watched questions on whose sites something was read since."""
    known = (each for each in _latest(session) if each.status == Status.ABSTAINED and each.stale_at is None)
    unknown = [each for each in known if each.created_at < now - UNKNOWN_AGAIN]
    if not unknown or not answers.read_since(session, min(each.created_at for each in unknown)):
        return []
    return [
        each.answer_id
        for each in unknown
        if answers.read_since(session, each.created_at, session.get_one(QuestionRow, each.question_id))
    ]


def outdate(session: Session, answer_ids: Sequence[int], now: datetime) -> None:
    """Mark answers stale."""
    update_rows(session, AnswerRow, AnswerRow.id.in_(answer_ids), AnswerRow.stale_at.is_(None), stale_at=now)


def _latest(session: Session, question_id: str = "") -> Sequence[Any]:
    """Return the latest answer, where it is stale or "not known", of each watched question, or only of that one.

    It starts from the watches and looks up the rest by key: outer joins keep every database to that order, which would
    else go through all the questions that were ever answered.
    """
    each = aliased(AnswerRow)
    latest = select(func.max(each.revision)).where(each.question_id == WatchRow.question_id).scalar_subquery()
    columns = (QuestionRow.status, QuestionRow.owner, AnswerRow.stale_at, AnswerRow.created_at)
    query = (
        select(WatchRow.question_id, AnswerRow.id.label("answer_id"), *columns)
        .outerjoin(QuestionRow, QuestionRow.id == WatchRow.question_id)
        .outerjoin(AnswerRow, (AnswerRow.question_id == WatchRow.question_id) & (AnswerRow.revision == latest))
        .where(AnswerRow.stale_at.is_not(None) | (QuestionRow.status == Status.ABSTAINED))
        .order_by(WatchRow.created_at)
    )
    found = session.execute(query.where(WatchRow.question_id == question_id) if question_id else query)
    return [row for row in found if row.answer_id is not None]


def _cited(answer: AnswerRow) -> list[tuple[str, str]]:
    return [(citation["url"], citation["quote"]) for citation in answer.citations]


def _watches(session: Session, *where: object) -> list[Watch]:
    query = select(WatchRow, QuestionRow).join(QuestionRow, QuestionRow.id == WatchRow.question_id)
    rows = session.execute(query.where(*where).order_by(WatchRow.created_at))  # type: ignore[arg-type]
    return [to_value(Watch, watch, question=question.text, status=Status(question.status)) for watch, question in rows]
