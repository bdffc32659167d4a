"""Keeps the documents that questions bring: pages that serve these alone, and go with the last of them."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from crawler.extract.document import NothingToRead, read_plain
from crawler.extract.files.file_text import read_file
from domain import PageText
from domain.errors import WellreadError
from domain.file import ATTACHED, address_of
from domain.question import Attached
from store.crawl import candidates
from store.pages import pages, visibility
from store.pages.refresh_queue import NEVER
from store.sql.tables import QuestionRow
from text.invisible import strip_invisible
from workers.questions.conditions import move_on

_MAX_NAME: Final = 80
#: characters that are read as plain text: Markdown takes longer, in a process that has others to answer
_LONG: Final = 50_000

#: a document by its address
Document = tuple[str, PageText]


class AttachmentUnreadable(WellreadError):
    """A document that came with a question cannot be read."""


def read(attached: Sequence[Attached]) -> tuple[Document, ...]:
    """Return the documents as pages; raises AttachmentUnreadable."""
    return tuple(_read(each) for each in attached)


def _read(attached: Attached) -> Document:
    name = re.sub(r"[^\w.-]+", "-", attached.name or "document")[-_MAX_NAME:].strip("-.") or "document"
    digest = hashlib.blake2b(f"{attached.name}\0{attached.text}".encode(), digest_size=8).hexdigest()
    address = address_of(ATTACHED, f"{digest}/{name}.md")
    try:
        if len(attached.text) < _LONG:
            page = read_file(f"\ufeff{attached.text}".encode(), address=address)
        else:
            page = read_plain(strip_invisible(attached.text), address)
    except NothingToRead as error:
        raise AttachmentUnreadable(f"A document that came with the question cannot be read: {error}") from error
    return address, replace(page, title=strip_invisible(attached.name) or name)


def store(session: Session, row: QuestionRow, documents: Sequence[Document], now: datetime) -> list[int]:
    """Save a new question's documents, which it waits for; return the pages that are to be embedded."""
    visibility.grant(session, row.id, [address for address, _ in documents])
    waiting = []
    for address, page in documents:
        page_id, is_new = pages.save(
            session, url=address, host=address_of(ATTACHED, ""), page=page, now=now, due_at=now + NEVER, private=True
        )
        candidates.add_read(session, row.id, address, page_id, now)
        if is_new:
            waiting.append(page_id)
    move_on(session, row, now)
    return waiting
