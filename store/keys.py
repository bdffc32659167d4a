"""Store API keys: of each secret only the hash, so that nobody reads it from the database."""

import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from domain.access import DEFAULT, OWNER, ApiKey, Role
from domain.errors import WellreadError
from store import collections
from store.sql.rows import add_missing, to_value
from store.sql.tables import ApiKeyRow, CollectionRow

#: what a key begins with: one that does and is unknown was revoked, expired, or never made
PREFIX: Final = "wr-"
_ID = re.compile(r"[0-9a-f]{12}")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_.-]{0,58}[a-z0-9])?")


class BadKeyName(WellreadError):
    """A key cannot have this name."""


class KeyExists(WellreadError):
    """A key has this name already."""


class BadExpiry(WellreadError):
    """The key would have expired before it is made."""


class UnknownKey(WellreadError):
    """There is no such key."""


def add(
    session: Session,
    name: str,
    role: Role,
    now: datetime,
    *,
    names: Sequence[str] | None = None,
    expires_at: datetime | None = None,
    limits: Mapping[str, float] | None = None,
    callback_hosts: Sequence[str] = (),
) -> ApiKey:
    """Make a key for the collections with these names (None: all) and return it with its secret.

    Raises BadKeyName, KeyExists, BadExpiry or UnknownCollection.
    """
    clean = name.strip().lower()
    if not _NAME.fullmatch(clean):
        raise BadKeyName(f"{name[:80]!r} is not a valid key name: use letters a–z, digits, dots, - and _, at most 60.")
    if _ID.fullmatch(clean):
        raise BadKeyName(f"{clean!r} looks like the id of a key: give it another name.")
    if expires_at is not None and expires_at <= now:
        raise BadExpiry(f"{expires_at:%Y-%m-%d %H:%M} is past: a key expires later than now.")
    ids = None if names is None else [collections.find(session, each).id for each in names]
    secret = PREFIX + secrets.token_urlsafe(32)
    values: dict[str, Any] = {"id": secrets.token_hex(6), "hash": _hash(secret), "role": role.name, "collections": ids}
    values |= {"limits": limits or None, "callback_hosts": list(callback_hosts) or None}
    times = {"created_at": now, "expires_at": expires_at}
    if not add_missing(session, ApiKeyRow, ApiKeyRow.name, name=clean, **times, **values):
        raise KeyExists(f"There is a key {clean!r} already: revoke it first, or give this one another name.")
    return replace(_of(session, session.scalars(select(ApiKeyRow).where(ApiKeyRow.name == clean)).one()), secret=secret)


def find(session: Session, secret: str, now: datetime) -> ApiKey | None:
    """Return the key with this secret; None where there is none, or it has expired."""
    row = session.scalar(select(ApiKeyRow).where(ApiKeyRow.hash == _hash(secret)))
    return None if row is None or (row.expires_at is not None and row.expires_at <= now) else _of(session, row)


def owner_of(session: Session, name: str, collection: str, now: datetime) -> str:
    """Return what the questions of the key with this name are marked with.

    Raises UnknownKey where there is none, it has expired, or it does not open the collection.
    """
    key = named(session, name)
    if key.expires_at is not None and key.expires_at <= now:
        raise UnknownKey(f"The key {key.name!r} has expired: nobody could read the answer with it.")
    if key.collections is not None and collection not in key.collections:
        raise UnknownKey(f"The key {key.name!r} does not open the collection {collection!r}: name one that it opens.")
    return key.owner


def named(session: Session, name: str) -> ApiKey:
    """Return the key with this name or id; raises UnknownKey."""
    return _of(session, _named(session, name))


def change(session: Session, name: str, changes: Mapping[str, Any]) -> ApiKey:
    """Change what a key may use; None takes a limit back, and what is left out stays. Raises UnknownKey."""
    row = _named(session, name)
    limits = {**(row.limits or {}), **changes}
    if "callback_hosts" in changes:
        row.callback_hosts = list(limits.pop("callback_hosts") or ()) or None
    row.limits = {limit: most for limit, most in limits.items() if most is not None} or None
    return _of(session, row)


def limits_of(session: Session, owner: str | None) -> Mapping[str, float]:
    """Return what the key of an owner of questions may use, as far as that is limited."""
    if owner is None or not owner.startswith(OWNER):
        return {}
    return session.scalar(select(ApiKeyRow.limits).where(ApiKeyRow.id == owner.removeprefix(OWNER))) or {}


def callback_hosts_of(session: Session, owner: str) -> tuple[str, ...]:
    """Return the hosts that webhooks of an owner's questions may go to besides those that all may."""
    key_id = owner.removeprefix(OWNER) if owner.startswith(OWNER) else ""
    return tuple(session.scalar(select(ApiKeyRow.callback_hosts).where(ApiKeyRow.id == key_id)) or ())


def list_all(session: Session) -> list[ApiKey]:
    """Return all keys, by name."""
    return [_of(session, row) for row in session.scalars(select(ApiKeyRow).order_by(ApiKeyRow.name))]


def revoke(session: Session, name: str) -> None:
    """Delete a key, named by its name or its id: it opens nothing from now on. Raises UnknownKey."""
    session.delete(_named(session, name))


def closed(session: Session, owners: Iterable[str | None], now: datetime) -> set[str]:
    """Return those of these owners whose key was revoked or has expired."""
    of_keys = {owner for owner in owners if owner is not None and owner.startswith(OWNER)}
    ids = [owner.removeprefix(OWNER) for owner in of_keys]
    lasts = session.scalars(select(ApiKeyRow.id).where(ApiKeyRow.id.in_(ids), _lasts(now)))
    return of_keys - {OWNER + key_id for key_id in lasts}


def any_valid(session: Session, now: datetime) -> bool:
    """Return whether there is a key that has not expired."""
    return session.scalar(select(ApiKeyRow.id).where(_lasts(now)).limit(1)) is not None


def _lasts(now: datetime) -> ColumnElement[bool]:
    return or_(ApiKeyRow.expires_at.is_(None), ApiKeyRow.expires_at > now)


def _named(session: Session, name: str) -> ApiKeyRow:
    wanted = name.strip().lower()
    row = session.scalar(select(ApiKeyRow).where(or_(ApiKeyRow.name == wanted, ApiKeyRow.id == wanted)))
    if row is None:
        raise UnknownKey(f"There is no key {name[:80]!r}: `wellread keys list` shows them.")
    return row


def _of(session: Session, row: ApiKeyRow) -> ApiKey:
    """Return a row as a plain value; a deleted collection is no longer among its collections."""
    names: tuple[str, ...] | None = None
    if row.collections is not None:
        query = select(CollectionRow.name).where(
            CollectionRow.id.in_(row.collections), CollectionRow.deleted_at.is_(None)
        )
        names = tuple(([DEFAULT] if DEFAULT in row.collections else []) + sorted(session.scalars(query)))
    return to_value(
        ApiKey, row, collections=names, limits=row.limits or {}, callback_hosts=tuple(row.callback_hosts or ())
    )


def _hash(secret: str) -> str:
    """Return the hash of a secret: its 32 random bytes need no slower one."""
    return hashlib.sha256(secret.encode()).hexdigest()
