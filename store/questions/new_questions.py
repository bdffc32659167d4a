"""Save new questions: once for one idempotency key, with a key that equal questions share. Start them.

A question starts with the answer of an equal one, as the follower of an equal unfinished one, or by itself. An answer
is used again while no page that it cites has changed. A "not known" is used again while nothing was read since, and,
where the web may be read, only as long as a page read is fresh.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased

from domain import Budget, Question, ReadOutcome, Status
from domain.curated import OPERATOR
from domain.errors import WellreadError
from domain.flow import COMPLETED
from domain.options import DEADLINE_S, Overrides
from domain.question import Attached, Turn
from store.crawl import candidates
from store.questions import answers, shared_runs, threads, trace, watches
from store.questions.state import REFUSED, end_as, to_question
from store.sql.rows import add_missing, delete_rows, to_columns, update_rows
from store.sql.tables import AnswerRow, CandidateRow, FeedbackRow, QuestionRow, SourceRow, UtcDateTime
from text.same_question import form_of

#: asks for a thread of its own
NEW_THREAD: Final = "new"


class IdempotencyConflict(WellreadError):
    """The Idempotency-Key or the id was used before for another question: use a new one for a new question."""


@dataclass(frozen=True, kw_only=True)
class NewQuestion:
    """A question as a caller asks it."""

    text: str  #: in its asker's words
    understood: str = ""  #: as its asker wants it understood; "": as the thread tells
    thread_id: str = ""  #: "": it belongs to none, or to that of the question it follows; NEW_THREAD: it begins one
    after_id: str = ""  #: the question that it follows
    said: tuple[Turn, ...] = ()  #: what was said before it, where that is no stored thread
    attached: tuple[Attached, ...] = ()  #: the documents that it brings
    id: str = ""  #: the asker's own, 32 hexadecimal digits; "": one is made
    lang: str = ""
    strategy: str = ""
    sites: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    private: bool = False  #: new pages that it has read serve it alone
    crawl_enabled: bool = True
    max_age_s: int | None = None
    budget: Budget = field(default_factory=Budget)
    overrides: Overrides = field(default_factory=Overrides)
    answer_schema: Mapping[str, Any] | None = None  #: the form that the answer is to have
    priority: int = 0
    deadline_s: float | None = None  #: None: the usual one
    idempotency_key: str = ""
    owner: str | None = None  #: whose key asks it; only this one may see it, and operators
    callback_url: str = ""
    callback_events: tuple[str, ...] = ()  #: that are sent there; (): all
    metadata: Mapping[str, Any] = field(default_factory=dict)  #: its asker's own data
    reuse: bool = True  #: whether the answer, or the run, of an equal question may be shared
    watch: bool = False  #: whether it is asked again when its evidence changes
    by_meaning: bool = False  #: whether questions are equal that mean the same
    answer_fingerprint: str = ""  #: the models and settings that answers come from: others' answers are not shared


@dataclass(frozen=True, kw_only=True)
class Understood:
    """A new question in its thread."""

    text: str  #: what is looked up
    thread_id: str = ""
    by: str = ""  #: who says so: "asker" or "rules"; "": it is what was asked
    turns: tuple[str, ...] = ()  #: the questions that it was understood from
    said: tuple[Turn, ...] = ()  #: what it was understood from, where that is not stored
    final: bool = True  #: whether no model says otherwise later


def ask(
    session: Session, new: NewQuestion, now: datetime, understood: Understood | None = None
) -> tuple[Question, bool]:
    """Save a question; a used idempotency key or id returns the first one. Return it and whether it is new."""
    row, is_new = add(session, new, now, understood)
    return to_question(row), is_new


def add(
    session: Session, new: NewQuestion, now: datetime, understood: Understood | None = None
) -> tuple[QuestionRow, bool]:
    """Do what :func:`ask` does, and return the row."""
    question_id = new.id or uuid.uuid4().hex
    understood = understood or Understood(text=new.text)
    if new.id:
        delete_rows(session, QuestionRow, *_is_refused(new.id), QuestionRow.owner.is_not_distinct_from(new.owner))
    row = add_missing(session, QuestionRow, **_row(question_id, new, understood, now))
    if row is None:
        return _asked_before(session, new), False
    if new.watch:
        watches.add(session, question_id, "", now)
    if understood.by:
        detail: dict[str, Any] = {"turns": list(understood.turns)}
        if understood.said and not understood.final:
            detail["said"] = [asdict(turn) for turn in understood.said]
        trace.add(session, row, "understand", outcome=understood.by, detail=detail, started_at=now, now=now)
    if understood.thread_id:
        threads.asked_in(session, understood.thread_id, new.text, now, new.owner)
    return row, True


def caller(new: NewQuestion) -> str:
    """Return what is the same each time that somebody asks the same again."""
    named = new.id or new.idempotency_key or _fingerprint(new)
    return hashlib.blake2b(f"{new.owner} {named}".encode(), digest_size=16).hexdigest()


def may_be_known(session: Session, new: NewQuestion) -> bool:
    """Return whether it was asked before, or an equal one; in a thread that is not known before it is understood."""
    if new.thread_id or new.after_id or new.said:
        return True
    equal_key = _equal_key(new, Understood(text=new.understood or new.text)) if new.reuse else ""
    same = [QuestionRow.id == new.id] if new.id else []
    same += [QuestionRow.idempotency_key == _key(new)] if new.idempotency_key else []
    same += [(QuestionRow.equal_key == equal_key) & QuestionRow.cached_from.is_(None)] if equal_key else []
    return bool(same) and session.scalar(select(QuestionRow.id).where(or_(*same)).limit(1)) is not None


def is_known(session: Session, new: NewQuestion) -> bool:
    """Return whether its owner has asked a question with this id or idempotency key before."""
    named = [QuestionRow.id == new.id, QuestionRow.idempotency_key == _key(new)]
    given = [each for each, name in zip(named, (new.id, new.idempotency_key), strict=True) if name]
    mine = (QuestionRow.owner.is_not_distinct_from(new.owner), QuestionRow.fingerprint != REFUSED)
    return bool(given) and session.scalar(select(QuestionRow.id).where(or_(*given), *mine).limit(1)) is not None


def refuse(session: Session, question_id: str, text: str, owner: str | None, error: str, now: datetime) -> None:
    """Save that a question was refused, for whoever looks for it under its id; a known id stays as it is."""
    new = NewQuestion(text=text, owner=owner, deadline_s=0.0)
    refused = {"status": Status.FAILED, "error": error, "finished_at": now, "fingerprint": REFUSED, "equal_key": ""}
    row = _row(question_id, new, Understood(text=text), now) | refused
    if not add_missing(session, QuestionRow, **row):
        update_rows(session, QuestionRow, *_is_refused(question_id), error=error, updated_at=now)


def _is_refused(question_id: str) -> tuple[ColumnElement[bool], ...]:
    return QuestionRow.id == question_id, QuestionRow.fingerprint == REFUSED


def _row(question_id: str, new: NewQuestion, understood: Understood, now: datetime) -> dict[str, Any]:
    return to_columns(QuestionRow, new) | {
        "id": question_id,
        "text": understood.text,
        "asked": new.text if new.text != understood.text else None,
        "thread_id": understood.thread_id or None,
        "status": Status.ASKED,
        "budget": asdict(new.budget),
        "overrides": _own(new),
        "deadline": now + timedelta(seconds=DEADLINE_S if new.deadline_s is None else new.deadline_s),
        "idempotency_key": _key(new),
        "fingerprint": _fingerprint(new),
        "equal_key": _equal_key(new, understood),
        "callback_url": new.callback_url or None,
        "callback_events": list(new.callback_events) or None,
        "caller_metadata": dict(new.metadata) or None,
        "created_at": now,
        "updated_at": now,
        "due_at": now,
    }


def _key(new: NewQuestion) -> str | None:
    """Return the idempotency key as it is stored: two owners may use the same one for different questions."""
    if not new.idempotency_key or new.owner is None:
        return new.idempotency_key or None
    return hashlib.blake2b(f"{new.owner} {new.idempotency_key}".encode(), digest_size=32).hexdigest()


def _own(new: NewQuestion) -> dict[str, Any]:
    """Return what the question sets for itself; nothing of what it leaves to the operator."""
    return new.overrides.model_dump(mode="json", exclude_defaults=True)


def _asked_before(session: Session, new: NewQuestion) -> QuestionRow:
    """Return the question with this id or key; raise IdempotencyConflict where it, or one of two, is another one."""
    named = [QuestionRow.id == new.id]
    if new.idempotency_key:
        named.append(QuestionRow.idempotency_key == _key(new))
    known, *others = session.scalars(select(QuestionRow).where(or_(*named))).all()
    if known.owner != new.owner:
        raise IdempotencyConflict(f"The id {new.id!r} is taken: use a new one for a new question.")
    if others or known.fingerprint != _fingerprint(new) or new.id not in ("", known.id):
        what = f"id {new.id!r}" if known.id == new.id else f"Idempotency-Key {new.idempotency_key!r}"
        raise IdempotencyConflict(
            f"The {what} belongs to another question ({known.id}): use a new one for a new question."
        )
    return known


def _fingerprint(new: NewQuestion) -> str:
    fields = dict(vars(new))
    for name in ("id", "idempotency_key", "answer_fingerprint", "by_meaning", "overrides", "owner"):
        del fields[name]
    fields |= _own(new)
    fields["deadline_s"] = DEADLINE_S if new.deadline_s is None else new.deadline_s
    # keys that were given out before these existed still fit
    added_later = (
        "reuse watch langs private understood thread_id after_id said attached answer_schema callback_events".split()
    )
    for name in added_later:
        if fields[name] == getattr(NewQuestion, name):
            del fields[name]
    if not new.metadata:
        del fields["metadata"]
    text = json.dumps(fields, sort_keys=True, default=asdict)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _equal_key(new: NewQuestion, understood: Understood) -> str:
    """Return a key of all that must be equal to share an answer: not the callback, the budget or the times.

    The owner is: whoever got another owner's answer at once would know that it was asked before.
    "" for a private question: what it has read serves it alone, so its answer does too. "" also where the model has
    yet to say what is asked, unless all that it says that from is known: equal conversations ask the same.
    """
    if new.private or not (understood.final or understood.said):
        return ""
    own = (
        "text understood thread_id after_id said attached budget overrides priority deadline_s idempotency_key "
        "callback_url callback_events reuse watch private metadata by_meaning"
    ).split()
    conditions = {name: value for name, value in vars(new).items() if name not in own} | _own(new)
    if new.answer_schema is None:
        del conditions["answer_schema"]  # stored keys are made without it
    if new.owner is None:
        del conditions["owner"]  # those of nobody's questions, too
    conditions.pop("batch", None)  # the answer is the same
    conditions["made_with"] = conditions.pop("answer_fingerprint")  # the stored keys are made of this name
    if understood.final:
        text = form_of(understood.text, new.lang) if new.by_meaning else understood.text
        return shared_runs.equal_key(text, conditions)
    conditions["said"] = json.dumps([asdict(turn) for turn in understood.said])
    return shared_runs.equal_key(new.text, conditions)


#: equal questions whose answers are looked at, the latest first
LOOKED_AT = 5
#: an answer of less confidence is reused only until something is read that may answer better
SURE_FROM = 0.8
#: how long "I do not know" is reused before the web is read again
UNKNOWN_FOR = timedelta(minutes=10)


def start_from_cache_or_run(session: Session, row: QuestionRow, now: datetime) -> None:
    """Give a locked new question the answer or the run of an equal one, if it may share one."""
    if not row.reuse or not row.equal_key:
        return
    shared_runs.lock_key(session, row.equal_key)
    if (leader := shared_runs.leader_for(session, row)) is not None:
        shared_runs.join(row, leader)
        if (so_far := answers.last(session, leader.id)) is not None and so_far.provisional:
            answers.copy_to(session, so_far.id, [row.id], now)
    elif (known := _known(session, row, now)) is not None:
        answers.copy_to(session, known.answer_id, [row.id], now)
        row.cached_from, row.lang, row.missing = known.id, known.lang, known.missing
        shared_runs.understand_as(row, known)
        detail = {"from": known.id, "revision": known.revision, "hits": known.hits}
        trace.add(session, row, "reuse", outcome=known.status.lower(), detail=detail, started_at=now, now=now)
        end_as(session, [row], known, now)


def _known(session: Session, row: QuestionRow, now: datetime) -> Row[Any] | None:
    """Return an equal question with the latest answer that is still current."""
    read_after = answers.oldest(row.max_age_s, now) or datetime.min.replace(tzinfo=UTC)
    found = session.execute(_EQUAL, {"key": row.equal_key, "but": row.id, "read_after": read_after}).all()
    return next((equal for equal in found if _holds(session, row, equal, now)), None)


def _equal() -> Select[Any]:
    """Return the query for equal questions with their latest answers."""
    own, wrong, asked = aliased(AnswerRow), aliased(AnswerRow), aliased(QuestionRow)
    last = select(func.max(own.revision)).where(own.question_id == QuestionRow.id).scalar_subquery()
    # a reader of this answer, under whichever equal question, said that it is wrong: what readers said is looked
    # through, which is little, and not the equal questions
    of, revision = FeedbackRow.question_id, FeedbackRow.revision
    key = select(asked.equal_key).where(asked.id == of).scalar_subquery()
    text = select(wrong.text).where(wrong.question_id == of, wrong.revision == revision).scalar_subquery()
    is_of_it = (key == bindparam("key"), text == AnswerRow.text)
    contradicted = select(FeedbackRow.id).where(FeedbackRow.verdict != "right", *is_of_it)
    of_question = "id text asked lang missing status outcome confidence leader_id".split()
    return (
        select(
            *(getattr(QuestionRow, name) for name in of_question),
            AnswerRow.id.label("answer_id"),
            AnswerRow.created_at.label("answered_at"),
            *(AnswerRow.revision, AnswerRow.provisional, AnswerRow.composer, AnswerRow.stale_at),
            AnswerRow.confidence.label("sure"),
            func.json_array_length(AnswerRow.context).label("hits"),
            answers.is_borne_out(bindparam("read_after", type_=UtcDateTime)).label("borne_out"),
            contradicted.exists().label("contradicted"),
        )
        .join(AnswerRow, (AnswerRow.question_id == QuestionRow.id) & (AnswerRow.revision == last))
        .where(
            QuestionRow.equal_key == bindparam("key"),
            QuestionRow.cached_from.is_(None),  # only originals: a copy is newer than its evidence
            QuestionRow.status.in_(COMPLETED),
            QuestionRow.id != bindparam("but"),
        )
        .order_by(QuestionRow.finished_at.desc(), QuestionRow.leader_id.is_not(None))  # who led before who followed
        .limit(LOOKED_AT)
    )


_EQUAL = _equal()


def _holds(session: Session, row: QuestionRow, equal: Row[Any], now: datetime) -> bool:
    if equal.provisional or equal.composer == OPERATOR or equal.contradicted or equal.stale_at is not None:
        return False  # an operator's is given anew as long as it is there
    is_answer = equal.status == Status.ANSWERED
    if is_answer and (not equal.borne_out or equal.sure >= SURE_FROM):
        return bool(equal.borne_out)
    if answers.read_since(session, equal.answered_at, row):
        return False
    return is_answer or not row.crawl_enabled or _web_said_no(session, row, equal, now)


def _web_said_no(session: Session, row: QuestionRow, equal: Row[Any], now: datetime) -> bool:
    """Return whether the crawl that found nothing is fresh, read all it wanted, and would be the same again."""
    origin = session.get_one(QuestionRow, equal.leader_id or equal.id)
    spent = candidates.used_so_far(session, origin.id, now)
    failed = select(CandidateRow.id).where(
        CandidateRow.question_id == origin.id,
        CandidateRow.outcome.in_((ReadOutcome.FAILED, ReadOutcome.SKIPPED, ReadOutcome.BLOCKED, ReadOutcome.WALL)),
    )
    added = select(SourceRow.id).where(SourceRow.created_at > equal.answered_at)
    return (
        now - equal.answered_at < UNKNOWN_FOR
        and origin.budget == row.budget
        and origin.cycle < origin.budget["cycles"]
        and spent.pages < origin.budget["pages"]
        and spent.bytes < origin.budget["bytes"]
        and spent.seconds < origin.budget["seconds"]
        and session.scalar(failed.limit(1)) is None
        and session.scalar(added.limit(1)) is None
    )
