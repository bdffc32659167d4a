"""Every error as ``application/problem+json`` (RFC 9457): what happened and what to do, never a stack trace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any

import redis
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from api.middleware.auth import InvalidApiKey, RoleTooSmall
from api.schemas.requests import BadBudget
from crawler.discovery.schedule import BadSchedule
from domain.errors import WellreadError
from pipeline.question.analysis import QuestionError
from store.crawl.site_reads import SiteReadOver, UnknownSiteRead
from store.learned.versions import UnknownVersion
from store.questions.feedback import NothingToJudge
from store.questions.new_questions import IdempotencyConflict
from store.questions.state import UnknownQuestion
from store.sql.database import DatabaseError
from workers.questions.submit import BadSite, UnknownStrategy

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
    """There is no such thing; the message names it."""


def respond(problem: Problem) -> Response:
    """The problem as a response."""
    headers = {"cache-control": "no-store"}
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["retry-after"] = str(RETRY_AFTER_S)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse(problem.model_dump(), status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


def install(app: FastAPI) -> None:
    """Have the application answer every error as a problem."""
    install_for_requests(app)
    app.add_exception_handler(WellreadError, _answer(_of_error))
    app.add_exception_handler(redis.RedisError, _answer(_of_redis))
    app.add_exception_handler(Exception, _answer(_of_bug))


def install_for_requests(app: FastAPI) -> None:
    """Have the application answer requests that no route takes as problems."""
    app.add_exception_handler(RequestValidationError, _answer(_of_validation))
    app.add_exception_handler(HTTPException, _answer(_of_http))


#: an error's class, or one it inherits from → (status, title, what to do)
_KNOWN: dict[type[Exception], tuple[int, str, str]] = {
    InvalidApiKey: (401, "Wrong key", "Send a key of WELLREAD_API_KEYS as `Authorization: Bearer KEY` or `X-API-Key`."),
    RoleTooSmall: (403, "Not allowed", "Use a key with a greater role: ask < operate < admin."),
    UnknownVersion: (404, "No such version", "GET /api/learned lists them."),
    UnknownQuestion: (404, "No such question", "Check the id; GET /api/questions lists the latest."),
    NothingToJudge: (409, "No answer to judge", "Wait for the answer, or name one of its revisions."),
    UnknownSiteRead: (404, "No such site read", "GET /api/site-reads lists the last ones."),
    SiteReadOver: (409, "The site read has ended", "POST /api/site-reads begins another one."),
    BadSchedule: (422, "No schedule", 'Give an interval such as "6h", or a cron line such as "0 3 * * *".'),
    NotFound: (404, "Not found", "Check the id."),
    IdempotencyConflict: (409, "Key used before", "Use a new Idempotency-Key for a new question."),
    QuestionError: (422, "The question cannot be asked", "Change the question as said."),
    UnknownStrategy: (422, "No such strategy", "Leave the strategy out, or name one of those listed."),
    BadSite: (422, "The URL cannot be read", "Give a public http(s) URL; one of your own, add as a source first."),
    BadBudget: (422, "The budget is too large", "Ask for less, or have the operator raise the limit."),
    DatabaseError: (503, "The database cannot be used", "Try again in some seconds; `wellread doctor` says more."),
    WellreadError: (500, "It could not be done", "Do as said; `wellread doctor` looks at the whole set-up."),
}


def _of_error(error: Exception) -> Problem:
    kind = next(kind for kind in type(error).__mro__ if kind in _KNOWN)
    status, title, what_to_do = _KNOWN[kind]
    return Problem(type=_kebab(kind.__name__), title=title, status=status, detail=str(error), what_to_do=what_to_do)


def _of_redis(error: Exception) -> Problem:
    return Problem(
        type="redis-away",
        title="Redis is away",
        status=503,
        detail="Redis did not answer.",
        what_to_do="Try again in some seconds; nothing stored is harmed. `wellread doctor` says more.",
    )


def _of_validation(error: Exception) -> Problem:
    assert isinstance(error, RequestValidationError)
    found = "; ".join(_readable(entry) for entry in error.errors()[:8])
    return Problem(
        type="bad-request",
        title="The request cannot be read",
        status=422,
        detail=found,
        what_to_do="Correct what is named; /openapi.json describes every field.",
    )


def _readable(entry: dict[str, Any]) -> str:
    """One validation error as "field: what is wrong", without echoing the value."""
    where: Sequence[Any] = entry["loc"]
    field = ".".join(str(part) for part in where[1:]) or str(where[0])
    if entry["type"] == "json_invalid":
        return f"the body is not JSON: {entry['ctx']['error']} at character {where[-1]}"
    if entry["type"] == "extra_forbidden":
        return f"{field}: there is no such field"
    return f"{field}: {entry['msg']}"


_HTTP_ADVICE = {
    400: "Send one JSON object in UTF-8; /openapi.json describes what is taken.",
    404: "Check the path; /openapi.json lists them all.",
    405: "Use the method that /openapi.json names for this path.",
    413: "Send at most 256 KB; give long material as a page to read.",
}


def _of_http(error: Exception) -> Problem:
    assert isinstance(error, HTTPException)
    return of_status(error.status_code, str(error.detail))


def of_status(status: int, detail: str) -> Problem:
    """A problem that says no more than its HTTP status."""
    title = HTTPStatus(status).phrase
    what_to_do = _HTTP_ADVICE.get(status, "Correct the request; /openapi.json describes what is taken.")
    return Problem(
        type=_kebab(title.replace(" ", "")), title=title, status=status, detail=detail, what_to_do=what_to_do
    )


def _of_bug(error: Exception) -> Problem:
    return Problem(
        type="bug",
        title="Wellread failed",
        status=500,
        detail=f"An error that nobody foresaw ({type(error).__name__}); the API's log has it whole.",
        what_to_do="Try again; if it stays, report it with the log's last lines.",
    )


def _answer(describe: Callable[[Exception], Problem]) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        problem = describe(error)
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log.error("request_failed", path=request.url.path, status=problem.status, error=str(error))
        response = respond(problem)
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return response

    return answer


def _kebab(name: str) -> str:
    return "".join(f"-{char.lower()}" if char.isupper() else char for char in name).lstrip("-")
