"""Writes everything that is stored into one file while Wellread runs, and restores it where nothing is stored yet.

The file is a ZIP of JSON lines: for each collection every table's rows, all as they were at one moment. Passages are
not in it: they are made from the pages' texts.
"""

import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy import text
from sqlalchemy.exc import StatementError

from domain.errors import WellreadError
from store.archive.archive import BACKUP_FORMAT as FORMAT
from store.archive.archive import FORMAT as EXPORT_FORMAT
from store.archive.archive import (
    FREE_BYTES,
    MANIFEST,
    MAX_LINE,
    MOST_PACKED,
    explained,
    manifest_of,
    unzipped,
    written_whole,
)
from store.sql import database as sql
from store.sql import row_lines
from store.sql.database import Database, DatabaseAway, DatabaseError
from workers.services import Services
from workers.services.collections import every
from workers.settings import Settings

VERSION: Final = 1
_NOTHING: Final = "Nothing of it is stored."
#: the folder of the default collection in the file; the others' are their ids
DEFAULT: Final = "default"


class BadBackup(WellreadError):
    """The file cannot be written, or is no backup, or is damaged."""


class NotEmpty(WellreadError):
    """Something is stored where a backup is to be restored."""


@dataclass(frozen=True, kw_only=True)
class BackupContents:
    """What a backup holds."""

    rows: dict[str, int]  #: of each table
    left_out: tuple[str, ...]  #: rows that cannot be written: the name of the table and the key of each


@dataclass
class BackedUpCollection:
    """A collection in the file."""

    revision: str  #: of the tables
    tables: dict[str, list[str]] = field(default_factory=dict)  #: the columns of each, in the order of adding
    rows: dict[str, int] = field(default_factory=dict)


def backup(services: Services, path: Path, *, wellread: str) -> BackupContents:
    """Write a file whole, or not at all, which only this user may read; return what it holds."""
    parts: dict[str, BackedUpCollection] = {}
    left_out: list[str] = []
    with written_whole(path, BadBackup) as unfinished:
        unfinished.touch(mode=0o600, exist_ok=False)
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for each in every(services):
                name = DEFAULT if each.collection.is_default else each.collection.id
                parts[name], left = _write(archive, name, each.database)
                left_out += left
            about = {"format": FORMAT, "version": VERSION, "wellread": wellread, "at": services.now().isoformat()}
            held = {name: vars(part) for name, part in parts.items()}
            archive.writestr(MANIFEST, json.dumps(about | {"parts": held}, indent=1))
    return BackupContents(rows=_added(parts), left_out=tuple(left_out))


def restore(settings: Settings, path: Path) -> dict[str, int]:
    """Restore a file into databases without rows, which are made where they are missing; return the rows of each table.

    The tables are made as they were and then brought up to date. Pages are indexed again by the workers. Raises
    BadBackup, or NotEmpty; then nothing is restored. Keys and watched folders come back too, so the file must be one's
    own.
    """
    with unzipped(path, BadBackup, "backup", then=_NOTHING) as archive:
        with _explained(path):
            unpacked = _Unpacked(archive, path, settings)
        parts = _manifest(archive, path)
        for name in parts:
            _check_empty(settings, _id(name))
        try:
            for name, part in parts.items():
                with _explained(path):
                    _restore(settings, archive, name, part, unpacked)
        except BaseException:
            for name in parts.keys() - {DEFAULT}:  # the default one is whole or empty
                sql.erase(settings.database, name)
            raise
    return _added(parts)


def _write(archive: zipfile.ZipFile, name: str, database: Database) -> tuple[BackedUpCollection, list[str]]:
    left_out: dict[str, set[object]] = {}
    with row_lines.snapshot(database) as connection:
        part = BackedUpCollection(revision=row_lines.revision(connection))
        for table in row_lines.tables(connection):
            part.tables[table.name] = list(table.columns.keys())
            part.rows[table.name] = 0
            with archive.open(f"{name}/{table.name}.jsonl", "w", force_zip64=True) as member:
                for line in row_lines.lines(connection, table, left_out):
                    member.write(line)
                    part.rows[table.name] += 1
    return part, [f"{table} {key}" for table, keys in left_out.items() for key in sorted(map(str, keys))]


