"""Watches questions, which are asked again when their evidence changes, takes readers' feedback, and learns from it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header
from pydantic import StringConstraints
from pydantic.json_schema import SkipJsonSchema
from sse_starlette import EventSourceResponse

from api.dependencies import STREAM, QuestionId, ReaderDep, ServicesDep, listening, record_reader
from api.middleware.auth import ASK, OPERATE, CallerDep, StillOpenDep
from api.routes.questions import read, sent
from api.schemas.requests import FeedbackRequest, WatchRequest
from api.streams import changes
from domain.outcome import Learned
from domain.record import Feedback, Record, Watch
from store.learned import all_learned
from store.questions import feedback, state, watches
from workers.questions import watches as watching

router = APIRouter(prefix="/api", tags=["questions"], dependencies=ASK)
learned_router = APIRouter(prefix="/api/learned", tags=["learning"], dependencies=OPERATE)

EventNumber = Annotated[str, StringConstraints(pattern=r"^\d{1,15}$")]


@router.get("/watches")
def every(services: ServicesDep, who: CallerDep) -> list[Watch]:
    """The standing questions, oldest first; a key with the role ask sees its own."""
    return services.read(watches.list_all, owner=who.restricted_to)


@router.post("/questions/{question_id}/watch")
def watch(question_id: QuestionId, services: ServicesDep, asked: WatchRequest | None = None) -> Watch:
    """Ask it again whenever a page that its answer cites changes; the watcher gets each new answer once."""
    return watching.watch(services, question_id, (asked and asked.callback_url) or "")


@router.delete("/questions/{question_id}/watch", status_code=204)
def unwatch(question_id: QuestionId, services: ServicesDep) -> None:
    """Stop asking it again; its answer stays."""
    watching.unwatch(services, question_id)


@router.get(
    "/questions/{question_id}/changes",
    response_class=EventSourceResponse,
    dependencies=[STREAM],
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events: changed, stopped."}},
)
def watch_changes(
    known: Annotated[Record, Depends(read)],
    services: ServicesDep,
    reader: ReaderDep,
    still_open: StillOpenDep,
    last_event_id: Annotated[EventNumber | SkipJsonSchema[None], Header()] = None,
) -> EventSourceResponse:
    """The new answers of a standing question as server-sent events, each `changed` with the whole record.

    It ends with `stopped` when the question is watched no longer, without it when the key is revoked or expires.
    Last-Event-ID gives what was missed since then.
    """
    after = None if last_event_id is None else int(last_event_id)
    read = record_reader(services, known.id, still_open)
    return sent(changes(listening(reader, services), known.id, read, after=after), still_open)


@router.post("/questions/{question_id}/feedback")
def give_feedback(question_id: QuestionId, body: FeedbackRequest, services: ServicesDep) -> Feedback:
    """Say whether an answer is right; the last word on a revision counts."""
    with services.database.write() as session:
        state.find(session, question_id)
        return feedback.give(
            session, question_id, body.verdict, comment=body.comment, revision=body.revision, now=services.now()
        )


@learned_router.get("", name="every")
def learned(services: ServicesDep) -> list[Learned]:
    """How feedback corrects the judge's confidence, or why it does not, by embedder, language and calibration."""
    return services.read(all_learned)


@learned_router.post("")
def learn(services: ServicesDep) -> list[Learned]:
    """Fit the corrections now to all feedback; they are used immediately."""
    from workers import learning  # imports half the pipeline, which this process does not need otherwise

    return learning.learn(services)


@learned_router.delete("")
def reset(services: ServicesDep) -> list[Learned]:
    """Return to the shipped judge; feedback given so far no longer counts."""
    from workers import learning

    return learning.reset(services)
