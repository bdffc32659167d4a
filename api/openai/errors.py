"""Errors in the form that OpenAI's clients know."""

from __future__ import annotations

from typing import Any, Final

#: by HTTP status, as OpenAI names them
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
#: where OpenAI has a name of its own for the kind of error
_CODES: Final = {"wrong-key": "invalid_api_key", "unknown-model": "model_not_found"}
#: begins the path of every route in this form
PREFIX: Final = "/v1/"


def status_of(status: int) -> int:
    """Return the HTTP status that OpenAI answers with: 400 for every request that cannot be taken."""
    return 400 if status == 422 else status


def error_json(status: int, kind: str, message: str) -> dict[str, Any]:
    """Return the body of an error."""
    usual = "server_error" if status >= 500 else "invalid_request_error"
    code = _CODES.get(kind, kind.replace("-", "_"))
    return {"error": {"message": message, "type": _TYPES.get(status, usual), "param": None, "code": code}}
