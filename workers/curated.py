"""Keeps the answers that operators wrote.

Each is a document (:mod:`workers.documents`): so it is cited, found by other questions, exported and deleted as one.
"""

import re
from contextlib import suppress
from datetime import UTC
from typing import Any, Final

from domain.curated import CURATED, CuratedAnswer
from domain.document import Pushed
from domain.errors import WellreadError
from domain.filters import check_metadata
from store import documents
from store.documents import UnknownDocument
from store.pages import pages
from text.language import detect_language
from text.same_question import form_of
from workers import deletion
from workers import documents as pushed
from workers.documents import DocumentRefused
from workers.questions.curated import EXPIRES, FORM, from_document
from workers.services import Services

#: a link in Markdown, of which only the label would stay
_LINK: Final = re.compile(r"(?<!!)\[([^\]\n]+)\]\((https?://[^\s()]+)\)")


class UnknownCurated(WellreadError):
    """There is no curated answer with this id."""


def put(services: Services, curated_id: str, answer: str, **about: Any) -> tuple[CuratedAnswer, bool]:
    """Save an answer; what is there under this id is replaced. Return it, and whether it is new.

    ``about`` are the fields of :class:`CuratedAnswer` that its author gives. Raises BadDocumentId, DocumentRefused or
    Busy.
    """
    questions, expires_at = list(about["questions"]), about["expires_at"]
    written = (about["written"] or services.now()).astimezone(UTC)
    metadata = {
        FORM: list(dict.fromkeys(map(form_of, questions))),
        "questions": questions,
        "author": about["author"],
        "written": written.isoformat(),
        "sources": list(about["sources"]),
    }
    if expires_at is not None:
        metadata[EXPIRES] = expires_at.isoformat()
    try:
        check_metadata(metadata)
    except ValueError as error:
        raise DocumentRefused(f"Its questions, author and sources are too long: {error}.") from error
    document, is_changed = pushed.put(
        services,
        CURATED + curated_id,
        Pushed(
            form="markdown",
            content=_LINK.sub(r"\1 (\2)", answer).encode(),
            title=questions[0],
            lang=detect_language(questions[0]),
            published=written,
            place=f"{about['author']}, {written:%Y-%m-%d}",
            metadata=metadata,
        ),
    )
    return find(services, curated_id), is_changed and document.added_at == document.changed_at


def find(services: Services, curated_id: str) -> CuratedAnswer:
    """Return an operator's answer; raises UnknownCurated."""
    with services.database.read() as session, suppress(UnknownDocument):
        document = documents.find(session, CURATED + curated_id)
        if FORM in document.metadata:  # else it was pushed before such ids were kept for these
            return from_document(document, pages.texts(session, [document.page_id])[document.page_id])
    raise UnknownCurated(f"There is no curated answer {curated_id[:80]!r}.")


def list_all(services: Services, *, after: str, limit: int) -> list[CuratedAnswer]:
    """Return operators' answers by id, those behind ``after``."""
    with services.database.read() as session:
        found = documents.list_all(session, below=CURATED, after=CURATED + after, limit=limit)
        texts = pages.texts(session, [document.page_id for document in found])
    return [from_document(document, texts[document.page_id]) for document in found if FORM in document.metadata]


def delete(services: Services, curated_id: str) -> int:
    """Delete an operator's answer; return its page's id. Raises UnknownCurated."""
    return pushed.delete(services, CURATED + find(services, curated_id).id)


def delete_expired(services: Services) -> None:
    """Delete the answers whose time is over."""
    if over := services.read(documents.pages_until, CURATED, EXPIRES, services.now().isoformat()):
        deletion.delete_pages(services, over)
