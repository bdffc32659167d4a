"""Settings, folders, sources and pages: rows as lines of the file, and lines as rows."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from domain import Block, BlockKind, Fact, PageText, Validators
from domain.document import MAX_ID
from domain.file import SCHEME, WatchedFolder, is_file_address, path_of
from domain.filters import Value, check_metadata, tags_of
from domain.options import SourceSettings
from store import documents, files, folders
from store.archive import archive
from store.archive.archive import (
    Address,
    FileLine,
    Hash,
    LeftOut,
    Short,
    Text,
    Url,
    line_of,
    line_or_left_out,
    lines_of,
    values_of,
)
from store.crawl import sources as stored_sources
from store.pages import pages, visibility
from store.sql.database import Database
from store.sql.rows import add_missing, to_value
from store.sql.tables import DocumentRow, FactRow, FileRow, PageCheckRow, PageRow, PageVersionRow

#: pages in memory at one time
_BATCH = 16
MAX_PARTS = 100_000  #: headings, blocks or places of a page

Taken = Literal["new", "newer", "known"]
Place = tuple[Annotated[int, Field(ge=0)], Text]


class FactLine(line_of(FactRow, "id", "subject_folded")):  # type: ignore[misc]
    """A fact that a page states."""


class VersionLine(line_of(PageVersionRow)):  # type: ignore[misc]
    """A text that a page had."""

    number: int = Field(ge=1, lt=2**31)


class CheckLine(line_of(PageCheckRow, "id")):  # type: ignore[misc]
    """What came of a visit to a page, perhaps several times in a row."""


class SettingsLine(FileLine):
    """What is set for the collection itself."""

    member = archive.SETTINGS

    name: str = Field(max_length=80)
    exclude_sites: tuple[Url, ...] = Field(default=(), max_length=1_000)


class FolderLine(FileLine):
    """A folder whose files are read; where it lies on the machine that wrote the file."""

    member = archive.FOLDERS

    name: str = Field(max_length=80)
    path: Text
    every_s: float = Field(gt=0, le=366 * 86_400)
    left_out: tuple[Url, ...] = Field(default=(), max_length=100_000)  #: addresses of files that are not read again


class SourceLine(FileLine, SourceSettings):
    """A site that may be read for any question."""

    member = archive.SOURCES

    url: Url
    own: bool = False
    every_s: float | None = None
    cron: str | None = Field(default=None, max_length=100)
    zone: str = Field(default="UTC", max_length=64)
    moved_to: Url | None = None


class DocumentPart(BaseModel):
    """What makes a page a document: its program's id and metadata."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    id: Annotated[Text, Field(min_length=1, max_length=MAX_ID)]
    metadata: Annotated[dict[str, Value], AfterValidator(check_metadata)] = Field(default_factory=dict)


class PageLine(FileLine):
    """A page with its text, its facts and its former texts."""

    member = archive.PAGES

    id: int = Field(default=0, ge=0, lt=2**63)  #: where it was exported; what questions cite it by
    url: Url
    title: Text
    text: Text
    lang: Short
    headings: tuple[Place, ...] = Field(default=(), max_length=MAX_PARTS)
    blocks: tuple[tuple[BlockKind, Annotated[int, Field(ge=0)], int], ...] = Field(default=(), max_length=MAX_PARTS)
    places: tuple[Place, ...] = Field(default=(), max_length=MAX_PARTS)
    missing: tuple[Text, ...] = Field(default=(), max_length=1_000)
    published: AwareDatetime | None = None
    modified: AwareDatetime | None = None
    canonical_url: Address = ""
    is_hub: bool = False
    depth: int = Field(default=0, ge=0, le=10_000)
    content_hash: Hash
    generation: int = Field(ge=1, lt=2**31)
    read_at: AwareDatetime
    checked_at: AwareDatetime
    facts: tuple[FactLine, ...] = Field(default=(), max_length=10_000)
    versions: tuple[VersionLine, ...] = Field(default=(), max_length=100)
    private: bool = False  #: it serves only the questions that had it read
    gone_at: AwareDatetime | None = None
    checks: tuple[CheckLine, ...] = Field(default=(), max_length=10_000)
    document: DocumentPart | None = None

    @model_validator(mode="after")
    def _lies_in_the_text(self) -> Self:
        ends: list[Any] = [at for at, _ in self.headings]
        if ends != sorted(ends) or any(at > len(self.text) for at, _ in (*self.headings, *self.places)):
            raise ValueError("a heading or place is not in the text")
        last = 0
        for _, start, end in self.blocks:
            if not last <= start <= end <= len(self.text):
                raise ValueError("the blocks are not in the text, one after the other")
            last = end
        numbers = [version.number for version in self.versions]
        if len(set(numbers)) != len(numbers) or any(number >= self.generation for number in numbers):
            raise ValueError("the former texts are not numbered one after the other")
        return self

    def shorter(self) -> Self | None:
        """Return it without its oldest former text; None where it has none."""
        return self.model_copy(update={"versions": self.versions[:-1]}) if self.versions else None


