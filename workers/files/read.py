"""Reads a file of the operator's own as a page is read: the same outcomes, the same record."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.extract.document import NothingToRead
from crawler.extract.files.read import read_file
from crawler.folder import FileChanging, FileGone, FileUnreadable, FolderUnreadable, read_whole
from crawler.read import ReadResult
from domain import ReadOutcome
from store.files import files
from store.files.files import FileToRead

if TYPE_CHECKING:
    from store.pages.pages import PageState
    from workers.services import Services


def read(services: Services, address: str, known: PageState | None) -> ReadResult:
    """Return what came of reading a file; nothing is stored but that an upload's bytes are no longer needed.

    ``known`` is its page as it is stored.
    """
    started = time.monotonic()
    with services.database.read() as session:
        found = files.to_read(session, address)
    if found is None or found.left_out:
        return ReadResult(outcome=ReadOutcome.GONE, url=address, reason="the file was removed")
    try:
        body = _body(services, found)
    except FileGone as error:
        return ReadResult(outcome=ReadOutcome.GONE, url=address, reason=str(error))
    except (FileChanging, FolderUnreadable) as error:
        return ReadResult(outcome=ReadOutcome.RETRY, url=address, reason=str(error))
    except FileUnreadable as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=address, reason=str(error))
    if body is None:  # an upload that was read before
        return _unchanged(address) if known else ReadResult(outcome=ReadOutcome.GONE, url=address)
    result = _extracted(body, address, known)
    if found.content is not None:
        with services.database.write() as session:
            files.drop_content(session, found.id, found.version)
    return replace(result, bytes=len(body), elapsed_s=time.monotonic() - started)


def _body(services: Services, found: FileToRead) -> bytes | None:
    if found.folder_path is None:
        return found.content
    return read_whole(Path(found.folder_path), found.path, max_bytes=services.settings.file_max_bytes)


def _extracted(body: bytes, address: str, known: PageState | None) -> ReadResult:
    body_hash = hashlib.blake2b(body, digest_size=16).hexdigest()
    is_held = known is not None and not known.is_gone
    if known is not None and is_held and known.body_hash == body_hash:
        return replace(_unchanged(address), body_hash=body_hash)
    try:
        page = read_file(body, address=address)
    except NothingToRead as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=address, reason=str(error))
    content_hash = hashlib.blake2b(f"{page.title}\0{page.text}".encode(), digest_size=16).hexdigest()
    if known is not None and is_held and known.content_hash == content_hash:
        return replace(_unchanged(address), body_hash=body_hash, content_hash=content_hash)
    return ReadResult(outcome=ReadOutcome.READ, url=address, page=page, content_hash=content_hash, body_hash=body_hash)


def _unchanged(address: str) -> ReadResult:
    return ReadResult(outcome=ReadOutcome.UNCHANGED, url=address)
