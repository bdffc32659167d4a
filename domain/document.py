"""Documents that programs push under ids of their own: what is sent, and what is known of each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from domain.errors import WellreadError
from domain.file import PUSHED, address_of
from domain.published import Received, always_sent, described, published

DocumentState = Literal["waiting", "indexed", "failed"]
#: of a document's text as it is sent
DocumentForm = Literal["text", "markdown", "html", "file"]

MAX_ID: Final = 255
MAX_BULK: Final = 500
_FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class BadDocumentId(WellreadError):
    """The id of a document cannot be used; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """A document as a program sends it."""

    form: DocumentForm
    content: bytes
    name: str = ""  #: of a file
    url: str = ""
    title: str = ""
    lang: str = ""
    published: datetime | None = None
    modified: datetime | None = None
    place: str = ""  #: said of all of it where it is cited
    metadata: Mapping[str, Any] = field(default_factory=dict)


@always_sent()
class PushedDocument(Received):
    """A document that a program pushed."""

    id: str = described("Your own.")
    url: str = described("As citations name it: its own, or files://pushed/ID.")
    title: str
    lang: str
    published: datetime | None
    modified: datetime | None
    metadata: Mapping[str, Any]
    state: DocumentState = described("Answers can be drawn from it once it is `indexed`.")
    reason: str | None = described("Why it failed.")
    page_id: int = described("GET /api/pages/{page_id} gives its text.")
    missing: tuple[str, ...] = described("What of it could not be read.", default=())
    added_at: datetime
    changed_at: datetime = described("When something else than before was pushed.")


@published
class DocumentItem:
    """What came of one of several documents."""

    line: int = described("Its place among those sent; the first is 1.")
    id: str | None = described("As it was given.")
    state: DocumentState | None = None
    is_changed: bool = described("false: the same was there before.", default=False)
    problem: Mapping[str, Any] | None = described(
        "Why it was not taken: type, title, status, detail and what_to_do.", default=None
    )


@dataclass(frozen=True, kw_only=True)
class DocumentBulk:
    """What came of several documents, in the order in which they were sent."""

    documents: tuple[DocumentItem, ...]


@published
class DocumentChange:
    """What came of deleting documents by filters."""

    done: int = described("Documents that are deleted.")
    left: int = described("Those still to be deleted: ask again. With `dry_run`, those that are meant.")


def check_id(document_id: str) -> str:
    """Return a program's own id of a document; raises BadDocumentId."""
    if not document_id.strip(" .") or len(document_id) > MAX_ID:
        raise BadDocumentId(f"{document_id[:60]!r} is no id: use 1 to {MAX_ID} characters, not only dots and blanks.")
    if _FORBIDDEN.search(document_id):
        raise BadDocumentId(f"{document_id[:60]!r} has control characters: leave them out.")
    return document_id


def own_address(document_id: str) -> str:
    """Return the address of a document that has no URL."""
    return address_of(PUSHED, document_id)
