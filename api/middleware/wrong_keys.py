"""Slows down who tries keys: after some wrong ones from an address, further ones are looked at only now and then.

Keys that have opened something are known and never wait, so that nobody is shut out by whoever shares an address. All
that is remembered is bounded. The library limits does not fit: its next try may be a minute away
instead of three seconds, and its memory grows with each address.
"""

import hashlib
import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from domain.errors import WellreadError

Key = TypeVar("Key")
Value = TypeVar("Value")

#: wrong keys that an address may send at once, and the seconds after which it may send one more
FREE, EVERY_S = 20, 3.0
#: addresses, and keys, that are remembered
MOST = 10_000


class TooManyWrongKeys(WellreadError):
    """Too many wrong keys came from this address."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("Too many wrong keys came from this address: the key was not checked.")
        self.retry_after_s = retry_after_s


class WrongKeys:
    """The wrong keys of late, by address; an IPv6 network of 64 bits counts as one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._paid_at: OrderedDict[str, float] = OrderedDict()  #: when all wrong keys of an address will be forgotten
        self._known: OrderedDict[bytes, None] = OrderedDict()  #: hashes of keys that opened something

    def check(self, address: str, key: str) -> None:
        """Raise :class:`TooManyWrongKeys` where a key that is not known must wait."""
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


def _put(known: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > MOST:
        known.popitem(last=False)


def network_of(address: str) -> str:
    """Return what an address counts as: an IPv6 network of 64 bits is one caller's."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)


def _hash(key: str) -> bytes:
    return hashlib.blake2b(key.encode("latin-1", "replace"), digest_size=16).digest()
