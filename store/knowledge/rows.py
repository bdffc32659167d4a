"""Turn settings, folders, sources and pages into lines of the file, and lines into sources, folders and pages."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Literal

from pydantic import Field, ValidationError
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from domain import Block, Fact, PageText, Validators
from domain.access import Collection
from domain.file import SCHEME, WatchedFolder, is_file_address, path_of
from store import files, folders
from store.crawl import sources as stored_sources
from store.knowledge.lines import (
    CheckLine,
    FactLine,
    FileLine,
    LeftOut,
    PageLine,
    SourceLine,
    Text,
    Url,
    VersionLine,
    line_or_left_out,
    said,
    values_of,
)
from store.pages import pages, visibility
from store.pages.pages import PageState
from store.sql.database import Database
from store.sql.rows import add_missing, to_value
from store.sql.tables import FileRow, PageCheckRow, PageRow, PageVersionRow

#: pages in memory at one time
_BATCH = 16

Taken = Literal["new", "newer", "known"]


def sources(database: Database, sites: Sequence[str]) -> Iterator[SourceLine | LeftOut]:
    """Yield the sources, those that belong to ``sites`` where some are named."""
    with database.read() as session:
        found, scopes = stored_sources.list_all(session), stored_sources.scopes(session, sites)
    for source in found:
        if scopes and not any(scope.covers(source.url) for scope in scopes):
            continue
        schedule = source.schedule
        values = values_of(SourceLine, source) | {
            "every_s": schedule.every_s if schedule else None,
            "cron": (schedule.cron or None) if schedule else None,
            "zone": schedule.zone if schedule else "UTC",
        }
        yield line_or_left_out(SourceLine, f"source {source.url}", values)


def pages_of(database: Database, sites: Sequence[str] = (), *, whole: bool = False) -> Iterator[PageLine | LeftOut]:
    """Yield the pages that serve every question, those below ``sites`` where some are named.

    ``whole``: also those that are gone or private, and each with its history.
    """
    last = 0
    query = select(PageRow).where(PageRow.deleted_at.is_(None)).order_by(PageRow.id).limit(_BATCH)
    if not whole:
        query = query.where(PageRow.gone_at.is_(None), ~PageRow.private)
    if sites:
        with database.read() as session:
            query = query.where(visibility.under(PageRow.url, stored_sources.scopes(session, sites)))
    while True:
        with database.read() as session:
            rows = session.scalars(query.where(PageRow.id > last)).all()
            lines = _to_lines(session, rows, whole=whole)
        if not rows:
            return
        yield from lines
        last = rows[-1].id


def take(session: Session, line: PageLine, host: str, now: datetime, due_at: datetime) -> tuple[int, Taken]:
    """Store a page of the file unless a text is known that was seen later; return its id and which it is.

    A private page serves every question from now on if it says what the file says.
    """
    known = pages.find(session, line.url)
    if known is not None and (line.private or line.gone_at):  # what serves fewer takes nothing's place
        return known.id, "known"
    is_held = known is not None and not known.is_gone
    if known is not None and is_held and _is_no_news(known, line):
        if known.private and known.content_hash == line.content_hash:
            visibility.share(session, known.id, now)
        return known.id, "known"
    pages.save(
        session,
        url=line.url,
        host=host,
        page=_to_text(line),
        content_hash=line.content_hash,
        validators=Validators(),
        depth=line.depth,
        now=min(line.checked_at, now),
        due_at=due_at,
        private=line.private,
    )
    row = session.scalars(select(PageRow).where(PageRow.url == line.url)).one()
    row.read_at = min(line.read_at, now)
    if is_file_address(line.url):
        size = len(line.text.encode())
        files.add_known(session, line.url, path_of(line.url), size=size, page_id=row.id, now=row.read_at)
    if known is not None:
        if known.private:
            visibility.share(session, known.id, now)
        return row.id, "newer"
    row.generation = line.generation
    session.add_all(PageVersionRow(page_id=row.id, **version.model_dump()) for version in line.versions)
    session.add_all(PageCheckRow(page_id=row.id, **check.model_dump()) for check in line.checks)
    session.flush()
    if line.gone_at is not None:
        pages.mark_gone(session, row.id, min(line.gone_at, now))
    return row.id, "new"


def _is_no_news(known: PageState, line: PageLine) -> bool:
    return known.content_hash == line.content_hash or known.checked_at >= line.checked_at


def _to_lines(session: Session, rows: Sequence[PageRow], *, whole: bool) -> list[PageLine | LeftOut]:
    ids = [row.id for row in rows]
    stated = pages.facts_of(session, ids)
    former: dict[int, list[PageVersionRow]] = {}
    wanted = select(PageVersionRow).where(PageVersionRow.page_id.in_(ids)).order_by(PageVersionRow.number.desc())
    for version in session.scalars(wanted):
        former.setdefault(version.page_id, []).append(version)
    visited = _visits(session, ids) if whole else {}
    lines: list[PageLine | LeftOut] = []
    for row in rows:
        try:
            lines.append(_to_line(row, stated.get(row.id, []), former.get(row.id, []), visited.get(row.id, [])))
        except ValidationError as error:  # as with an address from before there was a limit
            lines.append(LeftOut(name=f"page {row.url}", why=said(error)))
    return lines


def _visits(session: Session, ids: Sequence[int]) -> dict[int, list[PageCheckRow]]:
    found: dict[int, list[PageCheckRow]] = {}
    for check in session.scalars(select(PageCheckRow).where(PageCheckRow.page_id.in_(ids)).order_by(PageCheckRow.id)):
        found.setdefault(check.page_id, []).append(check)
    return found


def _to_line(
    row: PageRow, stated: Sequence[Fact], former: Sequence[PageVersionRow], visited: Sequence[PageCheckRow]
) -> PageLine:
    return PageLine(
        **values_of(PageLine, row),
        facts=tuple(FactLine(**asdict(fact)) for fact in stated),
        versions=tuple(VersionLine(**values_of(VersionLine, each)) for each in former),
        checks=tuple(CheckLine(**values_of(CheckLine, each)) for each in visited),
    )


def _to_text(line: PageLine) -> PageText:
    blocks = tuple(Block(kind=kind, start=start, end=end) for kind, start, end in line.blocks)
    return to_value(PageText, line, facts=tuple(to_value(Fact, fact) for fact in line.facts), blocks=blocks)


def settings_of(collection: Collection) -> "Iterator[SettingsLine]":
    """Yield what is set for a collection."""
    yield SettingsLine(name=collection.name, exclude_sites=collection.exclude_sites)


def folders_of(database: Database) -> "Iterator[FolderLine | LeftOut]":
    """Yield the watched folders, with the files that are left out of each."""
    with database.read() as session:
        for folder in folders.list_all(session):
            left = select(FileRow.address).where(FileRow.folder_id == folder.id, FileRow.left_out)
            values = values_of(FolderLine, folder) | {"left_out": tuple(session.scalars(left))}
            yield line_or_left_out(FolderLine, f"folder {folder.name}", values)


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
