"""Look through a folder of this machine, and read a file in it: never what lies outside, and never half a change.

No symbolic link is followed, and nothing whose name begins with a dot is seen: keys and settings lie in such files.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from domain.errors import WellreadError
from domain.file import MAX_DEPTH, BadFileName, clean_path

#: what says that a file is gone or replaced by something else; any other error may pass
_LASTING = (errno.ENOENT, errno.ELOOP, errno.ENOTDIR)
#: how often a file is read that changes meanwhile, and the seconds between
TRIES, PAUSE_S = 4, 0.25
#: that are read of one folder
MAX_FILES = 20_000


@dataclass(frozen=True, kw_only=True)
class FoundFile:
    """A file in a folder."""

    path: str  #: from the folder, as the disk writes it
    clean: str  #: the same, as addresses write it
    bytes: int | None = None  #: None: not known before it is read
    changed_ns: int  #: of a folder elsewhere, a number that stands for its own mark of change
    object_id: str = ""  #: by which a repository names what is in it


class FolderUnreadable(WellreadError):
    """The folder, or its disk, cannot be read now; the message says why."""


class FileUnreadable(WellreadError):
    """The file cannot be read; the message says why."""


class FileGone(WellreadError):
    """There is no such file in the folder any more."""


class FileChanging(WellreadError):
    """The file changed each time it was read."""


def find_files(
    root: Path, wanted: Callable[[str], bool], unseen: Callable[[str], object] = lambda path: None
) -> Iterator[FoundFile]:
    """Yield the files below a folder whose name is wanted; raises FolderUnreadable for the folder itself.

    ``unseen`` is called with the path of each file or folder in it that is there, but cannot be looked at.
    """
    try:
        disk = root.stat().st_dev
        entries = list(os.scandir(root))
        yield from _below(entries, "", wanted, unseen, MAX_DEPTH)
        if root.stat().st_dev != disk:
            raise FolderUnreadable("The disk of the folder was changed while it was looked through.")
    except OSError as error:
        raise _unreadable(error) from error


def identity(root: Path) -> str:
    """Return what tells a folder from another one at the same path, as on another disk; raises FolderUnreadable."""
    try:
        found = root.stat()
    except OSError as error:
        raise _unreadable(error) from error
    return f"{found.st_dev}:{found.st_ino}"


def read_whole(root: Path, path: str, *, max_bytes: int, sleep: Callable[[float], None] = time.sleep) -> bytes:
    """Return a file's bytes as they were at one moment.

    Raises FileGone, FileUnreadable, FileChanging when it is being written, or FolderUnreadable when its disk is away.
    """
    for attempt in range(TRIES):
        if attempt:
            sleep(PAUSE_S)
        found = _read_once(root, path, max_bytes)
        if found is not None:
            return found
    raise FileChanging(f"{path} changes while it is read: it is read again once it rests.")


def _below(
    entries: list[os.DirEntry[str]],
    above: str,
    wanted: Callable[[str], bool],
    unseen: Callable[[str], object],
    depth: int,
) -> Iterator[FoundFile]:
    for entry in sorted(entries, key=lambda each: each.name):
        if entry.name.startswith("."):
            continue
        path = f"{above}{entry.name}"
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth > 1:
                    yield from _below(list(os.scandir(entry.path)), f"{path}/", wanted, unseen, depth - 1)
            elif entry.is_file(follow_symlinks=False) and wanted(entry.name):
                known = entry.stat(follow_symlinks=False)
                yield FoundFile(path=path, clean=clean_path(path), bytes=known.st_size, changed_ns=known.st_mtime_ns)
        except (FileNotFoundError, BadFileName):  # vanished meanwhile, or a name that cannot be written
            continue
        except OSError:  # not allowed, or its disk is away
            unseen(path)


def _read_once(root: Path, path: str, max_bytes: int) -> bytes | None:
    """Return the bytes; None when they changed meanwhile."""
    try:
        handle = _open(root, path)
    except OSError as error:
        reason = f"{path} cannot be opened: {error.strerror or error}. Let the account that runs Wellread read it."
        try:
            is_away = next(root.iterdir(), None) is None  # nothing in it, as when a disk is not mounted
        except OSError:
            is_away = True
        if error.errno not in _LASTING or is_away:
            raise FolderUnreadable(reason) from error
        if error.errno == errno.ENOENT:
            raise FileGone(f"{path} is no longer in its folder.") from error
        raise FileUnreadable(reason) from error
    before = os.fstat(handle)
    if not stat.S_ISREG(before.st_mode):
        os.close(handle)
        raise FileUnreadable(f"{path} is not a readable file.")
    with os.fdopen(handle, "rb") as file:
        if before.st_size > max_bytes:
            limit = f"WELLREAD_FILE_MAX_BYTES allows {max_bytes:,}. Split it."
            raise FileUnreadable(f"{path} has {before.st_size:,} bytes: {limit}")
        try:
            body = file.read(max_bytes + 1)
        except OSError as error:
            raise FolderUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
        after = os.fstat(file.fileno())
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(body) == after.st_size
    return body if same else None


def _open(root: Path, path: str) -> int:
    """Open a file below the folder, part by part, so that no link on the way can lead out of it."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        # without waiting: a pipe would keep the reader for ever
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _unreadable(error: OSError) -> FolderUnreadable:
    return FolderUnreadable(
        f"The folder cannot be read: {error.strerror or error}. What was read from it is kept: put it back, "
        "let Wellread's account read it, or stop watching with `wellread files remove FOLDER`."
    )
