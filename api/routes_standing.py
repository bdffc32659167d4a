"""After the answer: questions that are asked again when their evidence changes, and what readers say of answers."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from api.auth import Role, require
from api.schemas import FeedbackRequest, WatchRequest
from api.schemas_record import FeedbackOut, WatchOut
from api.wiring import QuestionId, ServicesDep
from store import questions, watches
from store.feedback import Feedback
from store.watches import Watch
from workers import feedback, watching

router = APIRouter(prefix="/api", tags=["questions"], dependencies=[Depends(require(Role.ask))])


@router.get("/watches", response_model=list[WatchOut])
def every(services: ServicesDep) -> list[Watch]:
    """The standing questions, oldest first."""
    with services.database.read() as session:
        return watches.every(session)


@router.post("/questions/{question_id}/watch", response_model=WatchOut)
def watch(question_id: QuestionId, services: ServicesDep, asked: WatchRequest | None = None) -> Watch:
    """Ask it again whenever a page that its answer cites changes; whoever watches is told once of every new answer."""
    return watching.watch(services, question_id, (asked and asked.callback_url) or "")


@router.delete("/questions/{question_id}/watch", status_code=204)
def unwatch(question_id: QuestionId, services: ServicesDep) -> Response:
    """Ask it again no longer; its answer stays."""
    with services.database.write() as session:
        questions.find(session, question_id)
        watches.remove(session, question_id)
    return Response(status_code=204)


@router.post("/questions/{question_id}/feedback", response_model=FeedbackOut)
def give_feedback(question_id: QuestionId, said: FeedbackRequest, services: ServicesDep) -> Feedback:
    """Say whether an answer is right; of one revision, what is said last counts."""
    return feedback.give(services, question_id, said.verdict, comment=said.comment, revision=said.revision)
