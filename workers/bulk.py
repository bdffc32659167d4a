"""Cancels, replays and deletes all questions that a filter means, some at a time: whoever asks again goes on."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final, Literal

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


def _each(change_one: Callable[[Services, str], object]) -> Callable[[Services, Sequence[str]], None]:
    def change_all(services: Services, ids: Sequence[str]) -> None:
        for question_id in ids:
            with suppress(UnknownQuestion):  # it was just deleted
                change_one(services, question_id)

    return change_all


Change = Literal["cancel", "replay", "delete"]
#: the statuses of the questions that a change is done to, and what does it
_CHANGES: Final[Mapping[Change, tuple[Collection[Status], Callable[[Services, Sequence[str]], None]]]] = {
    "cancel": (state.OPEN, _each(submit.cancel)),
    "replay": (state.STOPPED, _each(submit.replay)),  # as far as there is room for open questions
    "delete": (list(Status), deletion.delete_questions),
}


def change(
    services: Services, what: Change, asked: QuestionFilter, *, owner: str | None, key: str | None, dry_run: bool
) -> BulkChange:
    """Change the questions that are meant, newest first, until all are changed or the time is up; raises NoCondition.

    ``owner``: only this one's questions; ``key``: what those of the filter's key are marked with.
    """
    if not asked.model_dump(include=QuestionFilter.model_fields.keys() - {"collection"}, exclude_defaults=True):
        raise NoCondition("No condition is named: this would be done to every question.")
    if what == "replay" and not asked.ended_before:  # what fails again meanwhile is left alone
        asked = asked.model_copy(update={"ended_before": services.now()})
    statuses, change_all = _CHANGES[what]
    with services.database.read() as session:
        given = listing.meant(session, asked, owner=owner, key=key)
        wanted = and_(given, QuestionRow.status.in_(list(statuses)), QuestionRow.fingerprint != state.REFUSED)
        left = listing.count(session, wanted)
    done, ends_at = 0, time.monotonic() + RUN_S
    while not dry_run and left > 0 and time.monotonic() < ends_at:
        with services.database.read() as session:
            ids = [row.id for row in listing.find(session, wanted, limit=_AT_ONCE)[0]]
        if not ids:
            return BulkChange(done=done, left=0)
        try:
            change_all(services, ids)
        except (TooManyOpen, NoRoom) as full:
            return BulkChange(done=done, left=services.read(listing.count, wanted), retry_after_s=full.retry_after_s)
        done, left = done + len(ids), left - len(ids)
    return BulkChange(done=done, left=max(0, left))
