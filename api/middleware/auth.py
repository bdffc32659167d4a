"""Checks API keys, their roles and their collections. Without any key, every program here may do everything.

Keys are those of WELLREAD_API_KEYS and those that `wellread keys` made. Where no key is needed,
:class:`api.middleware.limits.LoopbackOnly` keeps other machines out.

Who tries keys is slowed down: after some wrong ones from an address, further ones are looked at only now and then. Keys
that have opened something are known and never wait, so that nobody is shut out by others at the same address. All that
is remembered is bounded. The library limits does not fit: its next try may be a minute away instead of three seconds,
and its memory grows with each address.
"""

import hashlib
import hmac
import ipaddress
import math
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import SecretStr
from starlette.datastructures import Headers, State
from starlette.types import Scope

from domain.access import DEFAULT, BadCollectionName, Role, clean_name
from domain.errors import WellreadError
from store import keys as stored
from store.sql.database import DatabaseError
from workers.services import Services
from workers.settings import LOOPBACK, SettingsError

#: wrong keys that an address may send at once, and the seconds after which it may send one more
FREE, EVERY_S = 20, 3.0
#: addresses, and keys, that are remembered
MOST = 10_000


class InvalidApiKey(WellreadError):
    """The key is missing or unknown."""


class RoleTooSmall(WellreadError):
    """The key does not allow this request."""


class TooManyStreams(WellreadError):
    """The key has as many streams of events open as it may."""


class TooManyWrongKeys(WellreadError):
    """Too many wrong keys came from this address."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("Too many wrong keys came from this address: the key was not checked.")
        self.retry_after_s = retry_after_s


class TooManyRequests(WellreadError):
    """The key has sent as many requests as it may in a minute."""

    def __init__(self, most: int, retry_after_s: int) -> None:
        super().__init__(f"{most:,} requests a minute, as many as this key may send, were sent.")
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who sends a request."""

    role: Role
    owner: str | None = None  #: the mark of its questions; None: they are nobody's in particular
    collections: tuple[str, ...] | None = None  #: the names of those that it may open; None: all
    requests_per_minute: int | None = None  #: None: any number

    @property
    def restricted_to(self) -> str | None:
        """Return the owner whose questions it may see; None: it may see everyone's."""
        return None if self.role >= Role.operate else self.owner or ""

    @property
    def first_collection(self) -> str:
        """Return the collection that is meant if none is named."""
        if self.collections is None or DEFAULT in self.collections or not self.collections:
            return DEFAULT
        return self.collections[0]

    def may_open(self, collection: str) -> bool:
        """Return whether it may open the collection with this name."""
        return self.collections is None or collection in self.collections


#: the role that a dependency of routes admits
_NEEDED: dict[Callable[..., Any], Role] = {}
#: the caller if no key is needed
LOCAL = Caller(role=Role.admin)


class WrongKeys:
    """The wrong keys of late, by address; an IPv6 network of 64 bits counts as one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._paid_at: OrderedDict[str, float] = OrderedDict()  #: when all wrong keys of an address will be forgotten
        self._known: OrderedDict[bytes, None] = OrderedDict()  #: hashes of keys that opened something

    def check(self, address: str, key: str) -> None:
        """Raise :class:`TooManyWrongKeys` if a key that is not known must wait."""
        with self._lock:
            owed = self._paid_at.get(network_of(address), 0.0) - self._clock()
            if owed > (FREE - 1) * EVERY_S and _hash(key) not in self._known:
                raise TooManyWrongKeys(math.ceil(owed - (FREE - 1) * EVERY_S))

    def wrong(self, address: str) -> None:
        """Count a wrong key."""
        with self._lock:
            prefix = network_of(address)
            _put(self._paid_at, prefix, max(self._clock(), self._paid_at.get(prefix, 0.0)) + EVERY_S)

    def right(self, key: str) -> None:
        """Know a key that opened something."""
        with self._lock:
            _put(self._known, _hash(key), None)


def _put(known: OrderedDict[Any, Any], key: object, value: object) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > MOST:
        known.popitem(last=False)


def network_of(address: str) -> str:
    """Return the address or network that counts as one caller: of IPv6, a network of 64 bits."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)


def _hash(key: str) -> bytes:
    return hashlib.blake2b(key.encode("latin-1", "replace"), digest_size=16).digest()


