"""Watches questions: asks them again when their evidence changes."""

import structlog

from domain import EventKind
from domain.record import Watch
from store.questions import new_questions, state, watches
from workers.questions.callbacks import check_callback
from workers.questions.submit import notify_started
from workers.services import Services

log = structlog.get_logger()


def ask_again(services: Services) -> int:
    """Ask every watched question with a stale answer again; return how many. A second call asks nothing twice.

    What was asked with a key that was revoked or has expired is not asked again.
    """
    now = services.now()
    with services.database.read() as session:
        unknown, owners = watches.unknown_outdated(session, now), watches.owners(session)
    if unknown:
        services.write(watches.outdate, unknown, now)
    closed = services.closed_owners(owners)
    due = services.read(watches.due, not_of=closed)
    return sum(_ask_again(services, question_id) for question_id in due)


def watch(services: Services, question_id: str, callback_url: str = "") -> Watch:
    """Watch a question: ask it again when its evidence changes. Raises UnknownQuestion or BadCallback."""
    owner = services.read(state.find, question_id).owner
    checked = check_callback(services, callback_url, owner) if callback_url else ""
    with services.database.write() as session:
        state.find(session, question_id)
        watches.add(session, question_id, checked, services.now())
    stored = services.read(watches.find, question_id)
    assert stored is not None, "it was committed a moment ago"
    return stored


def unwatch(services: Services, question_id: str) -> bool:
    """Stop watching a question; return whether it was watched. Raises UnknownQuestion."""
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
        new_questions.start_from_cache_or_run(session, row, now)
        question = state.to_question(row)
    log.info("asked_again", question=question_id, round=row.round)
    notify_started(services, question)
    return True
