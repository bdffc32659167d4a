"""The file: a ZIP archive of JSON lines with a manifest. It is written and read line by line, and never trusted."""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, ClassVar, Final, Self, TypeVar, get_args, get_type_hints

import structlog
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, create_model

from domain.errors import WellreadError
from store.sql.tables import Leased, Table

log = structlog.get_logger()

FORMAT: Final = "wellread-knowledge"
#: of the other file that Wellread writes (workers.backup)
BACKUP_FORMAT: Final = "wellread-backup"
VERSION: Final = 2
SOURCES, PAGES, MANIFEST = "sources.jsonl", "pages.jsonl", "manifest.json"
#: what a collection's file has besides those
SETTINGS, FOLDERS, THREADS, QUESTIONS = "settings.jsonl", "folders.jsonl", "threads.jsonl", "questions.jsonl"
#: bytes of a line: a page's text and its former ones, which are left out from the oldest on where they are too long
MAX_LINE: Final = 48_000_000
MAX_MANIFEST: Final = 65_536
#: a member unpacks to at most so many times its size, and some bytes that do not count
MOST_PACKED, FREE_BYTES = 200, 10_000_000
MAX_URL = 1_300  #: bytes, as they are indexed
MAX_TEXT = 6_000_000  #: characters of a page

_ALWAYS: Final = frozenset((SOURCES, PAGES, MANIFEST))
_MEMBERS: Final = _ALWAYS | {SETTINGS, FOLDERS, THREADS, QUESTIONS}
_OF_A_ZIP: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, EOFError),
    *(NotImplementedError, RuntimeError, ValueError),
)


Line = TypeVar("Line", bound="FileLine")
#: called with the name of a part of the file, and how many lines of it are written
Progress = Callable[[str, int], None]


class BadArchive(WellreadError):
    """The file is no export of Wellread, or is damaged; the message says which and why."""


def _storable(text: str) -> str:
    """Return the text; raises ValueError for what PostgreSQL stores nowhere."""
    if "\0" in text:
        raise ValueError("it has a NUL character")
    return text


def _indexable(url: str) -> str:
    if len(url.encode()) > MAX_URL:
        raise ValueError(f"the address has more than {MAX_URL:,} bytes")
    return url


Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_storable)]
Address = Annotated[str, AfterValidator(_storable), AfterValidator(_indexable)]
Url = Annotated[Address, Field(min_length=1)]
Hash = Annotated[Text, Field(max_length=64)]
Short = Annotated[Text, Field(max_length=8)]
Count = Annotated[int, Field(ge=0, lt=2**31)]


def text_of(most: int | None) -> Any:
    """Return the type of a text of at most so many characters; None: as many as a page may have."""
    return Annotated[Text, Field(max_length=most)] if most else Text


_KINDS: Final[Mapping[type, Any]] = {datetime: AwareDatetime, int: Count, float: float, bool: bool}


