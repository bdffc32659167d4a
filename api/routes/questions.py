"""Takes questions, with or without waiting for answers; gives their records, progress and traces."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated

import anyio
from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.dependencies import (
    DOCUMENT,
    STREAM,
    AccessDep,
    FormatQuery,
    QuestionId,
    ReaderDep,
    ServicesDep,
    WaiterDep,
    check_waiting,
    listening,
    read_record,
    record_reader,
)
from api.middleware.auth import ASK, OPERATE, Caller, CallerDep, StillOpenDep
from api.schemas.exported import exported, headers
from api.schemas.requests import ChatRequest
from api.streams import watch, while_open
from domain.access import Role
from domain.options import QuestionRequest
from domain.question import Question
from domain.record import Event, Record
from pipeline.question.follow_up import stands_alone
from store.questions import answers, state
from store.questions import trace as stored_trace
from store.questions.trace import TraceReplayed, for_asker
from workers import deletion
from workers.questions import submit
from workers.services import Services

router = APIRouter(prefix="/api/questions", tags=["questions"], dependencies=ASK)
#: a comment this often keeps proxies from closing a quiet stream
HEARTBEAT_S = 15
_EVENT_ID = r"^\d{1,19}(-\d{1,19})?$"

chat_router = APIRouter(prefix="/api", tags=["questions"], dependencies=[Depends(check_waiting), *ASK])


@router.post("", status_code=202, responses={200: {"model": Record}}, dependencies=[Depends(check_waiting)])
def ask(
    body: QuestionRequest,
    access: AccessDep,
    response: Response,
    who: CallerDep,
    idempotency_key: Annotated[
        str,
        Header(max_length=255, description="Makes a repeat harmless: the same key and body give the same question."),
    ] = "",
) -> Record:
    """Ask; the answer is polled, watched or sent to the callback. 202 and its Location, or 200 for a repeat."""
    services = access.open(body.collection)
    question, is_new = submit_for(who, services, body, idempotency_key)
    response.status_code = 202 if is_new else 200
    tell_left(services, response, who)
    response.headers["Location"] = f"/api/questions/{question.id}"
    return read_record(services, question.id)


def submit_for(who: Caller, services: Services, body: QuestionRequest, idempotency_key: str) -> tuple[Question, bool]:
    """Submit a question for whoever sends it; return it, and whether it is new. Raises what ``submit.submit`` does."""
    new = submit.to_new(
        body,
        submit.default_budget(services),
        idempotency_key=idempotency_key,
        private=who.role < Role.operate,
        owner=who.owner,
    )
    return submit.submit(services, new)


def tell_left(services: Services, response: Response, who: Caller) -> None:
    """Say in a response's headers how many questions a key with a quota has left."""
    if services.limits_of(who.owner):
        response.headers.update(services.rate_limit(who.owner or ""))


@router.get("/{question_id}")
def read(question_id: QuestionId, services: ServicesDep) -> Record:
    """A question's record: its answer so far, its citations, what was read."""
    return read_record(services, question_id)


@router.delete("/{question_id}", status_code=204, dependencies=OPERATE)
def remove(question_id: QuestionId, services: ServicesDep) -> None:
    """Delete a question with its answers, trace, feedback and stream; what was read for it stays read."""
    deletion.delete_question(services, question_id)


@router.get("/{question_id}/export", response_class=Response, responses=DOCUMENT)
def export(known: Annotated[Record, Depends(read)], form: FormatQuery = "md") -> Response:
    """A question's answer as a document: each quote with its page's name, address and dates."""
    return Response(exported(known, form), headers=headers(known.id, form))


@router.post("/{question_id}/cancel")
def cancel(question_id: QuestionId, services: ServicesDep) -> Record:
    """Stop a question; one that has ended stays as it is, and what was read stays read."""
    submit.cancel(services, question_id)
    return read_record(services, question_id)


@router.post("/{question_id}/replay", status_code=202)
def replay(question_id: QuestionId, services: ServicesDep) -> Record:
    """Run a question again that failed, timed out or was cancelled; any other stays as it is."""
    submit.replay(services, question_id)
    return read_record(services, question_id)


@router.get("/{question_id}/trace")
def trace(question_id: QuestionId, services: ServicesDep, who: CallerDep) -> list[stored_trace.Step]:
    """Every finished step with its queries, hits and verdict, and every page that was read."""
    with services.database.read() as session:
        found = stored_trace.read(session, state.get(session, question_id))
    is_operator = who.role >= Role.operate
    return found if is_operator else [replace(step, detail=for_asker(step.detail)) for step in found]


@router.post("/{question_id}/trace/replay", dependencies=OPERATE)
def trace_replayed(question_id: QuestionId, services: ServicesDep) -> TraceReplayed:
    """Run the question's lookup again on what is known now, and say what differs; nothing is stored, no model asked."""
    from workers.questions.replayed import replay_trace  # with the pipeline, which the start of the API needs not

    return replay_trace(services, question_id)


@router.get("/{question_id}/related")
def related(question_id: QuestionId, services: ServicesDep, who: CallerDep) -> list[answers.RelatedQuestion]:
    """Related questions: asked before about the cited pages, and on sections around the quotes."""
    with services.database.read() as session:
        state.find(session, question_id)
        return answers.related(session, question_id, stands_alone, owner=who.restricted_to)


@router.get(
    "/{question_id}/events",
    response_class=EventSourceResponse,
    dependencies=[STREAM],
    responses={
        200: {"content": {"text/event-stream": {}}, "description": "Events: status, page, writing, provisional, final."}
    },
)
def events(
    known: Annotated[Record, Depends(read)],
    services: ServicesDep,
    reader: ReaderDep,
    still_open: StillOpenDep,
    last_event_id: Annotated[str, Header(pattern=_EVENT_ID)] = "0",
) -> EventSourceResponse:
    """Progress as server-sent events: first the state, then what happens, last `final` with the whole record."""
    read = record_reader(services, known.id, still_open)
    return sent(watch(listening(reader, services), read, after=last_event_id), still_open)


def sent(events: AsyncGenerator[Event], still_open: Callable[[], object]) -> EventSourceResponse:
    """Return the response that sends these events; it ends once the key opens nothing any more."""

    async def stream() -> AsyncIterator[ServerSentEvent]:
        async with aclosing(while_open(events, still_open)) as open_events:
            async for event in open_events:
                yield ServerSentEvent(json.dumps(event.data), event=event.kind, id=event.id or None)

    return EventSourceResponse(stream(), ping=HEARTBEAT_S)


@chat_router.post("/chat", responses={202: {"model": Record}})
async def chat(body: ChatRequest, waiter: WaiterDep, response: Response) -> Record:
    """Ask and wait up to `wait` seconds. 200: the final answer. 202: still worked on, `answer` may be provisional.

    Whoever hangs up loses nothing: the question goes on, and its record stands at the Location.
    """
    asked_at = anyio.current_time()
    services, asked = await waiter.ask(body)
    if waiter.who.owner is not None:
        await to_thread.run_sync(tell_left, services, response, waiter.who)
    within_s = 0.0 if body.queued else body.wait - (anyio.current_time() - asked_at)
    record = await waiter.final_record(services, asked, within_s=within_s)
    response.headers["Location"] = f"/api/questions/{record.id}"
    response.status_code = 200 if record.status.is_final else 202
    return record
