"""Define a collection: a knowledge base of its own, with its sources, files, questions and all that is made of them."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final

from domain.errors import WellreadError
from domain.published import UNPUBLISHED, always_sent, described

#: the collection that is always there
DEFAULT: Final = "default"
MAX_NAME: Final = 60

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")


class BadCollectionName(WellreadError):
    """A collection cannot have this name; the message says why."""


class UnknownCollection(WellreadError):
    """There is no such collection, or the key does not open it."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A collection as its users see it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = always_sent()

    id: str = field(metadata=described("Names its database and its folder; a name may be used again, an id is not."))
    name: str
    created_at: datetime | None = field(metadata=described("null for the one that is always there."))
    exclude_sites: tuple[str, ...] = field(
        default=(), metadata=described("Sites that are never read or quoted in it, beside WELLREAD_EXCLUDE_SITES.")
    )
    #: with the client: as the server sent it, unknown fields included
    json: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, metadata=UNPUBLISHED)

    @property
    def is_default(self) -> bool:
        """Return whether it is the one that is always there."""
        return self.id == DEFAULT


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What came of a file that was taken over into a collection."""

    __pydantic_config__: ClassVar[dict[str, Any]] = always_sent()

    sources: int
    own_left: tuple[str, ...] = field(metadata=described("Sources of their operator's own, not taken as such."))
    new: int = field(metadata=described("Pages that were not known."))
    newer: int = field(metadata=described("Pages that were known with an earlier text."))
    known: int = field(metadata=described("Pages that were known as they are, or with a later text."))
    questions: int = field(metadata=described("Those that were not known."))
    questions_known: int
    folders: int = field(metadata=described("Folders that are watched."))
    folders_left: tuple[str, ...] = field(metadata=described("Folders that are not watched, some with the reason."))
    sites_left: tuple[str, ...] = field(metadata=described("Sites left out of the collection before, but not here."))
    #: with the client: as the server sent it, unknown fields included
    json: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, metadata=UNPUBLISHED)


MAIN: Final = Collection(id=DEFAULT, name=DEFAULT, created_at=None)


def clean_name(name: str) -> str:
    """Return a collection's name in the one form in which it is stored; raises BadCollectionName."""
    clean = unicodedata.normalize("NFC", name).strip().lower()
    if not clean:
        raise BadCollectionName("The collection has no name: give one such as research.")
    if len(clean) > MAX_NAME:
        raise BadCollectionName(
            f"{clean[:20] + '…'!r} is too long: a collection's name has at most {MAX_NAME} letters."
        )
    if not _NAME.fullmatch(clean):
        raise BadCollectionName(
            f"{name!r} is not a valid collection name: use letters a–z, digits, - and _, such as research-2026."
        )
    return clean