def sources(database: Database, sites: Sequence[str]) -> Iterator[SourceLine | LeftOut]:
    """Yield the sources, those that belong to ``sites`` where some are named."""
    with database.read() as session:
        found, scopes = stored_sources.list_all(session), stored_sources.scopes(session, sites)
    for source in found:
        if scopes and not any(scope.covers(source.url) for scope in scopes):
            continue
        values = values_of(SourceLine, source)
        if schedule := source.schedule:
            values |= {"every_s": schedule.every_s, "cron": schedule.cron or None, "zone": schedule.zone}
        yield line_or_left_out(f"source {source.url}", partial(SourceLine, **values))


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
            lines = [line_or_left_out(f"page {row.url}", partial(_to_line, session, row, whole=whole)) for row in rows]
        if not rows:
            return
        yield from lines
        last = rows[-1].id


def take(session: Session, line: PageLine, host: str, now: datetime, due_at: datetime) -> tuple[int, Taken]:
    """Store a page of the file unless a text is known that was seen later; return its id and which it is.

    A private page serves every question from now on if it says what the file says.
    """
    known, document = pages.find(session, line.url), line.document
    if document is not None and (held := session.get(DocumentRow, document.id)) is not None and held.page_id:
        return held.page_id, "known"
    if known is not None and (document is not None or known.is_document):  # neither takes the other's URL
        return known.id, "known"
    if known is not None and (line.private or line.gone_at):  # what serves fewer takes nothing's place
        return known.id, "known"
    if known is not None and not known.is_gone:
        is_same = known.content_hash == line.content_hash
        if known.private and is_same:
            visibility.share(session, known.id, now)
        if is_same or known.checked_at >= line.checked_at:
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
        tags=tags_of(document.metadata) if document else (),
    )
    row = session.scalars(select(PageRow).where(PageRow.url == line.url)).one()
    row.read_at = min(line.read_at, now)
    if document is not None:
        documents.add_known(session, document.id, row.id, document.metadata, row.read_at)
    elif is_file_address(line.url):
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


def _to_line(session: Session, row: PageRow, *, whole: bool) -> PageLine:
    stated = select(FactRow).where(FactRow.page_id == row.id).order_by(FactRow.id)
    former = select(PageVersionRow).where(PageVersionRow.page_id == row.id).order_by(PageVersionRow.number.desc())
    visited = select(PageCheckRow).where(PageCheckRow.page_id == row.id).order_by(PageCheckRow.id)
    pushed = session.scalar(select(DocumentRow).where(DocumentRow.page_id == row.id))
    return PageLine(
        **values_of(PageLine, row),
        document=DocumentPart(id=pushed.id, metadata=pushed.fields) if pushed else None,
        facts=lines_of(FactLine, session.scalars(stated)),
        versions=lines_of(VersionLine, session.scalars(former)),
        checks=lines_of(CheckLine, session.scalars(visited)) if whole else (),
    )


def _to_text(line: PageLine) -> PageText:
    blocks = tuple(Block(kind=kind, start=start, end=end) for kind, start, end in line.blocks)
    return to_value(PageText, line, facts=tuple(to_value(Fact, fact) for fact in line.facts), blocks=blocks)


def folders_of(database: Database) -> Iterator[FolderLine | LeftOut]:
    """Yield the watched folders, with the files that are left out of each."""
    with database.read() as session:
        for folder in folders.list_all(session):
            if folder.url:
                yield LeftOut(name=f"folder {folder.name}", why="it has a login: `wellread files watch` adds it again")
                continue
            left = select(FileRow.address).where(FileRow.folder_id == folder.id, FileRow.left_out)
            values = values_of(FolderLine, folder) | {"left_out": tuple(session.scalars(left))}
            yield line_or_left_out(f"folder {folder.name}", partial(FolderLine, **values))


def adopt(session: Session, folder: WatchedFolder, left_out: Sequence[str], now: datetime) -> None:
    """Give a folder the files that are known under its name, and those that are not to be read again."""
    below = FileRow.address.startswith(f"{SCHEME}{folder.name}/", autoescape=True)
    session.execute(update(FileRow).where(below, FileRow.folder_id.is_(None)).values(folder_id=folder.id))
    for address in left_out:
        values = {"path": path_of(address), "folder_id": folder.id, "size": 0, "left_out": True, "added_at": now}
        add_missing(session, FileRow, FileRow.address, address=address, version=1, **values)
