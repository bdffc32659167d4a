"""Answers every error as ``application/problem+json`` (RFC 9457): what happened and what to do, no stack trace."""

import tomllib
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import redis
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from api import sentence
from api.middleware.auth import refusal
from api.openai.completions import PREFIX, error_json, status_of
from api.schemas.requests import first_wrong, wrong_field
from domain.errors import WellreadError

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 5


class Problem(BaseModel):
    """An error, as RFC 9457 writes it."""

    type: str = Field(description="A short name of the kind of error: stable, for programs.")
    title: str = Field(description="The kind of error in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened, to what.")
    what_to_do: str = Field(description="How to go on.")


class NotFound(WellreadError):
    """The thing asked for does not exist; the message names it."""


class BadForm(WellreadError):
    """The form has fields that it must not have, or lacks one; the message names it."""


#: by the name of the error's class, or of one that it inherits from
_KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def of_error(error: Exception) -> Problem:
    """Return the problem that an error of a known kind is."""
    kind = next(_KNOWN[parent.__name__] for parent in type(error).__mro__ if parent.__name__ in _KNOWN)
    return Problem(**{"detail": str(error), **kind})


_HTTP_ADVICE = {
    400: "Send one JSON object in UTF-8; /openapi.json describes what is accepted.",
    404: "Check the path; /openapi.json lists them all.",
    405: "Use the method that /openapi.json names for this path.",
    408: "Send it again, at a kilobyte a second or faster.",
    413: "Send less.",
}


def of_status(status: int, detail: str) -> Problem:
    """Return a problem that says no more than its HTTP status."""
    title = HTTPStatus(status).phrase
    what_to_do = _HTTP_ADVICE.get(status, "Correct the request; /openapi.json describes what is accepted.")
    return Problem(
        type=title.lower().replace(" ", "-"),
        title=title,
        status=status,
        detail=f"{title}." if detail == title else detail,
        what_to_do=what_to_do,
    )


def of_one(error: Exception, what: str) -> dict[str, Any]:
    """Return as JSON the problem of one of several things, such as a ``question``, that were sent."""
    if isinstance(error, ValidationError):
        return of_status(422, first_wrong(error, what)).model_dump()
    return of_error(error).model_dump()


def respond(problem: Problem, path: str = "", *, retry_after_s: int = RETRY_AFTER_S) -> Response:
    """Return the problem as a response; below /v1/ in the form that OpenAI's clients know."""
    headers = {"cache-control": "no-store"}
    if problem.status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers["retry-after"] = str(retry_after_s)
    if problem.status in (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.REQUEST_TIMEOUT):
        headers["connection"] = "close"  # the rest of the body is not taken either
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    if path.startswith(PREFIX):
        status, message = status_of(problem.status), f"{sentence(problem.detail)} {problem.what_to_do}"
        if status in (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.GATEWAY_TIMEOUT):
            headers["x-should-retry"] = "false"  # what failed was tried several times, and who waited can ask again
        return JSONResponse(error_json(status, problem.type, message), status_code=status, headers=headers)
    return JSONResponse(problem.model_dump(), status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


def respond_to(error: Exception, problem: Problem, path: str) -> Response:
    """Return the response to an error, which is a problem of ours."""
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("request_failed", path=path, status=problem.status, error=str(error))
    seconds = int(getattr(error, "retry_after_s", None) or RETRY_AFTER_S)
    return respond(problem, path, retry_after_s=seconds)


def with_errors_as_sent(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document whose problems have their media type: to FastAPI a route has one for all answers."""
    for path, operations in document["paths"].items():
        for operation in operations.values():
            if not path.startswith(PREFIX):
                problem = operation["responses"]["default"]
                problem["content"] = dict.fromkeys([MEDIA_TYPE], *problem["content"].values())
    return document


def install(app: FastAPI) -> None:
    """Make the application answer every error as a problem."""
    install_for_requests(app)
    app.add_exception_handler(WellreadError, _answer(of_error))
    app.add_exception_handler(redis.RedisError, _answer(of_error))
    app.add_exception_handler(Exception, _answer(_of_bug))


def install_for_requests(app: FastAPI) -> None:
    """Make the application answer malformed requests and unknown paths as problems."""
    app.add_exception_handler(RequestValidationError, _answer_unreadable)
    app.add_exception_handler(HTTPException, _answer(lambda error: of_status(error.status_code, str(error.detail))))


def _readable(entry: dict[str, Any]) -> str:
    """Return one validation error as "field: what is wrong", without echoing the value."""
    where: Sequence[Any] = entry["loc"]
    field = ".".join(str(part) for part in where[1:]) or str(where[0])
    if entry["type"] == "json_invalid":
        return f"the body is not JSON: {entry['ctx']['error']} at character {where[-1]}"
    return wrong_field(field, entry)


def _of_bug(error: Exception) -> Problem:
    return Problem(
        type="bug",
        title="Wellread failed",
        status=500,
        detail=f"An unexpected error ({type(error).__name__}); the API's log has the traceback.",
        what_to_do="Try again; if it happens again, report it with the log's last lines.",
    )


async def _answer_unreadable(request: Request, error: Exception) -> Response:
    """Answer a request that cannot be read; if its key does not allow it, only that is said."""
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(_readable(entry) for entry in error.errors()[:8])
    return await _answer(of_error)(request, await refusal(request) or BadForm(wrong))


def _answer(describe: Callable[[Any], Problem]) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        problem = describe(error)
        response = respond_to(error, problem, request.url.path)
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        if problem.status == HTTPStatus.METHOD_NOT_ALLOWED:  # the error names those of only one of the path's routes
            methods = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
            response.headers["allow"] = ", ".join(method for method in methods if _takes(request, method))
        return response

    return answer


def _takes(request: Request, method: str) -> bool:
    asked = dict(request.scope) | {"method": method}
    return any(route.matches(asked)[0] is Match.FULL for route in request.app.routes)
