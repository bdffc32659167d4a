"""Accepts uploaded files and watches folders; reads a file as a page is read: the same outcomes, the same record.

The bytes of an upload wait in SQL until a worker, on whichever machine, has read them. A folder is looked through when
it is due: new and changed files are read, and those that are gone are dropped.
"""

import hashlib
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from crawler.extract.bounded_process import BOUNDS, PAGE_S, Bounds, ReadingEnded, TooMuchWork, read_bounded
from crawler.extract.document import EXTRACTION, NothingToRead
from crawler.extract.files.file_text import read_file
from crawler.fetch.guard import FetchError
from crawler.fetch.response import TooLarge
from crawler.file_kinds import BY_SUFFIX, NAMES, suffix_of
from crawler.folder import (
    MAX_FILES,
    FileChanging,
    FileGone,
    FileUnreadable,
    FolderUnreadable,
    FoundFile,
    find_files,
    identity,
    read_whole,
)
from crawler.read import ReadResult
from domain import ReadOutcome
from domain.errors import WellreadError
from domain.file import UPLOADS, StoredFile, WatchedFolder, address_of, clean_folder, clean_path
from store import files, folders
from store.folders import BadFolder
from store.pages import pages
from store.pages.pages import PageState
from store.pages.refresh_queue import NEVER
from store.sql.rows import groups
from store.sql.tables import FileRow
from workers import remote_folders
from workers.services import Services
from workers.settings import Settings

log = structlog.get_logger()

#: seconds between two looks at a folder, unless its owner says otherwise
EVERY_S = 60.0
#: of the path of a watched folder, as an index of PostgreSQL takes it
MAX_PATH_BYTES = 2_000
_BATCH = 200
#: seconds until a look at a folder that another worker looks through
_AGAIN_S = 10.0
#: folders of the system, in which nobody keeps documents
_SYSTEM = ("/", "/proc", "/sys", "/dev", "/etc", "/run", "/boot")


def read(services: Services, address: str, known: PageState | None) -> ReadResult:
    """Return what came of reading a file; nothing is stored but that an upload's bytes are no longer needed.

    ``known`` is its page as it is stored.
    """
    started = time.monotonic()
    found = services.read(files.to_read, address)
    if found is None or found.left_out:
        return ReadResult(outcome=ReadOutcome.GONE, url=address, reason="the file was removed")
    try:
        body = found.content
        if found.folder is not None and body is None:
            body = _read_in(services, found.folder, found.path)
    except FileGone as error:
        return ReadResult(outcome=ReadOutcome.GONE, url=address, reason=str(error))
    except (FileChanging, FolderUnreadable) as error:
        services.write(files.forget_mark, found.id)  # the tries may be over before the server or disk is back
        return ReadResult(outcome=ReadOutcome.RETRY, url=address, reason=str(error))
    except FileUnreadable as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=address, reason=str(error))
    if body is None:  # an upload that was read before
        return _unchanged(address) if known else ReadResult(outcome=ReadOutcome.GONE, url=address)
    result = _extracted(services, body, address, known, bounds(services.settings))
    if found.content is not None and result.outcome != ReadOutcome.RETRY:
        services.write(files.drop_content, found.id, found.version)
    return replace(result, bytes=len(body), elapsed_s=time.monotonic() - started)


def bounds(settings: Settings) -> Bounds:
    """Return what reading a file may take."""
    return Bounds(
        pages=settings.file_max_pages,
        chars=settings.file_max_characters,
        cpu_s=settings.file_max_seconds,
        wall_s=min(1.5 * settings.file_max_seconds, BOUNDS.all_s),
    )


def _read_in(services: Services, folder: WatchedFolder, path: str) -> bytes:
    """Return a file's bytes. Raises FileGone, FileUnreadable, FileChanging or FolderUnreadable."""
    most = services.settings.file_max_bytes
    if folder.url is None:
        return read_whole(Path(folder.path), path, max_bytes=most)
    try:
        body = services.wait_for(remote_folders.opened(services, folder).read(path))
    except FetchError as error:
        raise (FileUnreadable if isinstance(error, TooLarge) else FolderUnreadable)(f"{error}.") from error
    if len(body) > most:
        raise FileUnreadable(f"{path} has {len(body):,} bytes: WELLREAD_FILE_MAX_BYTES allows {most:,}. Split it.")
    return body