class KeyRing:
    """The keys that open an application."""

    def __init__(self, services: Services, keys: Sequence[tuple[bytes, Caller]] = (), *, needed: bool = False) -> None:
        self._services, self._keys = services, keys
        self.needed = needed  #: if not, a caller without a key may do everything
        self.wrong_keys = WrongKeys()
        self._next_look: dict[str, float] = {}  #: of keys that opened something
        self._sent: dict[str | None, deque[float]] = {}  #: when each key with a limit sent its requests of a minute
        self._lock = threading.Lock()

    def count_request(self, who: Caller) -> None:
        """Count a request; raises TooManyRequests. Another process of the API counts its own."""
        if (most := who.requests_per_minute) is None:
            return
        with self._lock:
            now, sent = time.monotonic(), self._sent.setdefault(who.owner, deque())
            while sent and sent[0] <= now - 60:
                sent.popleft()
            if len(sent) >= most:
                raise TooManyRequests(most, math.ceil(sent[0] + 60 - now) if sent else 60)
            sent.append(now)

    def is_stored(self, given: str) -> bool:
        """Return whether a key may be one that `wellread keys` made: those are looked up in the database."""
        return given.startswith(stored.PREFIX)

    def caller_at(self, address: str, given: str) -> Caller:
        """Return whom a key that came from this address belongs to; raises InvalidApiKey or TooManyWrongKeys."""
        if not given:
            return self.caller(given)
        self.wrong_keys.check(address, given)
        try:
            found = self.caller(given)
        except InvalidApiKey:
            self.wrong_keys.wrong(address)
            raise
        self.wrong_keys.right(given)
        return found

    def check_again(self, address: str, given: str) -> None:
        """Do as :meth:`caller_at`, but not for a key of the last second: many streams may ask at once."""
        now = time.monotonic()
        if now >= self._next_look.get(given, 0.0):
            self.caller_at(address, given)
            self._next_look[given] = now + 1.0

    def caller(self, given: str) -> Caller:
        """Return whom a key belongs to; raises :class:`InvalidApiKey`."""
        secret = given.encode("latin-1", "replace")  # as it was sent: the server decodes headers as latin-1
        found = [caller for known, caller in self._keys if hmac.compare_digest(known, secret)]
        if found:
            return max(found, key=lambda caller: caller.role)
        if self.is_stored(given):
            key = self._services.read(stored.find, given, self._services.now())
            if key is not None:
                most = key.limits.get("requests_per_minute")
                return Caller(
                    role=Role[key.role],
                    owner=key.owner,
                    collections=key.collections,
                    requests_per_minute=None if most is None else int(most),
                )
        if self.needed or self.is_stored(given):
            raise InvalidApiKey("The key is missing or unknown, was revoked, or has expired.")
        return LOCAL


@contextmanager
def one_more_stream(state: State, who: Caller) -> Iterator[None]:
    """Count a stream of a key's while it is open; raises TooManyStreams."""
    streams: Counter[str | None] = state.streams
    most = state.services.settings.max_streams_per_caller
    if who.owner is not None and streams[who.owner] >= most:
        raise TooManyStreams(f"{most} streams of this key are open, as many as may be at a time: end one first.")
    streams[who.owner] += 1
    try:
        yield
    finally:
        streams[who.owner] -= 1


def parse_keys(pairs: Sequence[SecretStr]) -> tuple[tuple[bytes, Caller], ...]:
    """Return each secret with its caller; raises :class:`SettingsError` without repeating a secret."""
    return tuple(_parse(pair.get_secret_value(), number) for number, pair in enumerate(pairs, start=1))


def check_exposure(host: str, has_keys: Callable[[], bool]) -> None:
    """Raise :class:`SettingsError` if the API would listen where others can reach it without a key."""
    if host not in LOOPBACK and not has_keys():
        raise SettingsError(
            f"The API would listen on {host} without a key: make one with `wellread keys add NAME --role admin`, set "
            "WELLREAD_API_KEYS=admin:a-long-secret, or leave WELLREAD_API_HOST at 127.0.0.1."
        )


def has_stored_key(services: Services) -> bool:
    """Return whether `wellread keys` made a key that is valid."""
    try:
        return services.read(stored.any_valid, services.now())
    except DatabaseError:  # there are no tables yet
        return False


_bearer = HTTPBearer(
    auto_error=False, description="A key of WELLREAD_API_KEYS or `wellread keys`; not needed on loopback without keys."
)
_header = APIKeyHeader(name="X-API-Key", auto_error=False)


