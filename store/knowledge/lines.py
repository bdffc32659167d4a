"""Sources and pages as lines of the file; a line that cannot be one is refused."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from domain import BlockKind
from domain.options import SourceSettings

MAX_URL = 1_300  #: bytes, as they are indexed
MAX_TEXT = 6_000_000  #: characters of a page
MAX_PARTS = 100_000  #: headings, blocks or places of a page


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
Url = Annotated[str, Field(min_length=1), AfterValidator(_storable), AfterValidator(_indexable)]
Hash = Annotated[str, Field(max_length=64), AfterValidator(_storable)]
Place = tuple[Annotated[int, Field(ge=0)], Text]


class FileLine(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """What cannot be a line of the file, as an early version's rows or damaged ones: the others are written."""

    name: str
    why: str


Line = TypeVar("Line", bound=FileLine)


def line_or_left_out(kind: type[Line], name: str, values: dict[str, Any]) -> Line | LeftOut:
    """Return a line with these values, or why there can be none."""
    try:
        return kind(**values)
    except ValidationError as error:
        return LeftOut(name=name, why=said(error))


def values_of(kind: type[FileLine], source: object) -> dict[str, Any]:
    """Return the attributes of a row or value that have the names of the line's fields."""
    return {name: getattr(source, name) for name in kind.model_fields if hasattr(source, name)}


def said(error: ValidationError) -> str:
    """Return what the first thing is that is wrong, without what was there instead."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"


class SourceLine(FileLine, SourceSettings):
    """A site that may be read for any question."""

    url: Url
    own: bool = False
    every_s: float | None = None
    cron: str | None = Field(default=None, max_length=100)
    zone: str = Field(default="UTC", max_length=64)
    moved_to: Url | None = None


class FactLine(FileLine):
    """A fact that a page states."""

    subject: Text
    predicate: Text
    object: Text
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)


class VersionLine(FileLine):
    """A text that a page had."""

    number: int = Field(ge=1, lt=2**31)
    title: Text
    text: Text
    content_hash: Hash
    published: AwareDatetime | None = None
    read_at: AwareDatetime


class CheckLine(FileLine):
    """What came of a visit to a page, perhaps several times in a row."""

    outcome: str = Field(max_length=16)
    status: int | None = Field(default=None, ge=0, le=999)
    content_hash: Hash
    reason: Text
    times: int = Field(ge=1, lt=2**31)
    first_at: AwareDatetime
    last_at: AwareDatetime


class PageLine(FileLine):
    """A page with its text, its facts and its former texts."""

    id: int = Field(default=0, ge=0, lt=2**63)  #: where it was exported; what questions cite it by
    url: Url
    title: Text
    text: Text
    lang: Annotated[str, Field(max_length=8), AfterValidator(_storable)]
    headings: tuple[Place, ...] = Field(default=(), max_length=MAX_PARTS)
    blocks: tuple[tuple[BlockKind, Annotated[int, Field(ge=0)], int], ...] = Field(default=(), max_length=MAX_PARTS)
    places: tuple[Place, ...] = Field(default=(), max_length=MAX_PARTS)
    missing: tuple[Text, ...] = Field(default=(), max_length=1_000)
    published: AwareDatetime | None = None
    modified: AwareDatetime | None = None
    canonical_url: Annotated[str, AfterValidator(_storable), AfterValidator(_indexable)] = ""
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


class Manifest(FileLine):
    """What is in the file: how many lines of each member, and the members' sums."""

    format: str = Field(max_length=40)
    version: int = Field(ge=1)
    wellread: str = Field(max_length=40)
    created_at: datetime
    lines: dict[str, int]
    sha256: dict[str, str]
    left_out: tuple[str, ...] = Field(default=(), exclude=True)  #: what could not be written, when it was
