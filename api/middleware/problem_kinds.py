"""The kinds of problems that the API answers with: by the error's class, its name, status, title and what to do."""

import tomllib
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from pydantic import BaseModel, Field

from domain.errors import WellreadError


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


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """The common part of all problems of one error class."""

    type: str  #: programs know the problem by it: it stays when the class is renamed
    status: int
    title: str
    what_to_do: str
    detail: str = ""  #: "": the error's own message


_FILE = Path(__file__).with_suffix(".toml")
#: by the name of the error's class, or of one that it inherits from
_KNOWN = {name: _Kind(**kind) for name, kind in tomllib.loads(_FILE.read_text("utf-8")).items()}


def of_error(error: Exception) -> Problem:
    """Return the problem that an error of a known kind is."""
    kind = next(_KNOWN[parent.__name__] for parent in type(error).__mro__ if parent.__name__ in _KNOWN)
    detail = kind.detail or str(error)
    return Problem(type=kind.type, title=kind.title, status=kind.status, detail=detail, what_to_do=kind.what_to_do)


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
