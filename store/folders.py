"""Store the folders that are watched, and take those that are due to be looked through."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain.errors import WellreadError
from domain.file import PUSHED, UPLOADS, WatchedFolder, address_of, folder_of, is_file_address
from store.sql.rows import to_value, update_rows
from store.sql.tables import FolderRow


class BadFolder(WellreadError):
    """The folder cannot be watched."""


class FolderExists(WellreadError):
    """Another folder has this name, or lies within one that is watched."""


class UnknownFolder(WellreadError):
    """No folder has this name."""


def add(
    session: Session,
    *,
    name: str,
    path: str,
    every_s: float,
    now: datetime,
    due_in_s: float = 0.0,
    link: str = "",
    access: Mapping[str, str] = MappingProxyType({}),
) -> WatchedFolder:
    """Save a folder, due at once or later; one that is watched already keeps its name. Raises FolderExists."""
    row = session.scalar(select(FolderRow).where(FolderRow.path == path))
    if row is None:
        taken = session.scalar(select(FolderRow.path).where(FolderRow.name == name))
        if taken is not None or name in (UPLOADS, PUSHED):
            raise FolderExists(f"Another folder is called {name!r} already: give this one another name with --name.")
        row = FolderRow(name=name, path=path, every_s=every_s, next_due=now, created_at=now)
        session.add(row)
    row.every_s, row.next_due = every_s, now + timedelta(seconds=due_in_s)
    row.problem, row.seen_as, row.checked_at, row.link, row.access = None, "", None, link, dict(access)
    session.flush()
    return to_value(WatchedFolder, row)


def list_all(session: Session) -> list[WatchedFolder]:
    """Return the watched folders, by name."""
    return [to_value(WatchedFolder, row) for row in session.scalars(select(FolderRow).order_by(FolderRow.name))]


def check(session: Session, name: str) -> None:
    """Raise UnknownFolder unless files may lie in a folder of this name, or below one: a watched one's, or uploads."""
    known = [UPLOADS, *(folder.name for folder in list_all(session))]
    if name.partition("/")[0] not in known:
        raise UnknownFolder(f"There is no folder {name[:100]!r}: files are in {', '.join(known)}.")


def find(session: Session, folder_id: int) -> WatchedFolder | None:
    """Return the folder with this id."""
    row = session.get(FolderRow, folder_id)
    return to_value(WatchedFolder, row) if row else None


def take_due(session: Session, now: datetime) -> WatchedFolder | None:
    """Take the folder that has been due for longest; it is due again after its interval."""
    due = select(FolderRow).where(FolderRow.next_due <= now).order_by(FolderRow.next_due).limit(1)
    row = session.scalar(due.with_for_update(skip_locked=True))
    if row is None:
        return None
    row.next_due = now + timedelta(seconds=row.every_s)
    session.flush()
    return to_value(WatchedFolder, row)


def links(session: Session, addresses: Iterable[str]) -> dict[str, str]:
    """Return the URLs by which those of these files are cited that are in a folder elsewhere."""
    names = {folder_of(address) for address in addresses if is_file_address(address)}
    query = select(FolderRow.name, FolderRow.link).where(FolderRow.name.in_(names), FolderRow.link != "")
    return {address_of(row.name, ""): row.link for row in session.execute(query)} if names else {}


def note(session: Session, /, folder_id: int, **values: Any) -> None:
    """Record what came of looking through a folder."""
    update_rows(session, FolderRow, FolderRow.id == folder_id, **values)


def remove(session: Session, folder_id: int) -> None:
    """Delete a folder with the rows of its files; their pages are deleted by :mod:`workers.deletion`."""
    row = session.get(FolderRow, folder_id)
    if row is not None:
        session.delete(row)