async def look_up(scope: Scope, ring: KeyRing) -> Caller:
    """Return who sends a request, whose key is looked up once; raises InvalidApiKey or TooManyWrongKeys.

    A thread is waited for only to ask the database.
    """
    state = scope.setdefault("state", {})
    if (found := state.get("caller")) is None:
        address, key = _sent(scope)
        if ring.is_stored(key):
            found = await to_thread.run_sync(ring.caller_at, address, key)
        else:
            found = ring.caller_at(address, key)
        ring.count_request(found)
        state["caller"] = found
        if (connection := state.get("connection")) is not None:
            connection.become_known()
    assert isinstance(found, Caller)
    return found


def _sent(scope: Scope) -> tuple[str, str]:
    return str((scope.get("client") or ("",))[0]), key_in(Headers(scope=scope))


async def identify(
    request: Request,
    _bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],  # these two describe the headers
    _header: Annotated[str | None, Depends(_header)],
) -> Caller:
    """Return who sends the request; raises :class:`InvalidApiKey`."""
    return await look_up(request.scope, request.app.state.keys)


CallerDep = Annotated[Caller, Depends(identify)]


async def _still_open(request: Request) -> Callable[[], object]:
    """Return what looks the request's key up again; it raises :class:`InvalidApiKey` once that opens nothing."""
    return partial(request.app.state.keys.check_again, *_sent(request.scope))


#: for answers that take long: the key may be revoked, or expire, meanwhile
StillOpenDep = Annotated[Callable[[], object], Depends(_still_open)]


def key_in(headers: Mapping[str, str]) -> str:
    """Return the key in a request's headers (their names in lower case); "" if there is none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def require(role: Role, *, whole: bool = False) -> Callable[[Any], Awaitable[None]]:
    """Return a dependency that admits this role and greater ones; ``whole``: of keys bound to no collection."""

    async def check(who: CallerDep) -> None:
        allow(who.role, role)
        if whole and who.collections is not None:
            raise RoleTooSmall("This key is bound to collections; the request needs one that is bound to none.")

    _NEEDED[check] = role
    return check


#: dependencies of routes, by the least role that they admit
ASK, OPERATE, ADMIN = ([Depends(require(role))] for role in (Role.ask, Role.operate, Role.admin))


async def refusal(request: Request) -> InvalidApiKey | RoleTooSmall | TooManyWrongKeys | None:
    """Return why a request is refused whatever its body says, None if it is not.

    A body that is no JSON is an error before any dependency runs. A caller whose role is too small is refused for that.
    """
    route = request.scope.get("route")
    calls = set(_calls(route.dependant)) if isinstance(route, APIRoute) else set()
    if identify not in calls:
        return None
    try:
        given = (await look_up(request.scope, request.app.state.keys)).role
        for call in calls:
            allow(given, _NEEDED.get(call, Role.ask))
    except (InvalidApiKey, RoleTooSmall, TooManyWrongKeys) as error:
        return error
    return None


def _calls(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    for each in dependant.dependencies:
        if each.call is not None:
            yield each.call
        yield from _calls(each)


def allow(given: Role, needed: Role) -> None:
    """Raise :class:`RoleTooSmall` unless the role given includes the one needed."""
    if given < needed:
        raise RoleTooSmall(f"This key has the role {given.name}; the request needs the role {needed.name}.")


def _parse(pair: str, number: int) -> tuple[bytes, Caller]:
    named, colon, secret = pair.partition(":")
    role, at, names = named.partition("@")
    if role not in Role.__members__ or not colon or not secret.strip():
        raise SettingsError(
            f"WELLREAD_API_KEYS, entry {number}: write role:key or role@collection:key with a role of "
            f"{', '.join(Role.__members__)}, several separated by commas."
        )
    try:
        collections = tuple(clean_name(name) for name in names.split("+")) if at else None
    except BadCollectionName as error:
        raise SettingsError(
            f"WELLREAD_API_KEYS, entry {number}: after the @ stand names of collections, several joined by +."
        ) from error
    plain = secret.strip().encode()
    # the mark of its questions; the secret cannot be computed from it
    slow = hashlib.scrypt(plain, salt=b"wellread owner", n=2**12, r=8, p=1, dklen=16)
    return plain, Caller(role=Role[role], owner=f"setting:{slow.hex()}", collections=collections)
