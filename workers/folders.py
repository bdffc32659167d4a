"""Watches folders: looks through each when it is due, has new and changed files read, and drops those that are gone."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import structlog

from crawler.content_types import BY_SUFFIX, suffix_of
from crawler.folder import FolderUnreadable, FoundFile, find_files, identity
from domain import ReadOutcome
from domain.errors import WellreadError
from domain.file import WatchedFolder, address_of, clean_folder
from store import files, folders
from store.pages import history, pages
from store.sql.tables import FileRow
from workers.crawl import schedules
from workers.services import Services

log = structlog.get_logger()
Value = TypeVar("Value")

#: seconds between two looks at a folder, unless its owner says otherwise
EVERY_S = 60.0
MAX_FILES = 20_000
#: of the path of a watched folder, as an index of PostgreSQL takes it
MAX_PATH_BYTES = 2_000
_BATCH = 200
#: folders of the system, in which nobody keeps documents
_SYSTEM = ("/", "/proc", "/sys", "/dev", "/etc", "/run", "/boot")


class BadFolder(WellreadError):
    """The folder cannot be watched."""


def add(services: Services, path: Path, *, name: str = "", every_s: float = EVERY_S) -> WatchedFolder:
    """Watch a folder from now on, and look through it at once; raises BadFolder, BadFileName or FolderExists."""
    folder = save(services, path, name=name, every_s=every_s)
    look_through(services, folder)
    return folder


def save(services: Services, path: Path, *, name: str = "", every_s: float = EVERY_S) -> WatchedFolder:
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
    while True:
        with services.database.write() as session:
            folder = folders.take_due(session, services.now())
        if folder is None:
            return looked
        look_through(services, folder)
        looked += 1


def look_through(services: Services, folder: WatchedFolder) -> None:
    """Have a folder's new and changed files read; mark the pages of those that are gone."""
    with services.database.read() as session:
        known = {file.address: file for file in files.of_folder(session, folder.id)}
    unseen: list[str] = []
    try:
        every = find_files(Path(folder.path), lambda name: suffix_of(name) in BY_SUFFIX, unseen.append)
        found = list(islice(every, MAX_FILES + 1))
        if not found and not all(file.left_out for file in known.values()):  # as where a disk is not mounted
            raise FolderUnreadable(
                "The folder is empty, or its disk is away: what was read from it is kept. Put it back, or stop "
                "watching with `wellread files remove FOLDER`."
            )
        here = dict(_addressed(folder, found[:MAX_FILES]))
        seen_as = identity(Path(folder.path))
        _check_same(folder, seen_as, known.values(), here)
    except FolderUnreadable as error:  # a disk that is away does not mean that its files are gone
        log.warning("folder_unreadable", folder=folder.name, error=str(error))
        _set_problem(services, folder, str(error))
        return
    too_many = f"It has more than {MAX_FILES:,} files that can be read: the others are skipped."
    _set_problem(services, folder, too_many if len(found) > MAX_FILES else None)
    if seen_as != folder.seen_as:
        with services.database.write() as session:
            folders.note(session, folder.id, seen_as=seen_as)
    changed = [(address, file) for address, file in here.items() if _is_news(known.get(address), file)]
    for some in _batches(changed, _BATCH):
        _have_read(services, folder, some)
    left = [address for address, file in known.items() if address not in here and _may_go(file, unseen)]
    for gone in _batches(left, _BATCH):
        drop(services, gone)


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
            pages.mark_gone(session, page.id, now, due_at=schedules.due_at((), address, now))
            history.add(
                session,
                page.id,
                outcome=ReadOutcome.GONE,
                status=None,
                content_hash=page.content_hash,
                reason="the file is no longer in its folder",
                now=now,
            )
            left.append(page.id)
        files.remove(session, addresses)
    for page_id in left:
        services.dispatcher.send("wellread.embed", page_id)


def _have_read(services: Services, folder: WatchedFolder, some: Iterable[tuple[str, FoundFile]]) -> None:
    now = services.now()
    with services.database.write() as session:
        if folders.find(session, folder.id) is None:  # removed meanwhile
            return
        ids = [
            files.add_found(
                session, folder.id, address, file.path, size=file.bytes, changed_ns=file.changed_ns, now=now
            )
            for address, file in some
        ]
    for candidate_id in ids:
        services.dispatcher.send("wellread.read", candidate_id)


def _addressed(folder: WatchedFolder, found: Iterable[FoundFile]) -> Iterator[tuple[str, FoundFile]]:
    for file in found:
        yield address_of(folder.name, file.clean), file


def _is_news(known: FileRow | None, file: FoundFile) -> bool:
    if known is None:
        return True
    return not known.left_out and (known.size, known.changed_ns) != (file.bytes, file.changed_ns)


def _may_go(known: FileRow, unseen: Sequence[str]) -> bool:
    """Return whether a file that was not found is gone; that one was left out is never forgotten."""
    return not known.left_out and not any(known.path == path or known.path.startswith(f"{path}/") for path in unseen)


def _set_problem(services: Services, folder: WatchedFolder, problem: str | None) -> None:
    if problem != folder.problem:
        with services.database.write() as session:
            folders.note(session, folder.id, problem=problem)


def _batches(values: Sequence[Value], size: int) -> Iterator[Sequence[Value]]:
    for first in range(0, len(values), size):
        yield values[first : first + size]