def _extracted(services: Services, body: bytes, address: str, known: PageState | None, within: Bounds) -> ReadResult:
    body_hash = f"{EXTRACTION}-{hashlib.blake2b(body, digest_size=16).hexdigest()}"
    is_held = known is not None and not known.is_gone
    if known is not None and is_held and known.body_hash == body_hash:
        return replace(_unchanged(address), body_hash=body_hash)
    read_it = partial(read_file, body, address=address, bounds=within)
    try:
        page = services.wait_for(read_bounded(read_it, max(len(body), within.chars), until=time.monotonic() + PAGE_S))
    except ReadingEnded as error:
        return ReadResult(outcome=ReadOutcome.RETRY, url=address, reason=f"{address} {error}")
    except (NothingToRead, TooMuchWork) as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=address, reason=str(error))
    content_hash = page.content_hash
    if known is not None and is_held and known.content_hash == content_hash:
        return replace(_unchanged(address), body_hash=body_hash, content_hash=content_hash)
    return ReadResult(outcome=ReadOutcome.READ, url=address, page=page, content_hash=content_hash, body_hash=body_hash)


def _unchanged(address: str) -> ReadResult:
    return ReadResult(outcome=ReadOutcome.UNCHANGED, url=address)


class FileRefused(WellreadError):
    """The file is of a kind that is not read, is empty, or is too large."""


def add(services: Services, name: str, content: bytes) -> StoredFile:
    """Save a file and have it read; one of the same name is replaced. Raises BadFileName or FileRefused."""
    path = check_file(services, name, content)
    file_id, candidate_id = services.write(files.add_upload, UPLOADS, path, content, services.now())
    services.dispatcher.send("wellread.read", candidate_id)
    return services.read(files.find, file_id)


def check_file(services: Services, name: str, content: bytes) -> str:
    """Return the path of a file that may be read. Raises BadFileName or FileRefused."""
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
    return path


def watch(services: Services, path: Path, *, name: str = "", every_s: float = EVERY_S) -> WatchedFolder:
    """Watch a folder from now on, and look through it at once; raises BadFolder, BadFileName or FolderExists."""
    folder = save_folder(services, path, name=name, every_s=every_s)
    look_through(services, folder)
    return folder


def save_folder(services: Services, path: Path, *, name: str = "", every_s: float = EVERY_S) -> WatchedFolder:
    """Save a folder to be watched, which is due at once; raises BadFolder, BadFileName or FolderExists."""
    real = path.expanduser().resolve()
    if not real.is_dir():
        raise BadFolder(f"{path} is not a folder on this machine.")
    if len(str(real).encode()) > MAX_PATH_BYTES:
        raise BadFolder(
            f"{str(real)[:80]}… has more than {MAX_PATH_BYTES:,} bytes: watch a folder with a shorter path."
        )
    data = services.settings.data_dir.resolve()
    if str(real) in _SYSTEM or real.is_relative_to(data) or data.is_relative_to(real):
        raise BadFolder(f"{path} is a folder of the system, or holds Wellread's own data: name one with documents.")
    with services.database.write() as session:
        for other in folders.list_all(session):
            held = Path(other.path)
            if held != real and (real.is_relative_to(held) or held.is_relative_to(real)):
                raise BadFolder(f"{path} and the watched folder {other.name!r} lie within each other: watch one.")
        named = clean_folder(name or real.name)
        return folders.add(session, name=named, path=str(real), every_s=every_s, now=services.now())


def look_through_due(services: Services) -> int:
    """Look through the folders that are due; return how many."""
    looked = 0
    while folder := services.write(folders.take_due, services.now()):
        if folder.url is None:
            look_through(services, folder)
        else:  # a server may take its time
            services.dispatcher.send("wellread.look", folder.id, priority=0)
        looked += 1
    return looked


def look_through_one(services: Services, folder_id: int) -> None:
    """Look through a folder, unless it is watched no longer: later, while another worker does."""
    with services.alone(f"look:{folder_id}") as is_alone:
        if not is_alone:
            services.dispatcher.send("wellread.look", folder_id, priority=0, in_s=_AGAIN_S)
        elif folder := services.read(folders.find, folder_id):
            look_through(services, folder)


def look_through(services: Services, folder: WatchedFolder) -> None:
    """Have a folder's new and changed files read; mark the pages of those that are gone."""
    try:
        problem, seen_as = _look(services, folder)
    except (FolderUnreadable, FetchError, SoftTimeLimitExceeded) as error:  # away does not mean that its files are gone
        problem = str(error)
        if isinstance(error, SoftTimeLimitExceeded):
            problem = "Looking through it took longer than 100 s, and the rest follows"
        if folder.url:
            problem = f"{problem.rstrip('.')}. What was read from it is kept; it is looked at again."
        log.warning("folder_unreadable", folder=folder.name, error=problem)
        services.write(folders.note, folder.id, problem=problem)
    else:
        services.write(folders.note, folder.id, problem=problem, seen_as=seen_as, checked_at=services.now())


