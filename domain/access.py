"""Who may do what, and in which collection: a knowledge base of its own. The roles of API keys."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from typing import Final

from domain.errors import WellreadError
from domain.published import Received, always_sent, described, published

#: the collection that is always there
DEFAULT: Final = "default"
MAX_NAME: Final = 60

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")


class BadCollectionName(WellreadError):
    """A collection cannot have this name; the message says why."""


class UnknownCollection(WellreadError):
    """There is no such collection, or the key does not open it."""


@always_sent()
class Collection(Received):
    """A collection as its users see it."""

    id: str = described("Names its database and its folder; a name may be used again, an id is not.")
    name: str
    created_at: datetime | None = described("null for the one that is always there.")
    exclude_sites: tuple[str, ...] = described(
        "Sites that are never read or quoted in it, beside WELLREAD_EXCLUDE_SITES.", default=()
    )

    weight: float = described("Its share of the workers beside other collections.", default=1.0)

    @property
    def is_default(self) -> bool:
        """Return whether it is the one that is always there."""
        return self.id == DEFAULT


@always_sent()
class Imported(Received):
    """What came of a file that was taken over into a collection."""

    sources: int
    own_left: tuple[str, ...] = described("Sources of their operator's own, not taken as such.")
    new: int = described("Pages that were not known.")
    newer: int = described("Pages that were known with an earlier text.")
    known: int = described("Pages that were known as they are, or with a later text.")
    questions: int = described("Those that were not known.")
    questions_known: int
    folders: int = described("Folders that are watched.")
    folders_left: tuple[str, ...] = described("Folders that are not watched, some with the reason.")
    sites_left: tuple[str, ...] = described("Sites left out of the collection before, but not here.")


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
class ApiKey(Received):
    """A key of the API; its secret is shown once, when it is made."""

    id: str
    name: str
    role: str = described("ask, operate or admin.")
    collections: tuple[str, ...] | None = described("The collections that it opens; null: all, also those to come.")
    created_at: datetime
    expires_at: datetime | None = described("From then on it opens nothing; null: never.")
    limits: Mapping[str, float] = described("What it may use, as far as that is limited.", default_factory=dict)
    callback_hosts: tuple[str, ...] = described(
        "Hosts and networks that its webhooks may go to although they are not public.", default=()
    )
    secret: str | None = described("The key itself: only in the answer that makes it.", default=None)

    @property
    def owner(self) -> str:
        """Return what the questions asked with it are marked with."""
        return OWNER + self.id


@published
class Used:
    """What was used in a time."""

    questions: int = described("New questions.", default=0)
    pages: int = described("Pages read for them.", default=0)
    tokens: int = described("Tokens of language models.", default=0)
    usd: float = described("US dollars for them, as far as prices are known.", default=0.0)


@published
class KeyUsage:
    """What a key has used today and this month (UTC), and what it may."""

    key: str = described("Its name; `setting` for one of WELLREAD_API_KEYS.")
    day: Used
    month: Used
    limits: Mapping[str, float]
