"""Checks API keys and their roles. Without any key, every program on this machine may do everything.

:mod:`api.middleware.loopback_only` keeps other machines out then.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import SecretStr

from domain.errors import WellreadError
from workers.settings import LOOPBACK


class KeysMissing(WellreadError):
    """The API would listen beyond loopback without a key."""


class BadKeys(WellreadError):
    """WELLREAD_API_KEYS cannot be read."""


class Role(IntEnum):
    """The permissions of a key; a greater role includes the smaller ones."""

    ask = 1  #: ask, watch, cancel, look at pages
    operate = 2  #: choose what is read: sources and single pages
    admin = 3  #: let addresses of inner networks be read


@dataclass(frozen=True, kw_only=True)
class Key:
    """A secret and what it allows."""

    role: Role
    secret: bytes


class InvalidApiKey(WellreadError):
    """The key is missing or unknown."""


class RoleTooSmall(WellreadError):
    """The key does not allow this request."""


def parse_keys(pairs: Sequence[SecretStr]) -> tuple[Key, ...]:
    """Read ``role:key`` pairs; raises :class:`BadKeys` without repeating a secret."""
    return tuple(_parse(pair.get_secret_value(), number) for number, pair in enumerate(pairs, start=1))


def check_exposure(host: str, keys: Sequence[Key]) -> None:
    """Refuse to listen where others can reach it without a key; raises :class:`KeysMissing`."""
    if host not in LOOPBACK and not keys:
        raise KeysMissing(
            f"The API would listen on {host} without a key: set WELLREAD_API_KEYS=admin:a-long-secret, "
            "or leave WELLREAD_API_HOST at 127.0.0.1."
        )


def role_of(given: str, keys: Sequence[Key]) -> Role | None:
    """Return the greatest role of the given key; compares every key in constant time."""
    secret = given.encode("latin-1", "replace")  # the bytes as they were sent: the server decodes headers as latin-1
    roles = [key.role for key in keys if hmac.compare_digest(key.secret, secret)]
    return max(roles, default=None)


_bearer = HTTPBearer(auto_error=False, description="A key of WELLREAD_API_KEYS; none is needed on loopback without.")
_header = APIKeyHeader(name="X-API-Key", auto_error=False)


def caller(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    header: Annotated[str | None, Depends(_header)],
) -> Role:
    """Return the caller's role; raises :class:`InvalidApiKey`."""
    return role_with(bearer.credentials if bearer else header or "", request.app.state.keys)


def key_in(headers: Mapping[str, str]) -> str:
    """Return the key that a request's headers (their names in lower case) give; "" where they give none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def role_with(given: str, keys: Sequence[Key]) -> Role:
    """Return the role of a key, the greatest where none is needed; raises :class:`InvalidApiKey`."""
    if not keys:
        return Role.admin
    role = role_of(given, keys)
    if role is None:
        raise InvalidApiKey("The key is missing or unknown.")
    return role


def require(role: Role) -> Callable[[Role], None]:
    """Return a dependency that admits this role and greater ones."""

    def check(given: Annotated[Role, Depends(caller)]) -> None:
        allow(given, role)

    return check


def allow(given: Role, needed: Role) -> None:
    """Raise :class:`RoleTooSmall` unless the role given includes the one needed."""
    if given < needed:
        raise RoleTooSmall(f"This key has the role {given.name}; the request needs the role {needed.name}.")


def _parse(pair: str, number: int) -> Key:
    role, colon, secret = pair.partition(":")
    if role not in Role.__members__ or not colon or not secret.strip():
        raise BadKeys(
            f"WELLREAD_API_KEYS, entry {number}: write role:key with a role of {', '.join(Role.__members__)}, "
            "several separated by commas."
        )
    return Key(role=Role[role], secret=secret.strip().encode())
