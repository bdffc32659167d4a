"""Define the roles of API keys, and a key as it is listed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any, ClassVar, Final

from domain.published import UNPUBLISHED, always_sent, described

#: what the owner of a question begins with that was asked with a stored key; its id follows
OWNER: Final = "key:"


class Role(IntEnum):
    """The permissions of a key; a greater role includes the smaller ones."""

    ask = 1  #: ask, watch and cancel questions of its own, look at pages
    operate = 2  #: see all questions; choose what is read: sources, files and single pages
    admin = 3  #: let addresses of inner networks be read; collections and keys


@dataclass(frozen=True, kw_only=True)
class ApiKey:
    """A key of the API; its secret is shown once, when it is made."""

    __pydantic_config__: ClassVar[dict[str, Any]] = always_sent()

    id: str
    name: str
    role: str = field(metadata=described("ask, operate or admin."))
    collections: tuple[str, ...] | None = field(
        metadata=described("The collections that it opens; null: all, also those to come.")
    )
    created_at: datetime
    expires_at: datetime | None = field(metadata=described("From then on it opens nothing; null: never."))
    secret: str | None = field(default=None, metadata=described("The key itself: only in the answer that makes it."))
    #: with the client: as the server sent it, unknown fields included
    json: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, metadata=UNPUBLISHED)

    @property
    def owner(self) -> str:
        """Return what the questions asked with it are marked with."""
        return OWNER + self.id