class FileLine(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    member: ClassVar[str] = ""  #: of the file that has such lines; "": they are part of others

    @property
    def name_in_log(self) -> str:
        """Return what it is, and its address, id or name."""
        named = next((str(getattr(self, name)) for name in ("url", "id", "name") if hasattr(self, name)), "")
        return f"{type(self).__name__.removesuffix('Line').lower()} {named[:200]}"

    def shorter(self) -> Self | None:
        """Return it without the oldest of what it may lack; None where it has nothing such."""
        return None


def line_of(table: type[Table], *without: str) -> type[FileLine]:
    """Return the class of lines with the columns of a table, each of the type and within the bounds that it has there.

    ``without`` are columns that a line lacks, besides the row's lease and what it belongs to. What may be null, or has
    a default, an older file may lack.
    """
    fields: dict[str, Any] = {}
    hints = get_type_hints(table)
    for column in table.__table__.columns:
        if column.key in {"question_id", "page_id", *Leased.__annotations__, *without}:
            continue
        (hint,) = get_args(hints[column.key])  # of Mapped[…]
        kind = next(each for each in get_args(hint) if each is not NoneType) if column.nullable else hint
        kind = text_of(getattr(column.type, "length", None)) if kind is str else _KINDS.get(kind, kind)
        default = column.default.arg if column.default is not None and column.default.is_scalar else ...
        fields[column.key] = (kind | None, None) if column.nullable else (kind, default)
    return create_model(table.__name__, __base__=FileLine, **fields)


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """What cannot be a line of the file, as an early version's rows or damaged ones: the others are written."""

    name: str
    why: str


def line_or_left_out(name: str, make: Callable[[], Line]) -> Line | LeftOut:
    """Return the line that is made, or why there can be none, as for an address from before there was a limit."""
    try:
        return make()
    except ValidationError as error:
        return LeftOut(name=name, why=said(error))


def values_of(kind: type[FileLine], source: object) -> dict[str, Any]:
    """Return the attributes of a row or value that have the names of the line's fields."""
    return {name: getattr(source, name) for name in kind.model_fields if hasattr(source, name)}


def lines_of(kind: type[Line], rows: Iterable[object]) -> tuple[Line, ...]:
    """Return rows as lines of a kind."""
    return tuple(kind(**values_of(kind, row)) for row in rows)


def said(error: ValidationError) -> str:
    """Return what the first thing is that is wrong, without what was there instead."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"


class Manifest(FileLine):
    """What is in the file: how many lines of each member, and the members' sums."""

    format: str = Field(max_length=40)
    version: int = Field(ge=1)
    wellread: str = Field(max_length=40)
    created_at: datetime
    lines: dict[str, int]
    sha256: dict[str, str]
    left_out: tuple[str, ...] = Field(default=(), exclude=True)  #: what could not be written, when it was


def write(
    path: Path,
    members: Mapping[str, Iterable[FileLine | LeftOut]],
    *,
    wellread: str,
    now: datetime,
    progress: Progress | None = None,
) -> Manifest:
    """Write a file of these members whole, or not at all; return its manifest, which names what is left out."""
    lines, sums, left = dict[str, int](), dict[str, str](), list[str]()
    with (
        written_whole(path, BadArchive) as unfinished,
        zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive,
    ):
        for name, values in members.items():
            lines[name], digest = 0, hashlib.sha256()
            with archive.open(name, "w", force_zip64=True) as member:
                for line in _written(values, left):
                    member.write(line)
                    digest.update(line)
                    lines[name] += 1
                    if progress is not None:
                        progress(name, lines[name])
            sums[name] = digest.hexdigest()
        about: dict[str, Any] = {"format": FORMAT, "version": VERSION, "wellread": wellread, "created_at": now}
        manifest = Manifest(**about, lines=lines, sha256=sums, left_out=tuple(left))
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
    return manifest


def _written(values: Iterable[FileLine | LeftOut], left: list[str]) -> Iterator[bytes]:
    """Yield lines as they are written; what cannot be one is added to ``left``."""
    for value in values:
        line = value if isinstance(value, LeftOut) else _to_line(value)
        if isinstance(line, LeftOut):
            log.warning("row_not_exported", row=line.name, error=line.why)
            left.append(line.name)
        else:
            yield line


@contextmanager
def written_whole(path: Path, bad: type[WellreadError]) -> Iterator[Path]:
    """Yield the path of a file that takes the place of ``path`` once it is whole; raises ``bad`` if it cannot."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise bad(f"{path.name} cannot be written: {error.strerror or error}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> "Iterator[Archive]":
    """Yield a file of which everything but the lines themselves has been checked; raises BadArchive."""
    with unzipped(path, BadArchive, "export") as archive:
        with explained(path, BadArchive, "export"):
            checked = Archive(path, archive)
        yield checked


@contextmanager
def unzipped(path: Path, bad: type[WellreadError], what: str, *, then: str = "") -> Iterator[zipfile.ZipFile]:
    """Yield a ZIP file; raises as :func:`explained` does where it is none."""
    with explained(path, bad, what, then=then):
        archive = zipfile.ZipFile(path)
    with archive:
        yield archive


class _Format(BaseModel):
    format: str


class Archive:
    """An open file."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._archive = path, archive
        self._names = [member.filename for member in archive.infolist()]
        if self._names.count(MANIFEST) != 1:
            raise self.refusal("it is not an export of Wellread: it has no manifest")
        if any(member.flag_bits & 1 for member in archive.infolist()):
            raise self.refusal("it is encrypted")
        self.manifest = self._manifest()  # first: one of a newer version says so whatever else it holds
        self._check_members()

    def refusal(self, why: str) -> BadArchive:
        """Return the error that refuses the file."""
        return BadArchive(f"{self._path.name} is not taken, and nothing of it is stored: {why}.")

    def _check_members(self) -> None:
        members = self._archive.infolist()
        names = set(self._names)
        if len(names) != len(members) or not _ALWAYS <= names <= _MEMBERS:
            raise self.refusal("it is not an export of Wellread: it contains other files")
        if names - {MANIFEST} != self.manifest.lines.keys():
            raise self.refusal("it does not hold what its manifest says")
        if sum(member.compress_size for member in members) > self._path.stat().st_size:
            raise self.refusal("its members say that they are larger than the file")
        for member in members:
            if member.file_size > MOST_PACKED * member.compress_size + FREE_BYTES:
                unpacked = f"{member.filename} unpacks to {member.file_size:,} bytes"
                raise self.refusal(f"{unpacked}, far more than text does")

    def _manifest(self) -> Manifest:
        written = manifest_of(self._archive)
        try:
            kind = _Format.model_validate_json(written).format
            if kind == BACKUP_FORMAT:
                raise self.refusal("it is a backup, which `wellread restore` restores into an empty database")
            if kind != FORMAT:
                raise self.refusal(f"it is an export of {kind[:40]!r}")
            manifest = Manifest.model_validate_json(written)
        except ValidationError as error:
            raise self.refusal(f"its manifest cannot be read ({said(error)})") from error
        if manifest.version > VERSION:
            raise self.refusal(f"Wellread {manifest.wellread} wrote it, which is newer: update this one first")
        return manifest

    def lines(self, kind: type[Line]) -> Iterator[Line]:
        """Yield the lines of a kind, the questions as they were asked; raises BadArchive at the first that is none."""
        name = kind.member
        if name not in self._names:
            return
        seen, digest = 0, hashlib.sha256()
        with explained(self._path, BadArchive, "export"), self._archive.open(name) as member:
            while line := member.readline(MAX_LINE + 1):
                seen += 1
                if len(line) > MAX_LINE:
                    raise self.refusal(f"line {seen} of {name} is too long")
                digest.update(line)
                try:
                    yield kind.model_validate_json(line)
                except ValidationError as error:
                    raise self.refusal(f"line {seen} of {name} cannot be read ({said(error)})") from error
        if (seen, digest.hexdigest()) != (self.manifest.lines.get(name), self.manifest.sha256.get(name)):
            raise self.refusal(f"{name} is not what its manifest says")


def manifest_of(archive: zipfile.ZipFile) -> bytes:
    """Return the manifest; raises ValueError for one that is too large, whatever size the file says it has."""
    with archive.open(MANIFEST) as member:
        held = member.read(MAX_MANIFEST + 1)
    if len(held) > MAX_MANIFEST:
        raise ValueError("its manifest is too large")
    return held


def _to_line(value: FileLine) -> bytes | LeftOut:
    try:
        line = value.model_dump_json().encode() + b"\n"
        while len(line) > MAX_LINE and (shorter := value.shorter()):
            value = shorter
            line = value.model_dump_json().encode() + b"\n"
    except ValueError as error:  # of Pydantic, or of a text that is no Unicode
        return LeftOut(name=value.name_in_log, why=str(error)[:200])
    return line


@contextmanager
def explained(
    path: Path, bad: type[WellreadError], what: str, *others: type[Exception], then: str = ""
) -> Iterator[None]:
    """Raise ``bad`` for what reading a file raises; ``what`` it is not, such as "export", ``then`` a last sentence.

    ``others`` are the exceptions that only this kind of file makes its reader raise.
    """
    damage: tuple[type[Exception], ...] = (*_OF_A_ZIP, *others)
    try:
        yield
    except OSError as error:
        raise bad(f"{path.name} cannot be read: {error.strerror or error}.") from error
    except damage as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise bad(
            " ".join(filter(None, (f"{path.name} is damaged, or was not written by `wellread {what}`: {first}.", then)))
        ) from error
