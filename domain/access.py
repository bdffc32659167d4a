"""Who may do what, and in which collection: a knowledge base of its own. The roles of API keys."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Final

from domain.errors import WellreadError
from domain.published import Received, always_sent, described

#: the collection that is always there
DEFAULT: Final = "default"
MAX_NAME: Final = 60

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")


class BadCollectionName(WellreadError):
    """A collection cannot have this name; the message says why."""


class UnknownCollection(WellreadError):
    """There is no such collection, or the key does not open it."""


@always_sent()
@dataclass(frozen=True, kw_only=True)
class Collection(Received):
    """A collection as its users see it."""

    id: str = field(metadata=described("Names its database and its folder; a name may be used again, an id is not."))
    name: str
    created_at: datetime | None = field(metadata=described("null for the one that is always there."))
    exclude_sites: tuple[str, ...] = field(
        default=(), metadata=described("Sites that are never read or quoted in it, beside WELLREAD_EXCLUDE_SITES.")
    )

    weight: float = field(default=1.0, metadata=described("Its share of the workers beside other collections."))

    @property
    def is_default(self) -> bool:
        """Return whether it is the one that is always there."""
        return self.id == DEFAULT


@always_sent()
@dataclass(frozen=True, kw_only=True)
class Imported(Received):
    """What came of a file that was taken over into a collection."""

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


#: what the owner of a question begins with that was asked with a stored key; its id follows
OWNER: Final = "key:"


class Role(IntEnum):
    """The permissions of a key; a greater role includes the smaller ones."""

    ask = 1  #: ask, watch and cancel questions of its own, look at pages
    operate = 2  #: see all questions; choose what is read: sources, files and single pages
    admin = 3  #: let addresses of inner networks be read; collections and keys


@always_sent()
@dataclass(frozen=True, kw_only=True)
class ApiKey(Received):
    """A key of the API; its secret is shown once, when it is made."""

    id: str
    name: str
    role: str = field(metadata=described("ask, operate or admin."))
    collections: tuple[str, ...] | None = field(
        metadata=described("The collections that it opens; null: all, also those to come.")
    )
    created_at: datetime
    expires_at: datetime | None = field(metadata=described("From then on it opens nothing; null: never."))
    limits: Mapping[str, float] = field(
        default_factory=dict, metadata=described("What it may use, as far as that is limited.")
    )
    callback_hosts: tuple[str, ...] = field(
        default=(), metadata=described("Hosts and networks that its webhooks may go to although they are not public.")
    )
    secret: str | None = field(default=None, metadata=described("The key itself: only in the answer that makes it."))

    @property
    def owner(self) -> str:
        """Return what the questions asked with it are marked with."""
        return OWNER + self.id


@dataclass(frozen=True, kw_only=True)
class Used:
    """What was used in a time."""

    questions: int = field(default=0, metadata=described("New questions."))
    pages: int = field(default=0, metadata=described("Pages read for them."))
    tokens: int = field(default=0, metadata=described("Tokens of language models."))
    usd: float = field(default=0.0, metadata=described("US dollars for them, as far as prices are known."))


@dataclass(frozen=True, kw_only=True)
class KeyUsage:
    """What a key has used today and this month (UTC), and what it may."""

    key: str = field(metadata=described("Its name; `setting` for one of WELLREAD_API_KEYS."))
    day: Used
    month: Used
    limits: Mapping[str, float]
