"""Take an answer's body, chunk by chunk, while it is of a kind that was asked for and within its bounds."""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping

from crawler.fetch.content_encoding import BodyBounds, Decoder, Overflow
from domain.errors import WellreadError

#: content types with text to extract
PAGE_TYPES = frozenset(
    {"text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf"}
    | {"application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/json"}
)
ANY_TYPE = frozenset({"*/*"})  #: for what is judged by its bytes, such as robots.txt

#: how programs, archives, pictures and films begin, whatever their header says
_BINARY = (b"\x7fELF", b"MZ\x90", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\0\0\0")


class WrongType(WellreadError):
    """The body is of another kind than was asked for."""


def content_type(headers: Mapping[str, str]) -> str:
    """Return the Content-Type in lower case, without its parameters; "" where there is none."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_body(
    chunks: AsyncIterable[bytes], headers: Mapping[str, str], *, accept: frozenset[str], bounds: BodyBounds
) -> bytes:
    """Return the decoded body; stop at the first chunk that shows it is not wanted.

    Raises:
        Unwanted: its declared type is not accepted, or it is declared as text and is not.
        Overflow, Corrupt: see ``crawler.fetch.content_encoding``.
    """
    kind = content_type(headers)
    if kind and accept != ANY_TYPE and kind not in accept:
        raise WrongType(f"its content type is {kind}")
    _check_declared_length(headers.get("content-length", ""), bounds)
    decoder = Decoder(headers.get("content-encoding", ""), bounds)
    is_sniffed = accept != ANY_TYPE and _is_textual(kind)
    body = bytearray()
    async for chunk in chunks:
        body += decoder.feed(chunk)
        if is_sniffed and body.startswith(_BINARY):
            raise WrongType(f"it is binary, though its content type is {kind or 'not given'}")
    decoder.finish()
    return bytes(body)


def _check_declared_length(declared: str, bounds: BodyBounds) -> None:
    if declared.isdecimal() and int(declared[-18:]) > bounds.max_wire:
        raise Overflow(f"its {declared[-18:]} bytes are more than {bounds.max_wire:,}")


def _is_textual(kind: str) -> bool:
    return not kind or kind.startswith("text/") or kind.endswith(("xml", "json"))
