"""Errors in the form that OpenAI's clients know."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, Field

#: by HTTP status, as OpenAI names them
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
#: where OpenAI has a name of its own for the kind of error
_CODES: Final = {"wrong-key": "invalid_api_key", "unknown-model": "model_not_found"}
#: begins the path of every route in this form
PREFIX: Final = "/v1/"


class ErrorDetail(BaseModel):
    """What happened."""

    message: str = Field(description="What happened, to what, and how to go on.")
    type: str = Field(description="The kind of error, as OpenAI names it.")
    param: str | None = Field(description="Always null.")
    code: str = Field(description="A short name of the error: stable, for programs.")


class ErrorAnswer(BaseModel):
    """An error, as OpenAI writes it."""

    error: ErrorDetail


#: the answers of a route in this form, beside the good one
ERRORS: Final[dict[int | str, dict[str, Any]]] = {"default": {"model": ErrorAnswer, "description": "An error."}}


def status_of(status: int) -> int:
    """Return the HTTP status that OpenAI answers with: 400 for every request that cannot be taken."""
    return 400 if status == 422 else status


def error_json(status: int, kind: str, message: str) -> dict[str, Any]:
    """Return the body of an error."""
    usual = "server_error" if status >= 500 else "invalid_request_error"
    code = _CODES.get(kind, kind.replace("-", "_"))
    return {"error": {"message": message, "type": _TYPES.get(status, usual), "param": None, "code": code}}
