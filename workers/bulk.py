"""Cancels, replays and deletes all questions that a filter means, some at a time: whoever asks again goes on."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from sqlalchemy import and_

from domain import Status
from domain.errors import WellreadError
from domain.options import QuestionFilter
from domain.record import BulkChange
from store.questions import listing, state
from store.questions.state import UnknownQuestion
from store.sql.tables import QuestionRow
from workers import deletion
from workers.admission import NoRoom, TooManyOpen
from workers.questions import submit
from workers.services import Services

#: seconds in which questions are taken up; the rest is left to the next call
RUN_S = 20.0
#: questions that are read, or deleted, at once
_AT_ONCE = 200


class NoCondition(WellreadError):
    """The filter means every question: name at least one condition."""


def cancel(services: Services, asked: QuestionFilter, *, owner: str | None, dry_run: bool) -> BulkChange:
    """Cancel the open questions that are meant."""

    def cancel_all(ids: Sequence[str]) -> None:
        for question_id in ids:
            with suppress(UnknownQuestion):  # it was just deleted
                submit.cancel(services, question_id)

    return _each(services, asked, state.OPEN, cancel_all, owner=owner, dry_run=dry_run)


def replay(services: Services, asked: QuestionFilter, *, owner: str | None, dry_run: bool) -> BulkChange:
    """Run those again that failed, ran out of time or were cancelled, as far as there is room for open questions."""

    def replay_all(ids: Sequence[str]) -> None:
        for question_id in ids:
            with suppress(UnknownQuestion):
                submit.replay(services, question_id)

    # what fails again meanwhile is left alone
    ended = asked if asked.ended_before else asked.model_copy(update={"ended_before": services.now()})
    return _each(services, ended, state.STOPPED, replay_all, owner=owner, dry_run=dry_run, named=asked)


def delete(services: Services, asked: QuestionFilter, *, owner: str | None, dry_run: bool) -> BulkChange:
    """Stop the open ones of those that are meant, and delete all with their answers and traces."""
    return _each(
        services,
        asked,
        list(Status),
        lambda ids: deletion.delete_questions(services, ids),
        owner=owner,
        dry_run=dry_run,
    )


def _each(
    services: Services,
    asked: QuestionFilter,
    statuses: Collection[Status],
    change: Callable[[Sequence[str]], None],
    *,
    owner: str | None,
    dry_run: bool,
    named: QuestionFilter | None = None,
) -> BulkChange:
    """Change the questions in one of these statuses, newest first, until all are changed or the time is up.

    ``named`` is what the caller has named, if ``asked`` says more.
    """
    if not (named or asked).model_dump(
        include=QuestionFilter.model_fields.keys() - {"collection"}, exclude_defaults=True
    ):
        raise NoCondition("No condition is named: this would be done to every question.")
    with services.database.read() as session:
        given = listing.meant(session, asked, owner=owner, key=services.owner_of(asked.key) if asked.key else None)
        wanted = and_(given, QuestionRow.status.in_(list(statuses)), QuestionRow.fingerprint != state.REFUSED)
        left = listing.count(session, wanted)
    done, ends_at = 0, time.monotonic() + RUN_S
    while not dry_run and left > 0 and time.monotonic() < ends_at:
        with services.database.read() as session:
            ids = [row.id for row in listing.find(session, wanted, limit=_AT_ONCE)[0]]
        if not ids:
            return BulkChange(done=done, left=0)
        try:
            change(ids)
        except (TooManyOpen, NoRoom) as full:
            return BulkChange(done=done, left=services.read(listing.count, wanted), retry_after_s=full.retry_after_s)
        done, left = done + len(ids), left - len(ids)
    return BulkChange(done=done, left=max(0, left))
