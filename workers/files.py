"""Accepts uploaded files, and reads a file of the operator's own as a page is read: the same outcomes, the same record.

The bytes of an upload wait in SQL until a worker, on whichever machine, has read them.
"""

import hashlib
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from crawler.content_types import BY_SUFFIX, NAMES, suffix_of
from crawler.extract.bounded_process import BOUNDS, PAGE_S, Bounds, ReadingEnded, TooMuchWork, read_bounded
from crawler.extract.document import EXTRACTION, NothingToRead
from crawler.extract.files.read import read_file
from crawler.folder import FileChanging, FileGone, FileUnreadable, FolderUnreadable, read_whole
from crawler.read import ReadResult
from domain import ReadOutcome
from domain.errors import WellreadError
from domain.file import UPLOADS, StoredFile, clean_path
from store import files
from store.files import FileToRead
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
    settings = services.settings
    bounds = Bounds(
        pages=settings.file_max_pages,
        chars=settings.file_max_characters,
        cpu_s=settings.file_max_seconds,
        wall_s=min(1.5 * settings.file_max_seconds, BOUNDS.all_s),
    )
    result = _extracted(services, body, address, known, bounds)
    if found.content is not None and result.outcome != ReadOutcome.RETRY:
        with services.database.write() as session:
            files.drop_content(session, found.id, found.version)
    return replace(result, bytes=len(body), elapsed_s=time.monotonic() - started)


def _body(services: Services, found: FileToRead) -> bytes | None:
    if found.folder_path is None:
        return found.content
    return read_whole(Path(found.folder_path), found.path, max_bytes=services.settings.file_max_bytes)


def _extracted(services: Services, body: bytes, address: str, known: PageState | None, bounds: Bounds) -> ReadResult:
    body_hash = f"{EXTRACTION}-{hashlib.blake2b(body, digest_size=16).hexdigest()}"
    is_held = known is not None and not known.is_gone
    if known is not None and is_held and known.body_hash == body_hash:
        return replace(_unchanged(address), body_hash=body_hash)
    read_it = partial(read_file, body, address=address, bounds=bounds)
    try:
        page = services.wait_for(read_bounded(read_it, max(len(body), bounds.chars), until=time.monotonic() + PAGE_S))
    except ReadingEnded as error:
        return ReadResult(outcome=ReadOutcome.RETRY, url=address, reason=f"{address} {error}")
    except (NothingToRead, TooMuchWork) as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=address, reason=str(error))
    content_hash = hashlib.blake2b(f"{page.title}\0{page.text}".encode(), digest_size=16).hexdigest()
    if known is not None and is_held and known.content_hash == content_hash:
        return replace(_unchanged(address), body_hash=body_hash, content_hash=content_hash)
    return ReadResult(outcome=ReadOutcome.READ, url=address, page=page, content_hash=content_hash, body_hash=body_hash)


def _unchanged(address: str) -> ReadResult:
    return ReadResult(outcome=ReadOutcome.UNCHANGED, url=address)


class FileRefused(WellreadError):
    """The file is of a kind that is not read, is empty, or is too large."""


class UnknownFile(WellreadError):
    """There is no such file."""


def add(services: Services, name: str, content: bytes) -> StoredFile:
    """Save a file and have it read; one of the same name is replaced. Raises BadFileName or FileRefused."""
    path = clean_path(name)
    suffix = suffix_of(path.rpartition("/")[2])
    if suffix == "zip":
        raise FileRefused(
            f"{path} is a ZIP, which is not read: unpack it first. If Wellread wrote it, `wellread import` takes over "
            "an export, and `wellread restore` restores a backup."
        )
    if suffix not in BY_SUFFIX:
        raise FileRefused(f"{path} is of a kind that is not read: only {NAMES} are.")
    if not content:
        raise FileRefused(f"{path} is empty.")
    if len(content) > (most := services.settings.file_max_bytes):
        raise FileRefused(f"{path} has {len(content):,} bytes: WELLREAD_FILE_MAX_BYTES allows {most:,}. Split it.")
    with services.database.write() as session:
        file_id, candidate_id = files.add_upload(session, UPLOADS, path, content, services.now())
    services.dispatcher.send("wellread.read", candidate_id)
    return get(services, file_id)


def get(services: Services, file_id: int) -> StoredFile:
    """Return a file and what came of reading it; raises UnknownFile."""
    with services.database.read() as session:
        found = files.find(session, file_id)
    if found is None:
        raise UnknownFile(f"There is no file {file_id}: `wellread files list` shows them.")
    return found