def _look(services: Services, folder: WatchedFolder) -> tuple[str | None, str]:
    """Return what is wrong with a folder that was looked through, and as what it was seen."""
    known = {file.address: file for file in services.read(files.of_folder, folder.id)}
    unseen: list[str] = []
    remote = remote_folders.opened(services, folder) if folder.url else None
    if remote:
        seen_as = services.wait_for(remote.mark())
        if seen_as and seen_as == folder.seen_as:
            return None, seen_as
        every = services.wait_for(remote.find(seen_as, _is_readable))
    else:
        every = find_files(Path(folder.path), _is_readable, unseen.append)
    found = list(islice(every, MAX_FILES + 1))
    if not found and not all(file.left_out for file in known.values()):  # as where a disk is not mounted
        raise FolderUnreadable(
            "The folder is empty, or its disk is away: what was read from it is kept. Put it back, or stop "
            "watching with `wellread files remove FOLDER`."
        )
    here = {address_of(folder.name, file.clean): file for file in found[:MAX_FILES]}
    if remote is None:
        seen_as = identity(Path(folder.path))
        _check_same(folder, seen_as, known.values(), here)
    changed = [(address, file) for address, file in here.items() if _is_news(known.get(address), file)]
    for some in groups(changed, _BATCH):
        contents = services.wait_for(remote.contents([file for _, file in some])) if remote else {}
        _have_read(services, folder, some, contents)
    left = [address for address, file in known.items() if address not in here and _may_go(file, unseen)]
    for gone in groups(left, _BATCH):
        drop(services, gone)
    if len(found) > MAX_FILES:  # seen as nothing known, so that all is looked at again
        return f"It has more than {MAX_FILES:,} files that can be read: the others are skipped.", ""
    return None, seen_as


def _is_readable(name: str) -> bool:
    return suffix_of(name) in BY_SUFFIX


def _check_same(folder: WatchedFolder, seen_as: str, known: Iterable[FileRow], here: Collection[str]) -> None:
    """Raise FolderUnreadable where another folder or disk took the place of the one that was read.

    The same disk may come back under another number; then most of its files are still there.
    """
    held = [file.address for file in known if not file.left_out]
    left = sum(address in here for address in held)
    if folder.seen_as in ("", seen_as) or left * 2 >= len(held):
        return
    raise FolderUnreadable(
        f"Another folder or disk is at its place, with {left:,} of the {len(held):,} files: what was read from it "
        f"is kept. To accept it as it is now, add it again: `wellread add FOLDER --name {folder.name}`."
    )


def drop(services: Services, addresses: Sequence[str]) -> None:
    """Forget files that their folder no longer has; their pages leave the knowledge base."""
    now, left = services.now(), []
    with services.database.write() as session:
        for address in addresses:
            page = pages.find(session, address)
            if page is None or page.is_gone:
                continue
            pages.mark_gone(session, page.id, now, due_at=now + NEVER, reason="the file is no longer in its folder")
            left.append(page.id)
        files.remove(session, addresses)
    services.dispatcher.send_all("wellread.embed", left)


def _have_read(
    services: Services, folder: WatchedFolder, some: Iterable[tuple[str, FoundFile]], contents: Mapping[str, bytes]
) -> None:
    now, most = services.now(), services.settings.file_max_bytes
    with services.database.write() as session:
        if folders.find(session, folder.id) is None:  # removed meanwhile
            return
        ids, add = [], partial(files.add_found, session, folder.id, now=now)
        for address, file in some:
            body = contents.get(file.path)
            size = file.bytes or 0 if body is None else len(body)
            content = body if size <= most else None
            ids.append(add(address, file.path, size=size, changed_ns=file.changed_ns, content=content))
    services.dispatcher.send_all("wellread.read", ids)


def _is_news(known: FileRow | None, file: FoundFile) -> bool:
    if known is None or known.left_out:
        return known is None
    size = known.size if file.bytes is None else file.bytes
    return (known.size, known.changed_ns) != (size, file.changed_ns)


def _may_go(known: FileRow, unseen: Sequence[str]) -> bool:
    """Return whether a file that was not found is gone; that one was left out is never forgotten."""
    return not known.left_out and not any(known.path == path or known.path.startswith(f"{path}/") for path in unseen)
