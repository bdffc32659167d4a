"""Standing questions: asks those again whose evidence changed, lets them be watched, and ends that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from domain import EventKind
from domain.record import Watch
from store.questions import answer_cache, state, watches
from workers.questions.submit import begun, check_callback

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()


def ask_again(services: Services) -> int:
    """Ask every standing question again whose answer is stale; returns how many. Doing so twice asks once."""
    now = services.now()
    with services.database.read() as session:
        unknown = watches.unknown_outdated(session, now)
    if unknown:
        with services.database.write() as session:
            watches.outdate(session, unknown, now)
    with services.database.read() as session:
        due = watches.due(session)
    return sum(_ask_again(services, question_id) for question_id in due)


def watch(services: Services, question_id: str, callback_url: str = "") -> Watch:
    """Have a question asked again when its evidence changes; raises UnknownQuestion or BadSite."""
    checked = check_callback(services, callback_url) if callback_url else ""
    with services.database.write() as session:
        state.find(session, question_id)
        watches.add(session, question_id, checked, services.now())
    with services.database.read() as session:
        kept = watches.find(session, question_id)
    assert kept is not None, "it was committed a moment ago"
    return kept


def unwatch(services: Services, question_id: str) -> bool:
    """Ask a question again no longer; whether it was watched. Raises UnknownQuestion."""
    with services.database.write() as session:
        state.find(session, question_id)
        was_watched = watches.remove(session, question_id)
    services.events.publish(question_id, EventKind.UNWATCHED, {})
    return was_watched


def _ask_again(services: Services, question_id: str) -> bool:
    now = services.now()
    with services.database.write() as session:
        row = state.lock(session, question_id)
        if row is None or question_id not in watches.due(session, question_id):
            return False
        state.ask_again(session, row, now)
        answer_cache.start_from_cache_or_run(session, row, now)
        question = state.to_question(row)
    log.info("asked_again", question=question_id, round=row.round)
    begun(services, question)
    return True
