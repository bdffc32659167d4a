"""Undo a body's Content-Encoding within bounds, chunk by chunk, so that no decompression bomb is unpacked.

An 809-byte body can hold gigabytes; no call returns or keeps more than the bounds allow.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import brotli

from domain.errors import WellreadError

ENCODINGS = "gzip, deflate, br"  #: for Accept-Encoding
RATIO_FROM_BYTES = 1_000_000  #: below this size a high ratio does no harm


class Overflow(WellreadError):
    """The body exceeds a bound; the message says which."""


class Corrupt(WellreadError):
    """The body cannot be decoded: its encoding is not one of ours or stacked, or it is damaged or cut off."""


@dataclass(frozen=True, kw_only=True)
class BodyBounds:
    """Limits on the size of a body."""

    max_wire: int = 5_000_000  #: bytes as they arrive
    max_body: int = 10_000_000  #: bytes once decoded
    max_ratio: float = 100.0  #: decoded per arrived byte, for a body above ``RATIO_FROM_BYTES``


class Decoder:
    """Decodes one body; feed it every chunk, then finish it."""

    def __init__(self, encoding: str, bounds: BodyBounds) -> None:
        named = [part.partition(";")[0].strip().lower() for part in encoding.split(",")]
        codecs = [name for name in named if name in _CODECS or name in _OTHERS]  # others have no effect, as "utf-8"
        if len(codecs) > 1 or (codecs and codecs[0] in _OTHERS):
            raise Corrupt(f"its content encoding {encoding!r} is not one of {ENCODINGS}")
        self._codec = _CODECS[codecs[0]]() if codecs else None
        self._bounds = bounds
        self.wire = 0  #: bytes received
        self.out = 0  #: bytes decoded

    def feed(self, data: bytes) -> bytes:
        """Return what the next chunk decodes to; raises Corrupt, or Overflow after ``max_body`` + 1 decoded bytes."""
        self.wire += len(data)
        if self.wire > self._bounds.max_wire:
            raise Overflow(f"more than {self._bounds.max_wire:,} bytes arrived")
        room = self._bounds.max_body - self.out + 1
        decoded = self._codec.feed(data, room) if self._codec else data[:room]
        self.out += len(decoded)
        if self.out > self._bounds.max_body:
            raise Overflow(f"it is more than {self._bounds.max_body:,} bytes once decoded")
        if self.out > RATIO_FROM_BYTES and self.out > self._bounds.max_ratio * self.wire:
            raise Overflow(f"it unpacks to more than {self._bounds.max_ratio:g} times its size")
        return decoded

    def finish(self) -> None:
        """Raise Corrupt if the encoded stream is cut off."""
        if self.wire and self._codec and not self._codec.is_whole():
            raise Corrupt("its encoded body is cut off")


class _Zlib:
    """Gzip (RFC 1952), one member after the other and perhaps padding; or deflate: zlib's format, or a bare stream."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip, self._head = is_gzip, b""
        self._inflate = zlib.decompressobj(31) if is_gzip else None

    def feed(self, data: bytes, room: int) -> bytes:
        """Return what ``data`` decodes to, at most ``room`` bytes; raises Corrupt."""
        if self._inflate is None:
            self._head = data = self._head + data
            if len(data) < 2:
                return b""
            has_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0  # of RFC 1950
            self._inflate = zlib.decompressobj(15 if has_header else -15)
        out = bytearray()
        while data and len(out) < room:
            if self._inflate.eof:
                if not (self._is_gzip and data.startswith(b"\x1f")):
                    break
                self._inflate = zlib.decompressobj(31)
            try:
                out += self._inflate.decompress(data, room - len(out))
            except zlib.error as error:
                raise Corrupt("its body is not valid gzip or deflate") from error
            data = self._inflate.unused_data
        return bytes(out)

    def is_whole(self) -> bool:
        return self._inflate is not None and self._inflate.eof


class _Brotli:
    def __init__(self) -> None:
        self._decompress = brotli.Decompressor()

    def feed(self, data: bytes, room: int) -> bytes:
        out = bytearray()
        try:
            out += self._decompress.process(data, output_buffer_limit=room)
            while len(out) < room and not self._decompress.can_accept_more_data():
                more = self._decompress.process(b"", output_buffer_limit=room - len(out))
                if not more:
                    break
                out += more
        except brotli.error as error:
            raise Corrupt("its body is not valid brotli") from error
        return bytes(out[:room])

    def is_whole(self) -> bool:
        return bool(self._decompress.is_finished())


_CODECS: Final[dict[str, Callable[[], _Zlib | _Brotli]]] = {
    **dict.fromkeys(("gzip", "x-gzip"), partial(_Zlib, is_gzip=True)),
    "deflate": partial(_Zlib, is_gzip=False),
    "br": _Brotli,
}
#: encodings that servers know and we do not ask for
_OTHERS: Final = frozenset({"zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"})
