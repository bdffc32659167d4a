"""Read an answer off its connection, within the limits, and tell what is wrong with one that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from types import MappingProxyType

import httpcore2

from crawler.fetch.body import ANY_TYPE, WrongType, content_type, read_body
from crawler.fetch.content_encoding import Corrupt, Overflow
from crawler.fetch.guard import FetchError, Target
from crawler.fetch.result import Fetched, HostUnreachable, Limits, NotText, TooLarge

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def receive(
    target: Target, response: httpcore2.Response, *, accept: frozenset[str] | None, limits: Limits
) -> Fetched:
    """Read the answer to its end; only of what was asked for is a body that cannot be had an error.

    ``accept`` holds the content types wanted of a 2xx answer; None where its body is not wanted.

    Raises:
        TooLarge, NotText, Unreachable: the body cannot be had.
    """
    headers = _headers(response)
    is_wanted = accept is not None and 200 <= response.status < 300
    types = accept if accept is not None and is_wanted else ANY_TYPE
    try:
        async with aclosing(response.aiter_stream()) as chunks:
            body = await read_body(chunks, headers, accept=types, bounds=limits.bounds())
    except (WrongType, Corrupt, Overflow, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        if is_wanted:
            raise fetch_error_of(target, error) from error
        body = b""
    return Fetched(
        url=target.url, status=response.status, headers=headers, body=body, content_type=content_type(headers)
    )


def fetch_error_of(target: Target, error: Exception) -> FetchError:
    """Return the error to raise for what went wrong with an answer."""
    match error:
        case Overflow():
            return TooLarge(f"{target.url} is too large: {error}. Leave it, or raise the limit")
        case WrongType() | Corrupt():
            return NotText(f"{target.url} cannot be read: {error}. Leave it")
        case _:
            return HostUnreachable(
                f"{target.url} could not be fetched: {str(error) or type(error).__name__}. Try it later"
            )


def location_of(response: httpcore2.Response) -> str | None:
    """Where a redirect leads; the header's bytes are UTF-8 more often than the Latin-1 of the RFC."""
    if response.status not in _REDIRECTS:
        return None
    for name, value in response.headers:
        if name.lower() == b"location":
            return value.decode("utf-8", "replace")
    return None


def _headers(response: httpcore2.Response) -> Mapping[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in response.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return MappingProxyType(joined)
