"""Answers as OpenAI's chat completions API does, so that its clients work unmodified."""

from collections.abc import AsyncIterator
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response
from fastapi.responses import JSONResponse
from redis import RedisError
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.dependencies import AccessDep, Waiter, WaiterDep, check_waiting
from api.middleware.auth import ASK
from api.middleware.problems import of_error
from api.openai import completions
from api.openai.completions import ERRORS, CompletionForm, error_json
from api.openai.other_forms import MessagesForm, MessagesRequest, ResponsesForm, ResponsesRequest
from api.openai.requests import (
    LOCAL_MODELS,
    MODELS,
    CompletionRequest,
    check_model,
    conversation_of,
    lists_sources,
    schema_of,
    to_chat_request,
)
from domain.access import DEFAULT
from domain.errors import WellreadError
from domain.record import Record

router = APIRouter(prefix="/v1", tags=["openai"], dependencies=[Depends(check_waiting), *ASK], responses=ERRORS)

#: a comment this often keeps clients and proxies from closing a stream that waits for the answer
KEEP_ALIVE_S = 2
#: of the route that takes conversations
PATH = "/v1/chat/completions"
#: and of those that take them in another form
OTHER_PATHS = ("/v1/responses", "/v1/messages")
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/event-stream": {}}, "description": "The answer."}
}


@router.post(PATH.removeprefix("/v1"), responses=_STREAMED)
async def complete(body: CompletionRequest, waiter: WaiterDep) -> Response:
    """Ask as with OpenAI's API: the last message is the question; citations are in `annotations` and `citations`.

    A stream is silent but for comments until the answer is final, so that it never takes back what it said.
    """
    include_usage = body.stream_options is not None and body.stream_options.include_usage
    return await _answered(body, waiter, CompletionForm(body.model, include_usage=include_usage))


@router.post("/responses", responses=_STREAMED)
async def respond(body: ResponsesRequest, waiter: WaiterDep) -> Response:
    """Ask as with OpenAI's Responses API; no response is stored under an id."""
    return await _answered(body.as_completion(), waiter, ResponsesForm(body.model))


@router.post("/messages", responses=_STREAMED)
async def message(body: MessagesRequest, waiter: WaiterDep) -> Response:
    """Ask as with Anthropic's Messages API; citations are those of web search results."""
    return await _answered(body.as_completion(), waiter, MessagesForm(body.model))


async def _answered(body: CompletionRequest, waiter: Waiter, form: CompletionForm) -> Response:
    list_sources = lists_sources(body)
    check_model(body.model)
    conversation = conversation_of(body.messages)
    if (reply := conversation.short_reply(schema_of(body))) is not None:
        if not body.stream:
            return JSONResponse(form.whole(None, reply))
        return EventSourceResponse(chain(form.begin(None), form.end(None, reply)))
    asked, turns = to_chat_request(body, conversation)
    services, first = await waiter.ask(asked, said=turns, attached=conversation.attached)

    async def wait() -> Record:
        record = await waiter.final_record(services, first, within_s=asked.wait)
        completions.check_answered(record, structured=asked.answer_schema is not None)
        return record

    if not body.stream:
        record = await wait()
        return JSONResponse(form.whole(record, completions.text_of(record, list_sources=list_sources)))

    async def stream() -> AsyncIterator[ServerSentEvent]:
        try:
            for event in form.begin(first):
                yield event
            record = await wait()
        except (WellreadError, RedisError) as error:
            problem = of_error(error)
            yield form.failed(error_json(problem.status, problem.type, problem.detail))
            return
        for event in form.end(record, completions.text_of(record, list_sources=list_sources)):
            yield event

    return EventSourceResponse(stream(), ping=KEEP_ALIVE_S)


@router.get("/models")
def models(access: AccessDep) -> dict[str, Any]:
    """The models: `wellread` and `wellread-known`, which reads nothing new, of each collection; and the local ones."""
    behind = ["", *(f"@{name}" for name in access.names() if name != DEFAULT)]
    named = [name + end for end in behind for name in MODELS]
    return {"object": "list", "data": [_model(name) for name in (*named, *LOCAL_MODELS)]}


@router.get("/models/{name}")
def model(name: Annotated[str, Path(max_length=200)], access: AccessDep) -> dict[str, Any]:
    """One of the models."""
    check_model(name, [*MODELS, *LOCAL_MODELS])
    access.open(name.partition("@")[2])
    return _model(name)


def _model(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "wellread",
        "description": (MODELS | LOCAL_MODELS)[name.partition("@")[0]],
    }
