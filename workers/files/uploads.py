"""Accepts an uploaded file: its bytes wait in SQL until a worker, on whichever machine, has read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.extract.files.read import NAMES, READ, suffix_of
from domain.errors import WellreadError
from domain.file import UPLOADS, StoredFile, clean_path
from store.files import files

if TYPE_CHECKING:
    from workers.services import Services


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
    if suffix not in READ:
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
