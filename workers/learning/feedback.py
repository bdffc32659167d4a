"""Saves readers' feedback on answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from domain.record import Feedback, FeedbackVerdict
from store.questions import feedback, state
from workers.questions.fingerprint import answer_fingerprint

if TYPE_CHECKING:
    from workers.services import Services


def give(
    services: Services, question_id: str, verdict: FeedbackVerdict, *, comment: str = "", revision: int | None = None
) -> Feedback:
    """Save feedback on an answer (None: the latest revision); raises UnknownQuestion or NothingToJudge."""
    with services.database.write() as session:
        state.find(session, question_id)
        return feedback.give(
            session,
            question_id,
            verdict,
            comment=comment,
            revision=revision,
            answer_fingerprint=answer_fingerprint(services.settings),
            now=services.now(),
        )
