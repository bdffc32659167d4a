"""Documents that programs push under ids of their own: what is sent, and what is known of each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from domain.errors import WellreadError
from domain.file import PUSHED, address_of
from domain.published import Received, always_sent, described

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
@dataclass(frozen=True, kw_only=True)
class PushedDocument(Received):
    """A document that a program pushed."""

    id: str = field(metadata=described("Your own."))
    url: str = field(metadata=described("As citations name it: its own, or files://pushed/ID."))
    title: str
    lang: str
    published: datetime | None
    modified: datetime | None
    metadata: Mapping[str, Any]
    state: DocumentState = field(metadata=described("Answers can be drawn from it once it is `indexed`."))
    reason: str | None = field(metadata=described("Why it failed."))
    page_id: int = field(metadata=described("GET /api/pages/{page_id} gives its text."))
    missing: tuple[str, ...] = field(default=(), metadata=described("What of it could not be read."))
    added_at: datetime
    changed_at: datetime = field(metadata=described("When something else than before was pushed."))


@dataclass(frozen=True, kw_only=True)
class DocumentItem:
    """What came of one of several documents."""

    line: int = field(metadata=described("Its place among those sent; the first is 1."))
    id: str | None = field(metadata=described("As it was given."))
    state: DocumentState | None = None
    is_changed: bool = field(default=False, metadata=described("false: the same was there before."))
    problem: Mapping[str, Any] | None = field(
        default=None, metadata=described("Why it was not taken: type, title, status, detail and what_to_do.")
    )


@dataclass(frozen=True, kw_only=True)
class DocumentBulk:
    """What came of several documents, in the order in which they were sent."""

    documents: tuple[DocumentItem, ...]


@dataclass(frozen=True, kw_only=True)
class DocumentChange:
    """What came of deleting documents by filters."""

    done: int = field(metadata=described("Documents that are deleted."))
    left: int = field(metadata=described("Those still to be deleted: ask again. With `dry_run`, those that are meant."))


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
