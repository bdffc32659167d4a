"""Store which files there are, the bytes of uploads until they are read, and what came of reading each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session, defer

from domain import Candidate, ReadOutcome
from domain.errors import WellreadError
from domain.file import READ_IN_PART, StoredFile, WatchedFolder, address_of
from domain.page import WITH_TEXT
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.sql.rows import delete_rows, to_value, update_rows
from store.sql.tables import CandidateRow, FileRow, FolderRow, IndexState, PageRow

#: where a candidate comes from that is a file
ORIGIN = "file"


class UnknownFile(WellreadError):
    """There is no such file."""


@dataclass(frozen=True, kw_only=True)
class FileToRead:
    """A file as it is read: an upload's bytes, or where it is in which folder."""

    id: int
    path: str
    version: int
    content: bytes | None
    folder: WatchedFolder | None
    left_out: bool


def add_upload(session: Session, folder: str, path: str, content: bytes, now: datetime) -> tuple[int, int]:
    """Save an uploaded file, or what it is now; return its id and the id of the candidate to read."""
    address = address_of(folder, path)
    row = _row(session, address, path, now, version=0)
    row.content, row.size, row.version, row.added_at = content, len(content), row.version + 1, now
    session.flush()
    return row.id, wait_to_be_read(session, address, now)


def add_found(
    session: Session,
    folder_id: int,
    address: str,
    path: str,
    *,
    size: int,
    changed_ns: int,
    now: datetime,
    content: bytes | None = None,
) -> int:
    """Save a file that was found in a folder, as it is now; return the id of the candidate to read."""
    row = _row(session, address, path, now, version=1)
    row.folder_id, row.path, row.size, row.changed_ns = folder_id, path, size, changed_ns
    row.content, row.version = content, row.version + (content is not None)
    return wait_to_be_read(session, address, now)


def add_known(session: Session, address: str, path: str, *, size: int, page_id: int, now: datetime) -> None:
    """Save a file whose page is known from elsewhere, as one that was read; its bytes are not here."""
    if session.scalar(select(FileRow.id).where(FileRow.address == address)) is not None:
        return
    session.add(FileRow(address=address, path=path, size=size, version=1, left_out=False, added_at=now))
    row = session.get_one(CandidateRow, wait_to_be_read(session, address, now))
    row.status, row.outcome, row.page_id, row.settled_at = CandidateStatus.SETTLED, ReadOutcome.READ, page_id, now


def _row(session: Session, address: str, path: str, now: datetime, *, version: int) -> FileRow:
    """Return the file with this address, locked; one of this version where there was none."""
    row = session.scalar(select(FileRow).where(FileRow.address == address).with_for_update())
    if row is None:
        row = FileRow(address=address, path=path, version=version, left_out=False, added_at=now, size=0)
        session.add(row)
    return row


def wait_to_be_read(session: Session, address: str, now: datetime) -> int:
    """Make a file wait to be read; what is being read of it meanwhile is not stored. Return the candidate's id."""
    wanted = [Candidate(url=address, origin=ORIGIN)]
    (row_id,) = candidates.add(session, None, wanted, wave=0, status=CandidateStatus.WAITING, now=now)
    return row_id


def to_read(session: Session, address: str) -> FileToRead | None:
    """Return what is needed to read a file; None when it was removed."""
    row = session.scalar(select(FileRow).where(FileRow.address == address))
    if row is None:
        return None
    folder = session.get(FolderRow, row.folder_id) if row.folder_id else None
    return to_value(FileToRead, row, folder=to_value(WatchedFolder, folder) if folder else None)


def drop_content(session: Session, file_id: int, version: int) -> None:
    """Forget the bytes of an upload that was read, unless it was uploaded again meanwhile."""
    update_rows(session, FileRow, FileRow.id == file_id, FileRow.version == version, content=None)


def forget_mark(session: Session, file_id: int) -> None:
    """Have a file be read again when its folder is looked through next."""
    update_rows(session, FileRow, FileRow.id == file_id, changed_ns=None)


def of_folder(session: Session, folder_id: int) -> list[FileRow]:
    """Return the files of a folder as they were when it was last looked through, without their bytes."""
    query = select(FileRow).where(FileRow.folder_id == folder_id)
    return list(session.scalars(query.options(defer(FileRow.content, raiseload=True))))


def remove(session: Session, addresses: Sequence[str]) -> None:
    """Delete files with what waits to be read of them; their pages are left alone."""
    session.execute(delete(FileRow).where(FileRow.address.in_(addresses)))
    delete_rows(session, CandidateRow, CandidateRow.url.in_(addresses), CandidateRow.origin == ORIGIN)


def leave_out(session: Session, address: str) -> bool:
    """Leave a file out of its folder for good; return whether it is in one (an upload is removed instead)."""
    left = update(FileRow).where(FileRow.address == address, FileRow.folder_id.is_not(None)).values(left_out=True)
    return session.execute(left.returning(FileRow.id)).first() is not None


def find(session: Session, file_id: int) -> StoredFile:
    """Return a file and what came of reading it; raises UnknownFile."""
    found = session.execute(_listed().where(FileRow.id == file_id)).first()
    if found is None:
        raise UnknownFile(f"There is no file {file_id}: `wellread files list` shows them.")
    return _stored(*found)


def list_all(
    session: Session, *, prefix: str = "", failed: bool = False, after: str = "", address: str = "", limit: int = 1_000
) -> list[StoredFile]:
    """Return the files by address, those below ``prefix`` and behind ``after``; ``failed``: that could not be read.

    ``address``: the one that has it.
    """
    query = _listed().where(FileRow.left_out.is_(False), FileRow.address > after)
    if address:
        query = query.where(FileRow.address == address)
    if prefix:
        query = query.where(FileRow.address.startswith(prefix, autoescape=True))
    if failed:
        query = query.where(CandidateRow.outcome.in_(("empty", "failed", "gone")))
    return [_stored(*row) for row in session.execute(query.order_by(FileRow.address).limit(limit))]


def _listed() -> Select[FileRow, CandidateRow, PageRow]:
    of_file = (CandidateRow.url == FileRow.address) & (CandidateRow.origin == ORIGIN)
    return (
        select(FileRow, CandidateRow, PageRow)
        .outerjoin(CandidateRow, of_file)
        .outerjoin(PageRow, PageRow.url == FileRow.address)
        .options(defer(FileRow.content), defer(PageRow.text))
    )


def _stored(row: FileRow, candidate: CandidateRow | None, page: PageRow | None) -> StoredFile:
    held = page if page is not None and page.gone_at is None else None
    missing = tuple(held.missing) if held else ()
    outcome = candidate.outcome if candidate else None
    return to_value(
        StoredFile,
        row,
        bytes=row.size,
        outcome=READ_IN_PART if missing and outcome in WITH_TEXT else outcome,
        missing=missing,
        reason=(candidate.reason or None) if candidate else None,
        page_id=held.id if held else None,
        title=held.title if held else None,
        in_knowledge_base=held is not None and held.state == IndexState.INDEXED,
        read_at=candidate.settled_at if candidate else None,
    )
