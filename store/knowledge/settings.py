"""Turn a collection's settings and watched folders into lines of the file; give a folder its files here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import Field
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from domain.access.collection import Collection
from domain.file import SCHEME, WatchedFolder, path_of
from store import folders
from store.knowledge.lines import FileLine, Text, Url
from store.sql.database import Database
from store.sql.rows import add_missing
from store.sql.tables import FileRow


def settings_of(collection: Collection) -> Iterator[SettingsLine]:
    """Yield what is set for a collection."""
    yield SettingsLine(name=collection.name, exclude_sites=collection.exclude_sites)


def folders_of(database: Database) -> Iterator[FolderLine]:
    """Yield the watched folders, with the files that are left out of each."""
    with database.read() as session:
        for folder in folders.list_all(session):
            left = select(FileRow.address).where(FileRow.folder_id == folder.id, FileRow.left_out)
            yield FolderLine(
                name=folder.name, path=folder.path, every_s=folder.every_s, left_out=tuple(session.scalars(left))
            )


def adopt(session: Session, folder: WatchedFolder, left_out: Sequence[str], now: datetime) -> None:
    """Give a folder the files that are known under its name, and those that are not to be read again."""
    below = FileRow.address.startswith(f"{SCHEME}{folder.name}/", autoescape=True)
    session.execute(update(FileRow).where(below, FileRow.folder_id.is_(None)).values(folder_id=folder.id))
    for address in left_out:
        values = {"path": path_of(address), "folder_id": folder.id, "size": 0, "left_out": True, "added_at": now}
        add_missing(session, FileRow, FileRow.address, address=address, version=1, **values)


class SettingsLine(FileLine):
    """What is set for the collection itself."""

    name: str = Field(max_length=80)
    exclude_sites: tuple[Url, ...] = Field(default=(), max_length=1_000)


class FolderLine(FileLine):
    """A folder whose files are read; where it lies on the machine that wrote the file."""

    name: str = Field(max_length=80)
    path: Text
    every_s: float = Field(gt=0, le=366 * 86_400)
    left_out: tuple[Url, ...] = Field(default=(), max_length=100_000)  #: addresses of files that are not read again