class _Unpacked:
    """Counts what a file unpacks to, whatever it says of that; raises ValueError for more than a backup of its size."""

    def __init__(self, archive: zipfile.ZipFile, path: Path, settings: Settings) -> None:
        self._longest, self._bytes = MAX_LINE + 2 * settings.file_max_bytes, 0
        self._most = MOST_PACKED * path.stat().st_size + FREE_BYTES
        if settings.database.startswith("sqlite"):
            needed, place = sum(member.file_size for member in archive.infolist()), settings.data_dir
            free = shutil.disk_usage(next(each for each in (place, *place.absolute().parents) if each.exists())).free
            if needed > free:
                raise ValueError(f"it unpacks to {needed:,} bytes, and {free:,} are free")

    def lines(self, member: IO[bytes]) -> Iterator[bytes]:
        """Yield the lines of a member; raises ValueError, also for one that is longer than any row."""
        while line := member.readline(min(self._longest, self._most - self._bytes) + 1):
            self._bytes += len(line)
            if self._bytes > self._most:
                raise ValueError(f"it unpacks to more than {self._most:,} bytes, far more than rows do")
            if len(line) > self._longest:
                raise ValueError(f"{member.name} has a line of more than {self._longest:,} bytes")
            yield line


def _restore(
    settings: Settings, archive: zipfile.ZipFile, name: str, part: BackedUpCollection, unpacked: _Unpacked
) -> None:
    url = settings.database
    sql.migrate(url, _id(name), to=part.revision)
    try:
        with closing(Database(url, _id(name))) as database, database.write() as session:
            connection = session.connection()
            known = {table.name: table for table in row_lines.tables(connection)}
            if known.keys() != part.tables.keys():
                raise ValueError(f"it lacks, or adds, {', '.join(sorted(known.keys() ^ part.tables.keys()))[:200]}")
            for table, columns in part.tables.items():
                with archive.open(f"{name}/{table}.jsonl") as member:
                    added = row_lines.add(connection, known[table], columns, unpacked.lines(member))
                if added != part.rows[table]:
                    raise ValueError(f"{table} has {added} rows and not {part.rows[table]}")
                row_lines.count_on(connection, known[table])
            # their passages are not in the file
            connection.execute(text("UPDATE pages SET state = 'FETCHED', attempts = 0 WHERE state = 'INDEXED'"))
    except DatabaseError as error:
        if isinstance(error, DatabaseAway):
            raise
        raise ValueError("its rows do not fit together") from error
    sql.migrate(url, _id(name))


def _check_empty(settings: Settings, part: str) -> None:
    """Raise NotEmpty where any row is stored."""
    if not sql.is_there(settings.database, part):
        return
    with closing(Database(settings.database, part)) as database, row_lines.snapshot(database) as connection:
        for table in row_lines.tables(connection):
            if connection.execute(table.select().limit(1)).first() is not None:
                raise NotEmpty(
                    f"There is something in the database already ({table.name}): a backup is restored into an empty "
                    "one. Set WELLREAD_DATA_DIR (or WELLREAD_DATABASE_URL) to another place, or move the old one away."
                )


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, BackedUpCollection]:
    with _explained(path):
        held: dict[str, Any] = json.loads(manifest_of(archive))
        if held["format"] == EXPORT_FORMAT:
            raise BadBackup(f"{path.name} is an export, not a backup: use `wellread import`.")
        if held["format"] != FORMAT:
            raise ValueError(f"it is {held['format']!r}")
        parts = {name: BackedUpCollection(**part) for name, part in held["parts"].items()}
        for name, part in parts.items():
            if name != DEFAULT:
                sql.part_schema(name)  # raises for what is no collection's id
            if not re.fullmatch(r"\d{4}", part.revision):
                raise ValueError(f"{part.revision[:40]!r} is no revision of the tables")
            if part.revision > sql.REVISION:
                raise ValueError(f"Wellread {held['wellread']} wrote it, which is newer: update this one first")
            if part.revision < sql.FIRST_REVISION:
                raise BadBackup(
                    f"{path.name} is from before Wellread 0.2.0 (revision {part.revision}): restore it with the "
                    f"version that wrote it. {sql.UPGRADE_FIRST}"
                )
        return dict(sorted(parts.items(), key=lambda each: each[0] == DEFAULT))  # the one that names the others last


def _explained(path: Path) -> AbstractContextManager[None]:
    others = (KeyError, TypeError, AttributeError, StatementError)
    return explained(path, BadBackup, "backup", *others, then=_NOTHING)


def _id(name: str) -> str:
    return "" if name == DEFAULT else name


def _added(parts: dict[str, BackedUpCollection]) -> dict[str, int]:
    found = Counter[str]()
    for part in parts.values():
        found.update(part.rows)
    return dict(found)
