"""Answers every error as ``application/problem+json`` (RFC 9457): what happened and what to do, no stack trace."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any

import redis
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from api.middleware.auth import refusal
from api.middleware.problem_kinds import BadForm, Problem, of_error, of_status
from api.middleware.wrong_keys import TooManyWrongKeys
from api.openai.completions import PREFIX, error_json, status_of
from api.schemas.requests import wrong_field
from domain.errors import WellreadError
from workers.admission import NoRoom, TooManyOpen

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 5


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
    seconds = error.retry_after_s if isinstance(error, TooManyOpen | NoRoom | TooManyWrongKeys) else RETRY_AFTER_S
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
    app.add_exception_handler(HTTPException, _answer(_of_http))


def _of_validation(error: Exception) -> Problem:
    assert isinstance(error, RequestValidationError)
    found = "; ".join(_readable(entry) for entry in error.errors()[:8])
    return of_error(BadForm(found))


def sentence(said: str) -> str:
    """Return what is said with a full stop, so that another sentence can follow."""
    return said if said.endswith((".", "!", "?")) else f"{said}."


def _readable(entry: dict[str, Any]) -> str:
    """Return one validation error as "field: what is wrong", without echoing the value."""
    where: Sequence[Any] = entry["loc"]
    field = ".".join(str(part) for part in where[1:]) or str(where[0])
    if entry["type"] == "json_invalid":
        return f"the body is not JSON: {entry['ctx']['error']} at character {where[-1]}"
    return wrong_field(field, entry)


def _of_http(error: Exception) -> Problem:
    assert isinstance(error, HTTPException)
    return of_status(error.status_code, str(error.detail))


def _of_bug(error: Exception) -> Problem:
    return Problem(
        type="bug",
        title="Wellread failed",
        status=500,
        detail=f"An unexpected error ({type(error).__name__}); the API's log has the traceback.",
        what_to_do="Try again; if it happens again, report it with the log's last lines.",
    )


async def _answer_unreadable(request: Request, error: Exception) -> Response:
    """Answer a request that cannot be read; one that its key does not allow is refused for that alone."""
    refused = await refusal(request)
    describe = of_error if refused is not None else _of_validation
    return await _answer(describe)(request, refused or error)


def _answer(describe: Callable[[Exception], Problem]) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        problem = describe(error)
        response = respond_to(error, problem, request.url.path)
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        if problem.status == HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["allow"] = ", ".join(_methods_taken(request))
        return response

    return answer


def _methods_taken(request: Request) -> list[str]:
    """Return the methods that a request's path takes; the error names those of one of its routes alone."""

    def takes(method: str) -> bool:
        asked = dict(request.scope) | {"method": method}
        return any(route.matches(asked)[0] is Match.FULL for route in request.app.routes)

    return [method for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") if takes(method)]
