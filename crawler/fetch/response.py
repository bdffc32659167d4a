"""Read an answer off its connection, within the limits; name the error of one that cannot be used."""

import re
from collections.abc import AsyncIterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from itertools import islice

import httpcore2
import lxml.html
from lxml import etree

from crawler.fetch.content_encoding import BodyBounds, Corrupt, Decoder, Overflow
from crawler.fetch.guard import FetchError, Target
from crawler.file_kinds import HTML, UNKNOWN
from crawler.urls import BadUrl, absolute
from domain.errors import WellreadError

ANY_TYPE = frozenset({"*/*"})  #: for what is recognised by its bytes, such as robots.txt


class TooLarge(FetchError):
    """The answer exceeds a limit; the message says which."""


class FetchTimeout(FetchError):
    """The answer did not come in time."""


class HostUnreachable(FetchError):
    """No answer: the name, the connection, TLS or the protocol failed; the message says which."""

    def __init__(self, message: str, *, why: str = "") -> None:
        super().__init__(message)
        self.why = why or message  #: what failed, without the URL


class NotConnected(HostUnreachable):
    """No connection came about: the name, the network or the proxy failed, or nobody listens."""


class NotTrusted(HostUnreachable):
    """The site's certificate is not signed by a CA that is trusted."""


class NotText(FetchError):
    """The answer is not of a content type that can be read."""


@dataclass(frozen=True, kw_only=True)
class Limits(BodyBounds):
    """Limits on the time of a fetch and the size of its answer."""

    deadline_s: float = 20.0  #: for everything: all hops, DNS and bytes
    connect_s: float = 5.0  #: for one address
    dns_s: float = 3.0
    max_hops: int = 5  #: redirects followed


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A server's answer, whatever its status."""

    url: str  #: the last URL, after redirects: absolute, without fragment
    status: int
    #: names in lower case; repeated ones joined by ", ", or by lines if values have commas
    headers: Mapping[str, str]
    body: bytes  #: decoded; may be empty for an answer that is no 2xx
    elapsed_s: float = 0.0

    @property
    def content_type(self) -> str:
        """The type in lower case, without parameters; "" if the server gave none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: how programs, pictures and films begin, whatever their header says
_BINARY = (b"\x7fELF", b"MZ\x90", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"OggS", b"\0\0\0")
#: headers whose values have commas of their own: if they are repeated, each is a line
_OF_LINES = frozenset({"x-robots-tag", "set-cookie"})
#: the longest wait, in seconds, before a page that loads another by itself; news pages load themselves anew
_SOON_S = 10.0
_REFRESHED_BYTES = 20_000
_MOST_COOKIES, _MAX_COOKIE = 50, 4_096  #: of one host; characters
_ENDED = re.compile(r"max-age\s*=\s*(?:0|-\d)|expires\s*=[^;]*\b(?:19\d\d|200\d)\b", re.IGNORECASE)
_REFRESH = re.compile(r"\s*(\d{1,6}(?:\.\d*)?|\.\d+)\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']*)", re.IGNORECASE)


class WrongType(WellreadError):
    """The body is not of a content type that was asked for."""


async def receive(
    target: Target, response: httpcore2.Response, *, accept: frozenset[str] | None, limits: Limits
) -> Fetched:
    """Read the answer to its end; an unwanted body that cannot be read is empty, and no error.

    ``accept`` holds the content types wanted of a 2xx answer; None if its body is not wanted. Raises TooLarge,
    NotText or HostUnreachable if the wanted body cannot be read.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in response.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        between = "\n" if name in _OF_LINES else ", "
        headers[name] = f"{headers[name]}{between}{value}" if name in headers else value
    is_wanted = accept is not None and 200 <= response.status < 300
    types = accept if accept is not None and is_wanted else ANY_TYPE
    head = Fetched(url=target.url, status=response.status, headers=headers, body=b"")
    try:
        async with aclosing(response.aiter_stream()) as chunks:
            return replace(head, body=await _read_body(chunks, head, accept=types, bounds=limits))
    except (WrongType, Corrupt, Overflow, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        if is_wanted:
            raise fetch_error_of(target, error) from error
        return head


def fetch_error_of(target: Target, error: Exception) -> FetchError:
    """Return the fetch error for what went wrong while the answer was read."""
    match error:
        case Overflow():
            return TooLarge(f"{target.url} is too large: {error}. Leave it, or raise the limit")
        case WrongType() | Corrupt():
            return NotText(f"{target.url} cannot be read: {error}. Leave it")
        case _:
            kind = NotConnected if isinstance(error, httpcore2.ConnectError | httpcore2.ProxyError) else HostUnreachable
            why = str(error) or type(error).__name__
            if "certificate verify failed" in why:
                why = f"{why.partition('] ')[2].partition(' (_ssl')[0]}. Name its CA, if the site is yours"
                return NotTrusted(f"{target.url} could not be fetched: {why}", why=why)
            if isinstance(error, httpcore2.ProxyError):
                why = f"its proxy answered {why.strip()}"
            return kind(f"{target.url} could not be fetched: {why}. Try it later", why=why)


def location_of(response: httpcore2.Response) -> str | None:
    """Return where a redirect leads, None for another answer; the header is UTF-8 more often than the RFC's Latin-1."""
    headers = response.headers if response.status in _REDIRECTS else ()
    return next((value.decode("utf-8", "replace") for name, value in headers if name.lower() == b"location"), None)


def refresh_of(fetched: Fetched) -> str | None:
    """Return where a page leads by itself within seconds: by a meta element (not one in noscript) or the header."""
    head = fetched.body[:_REFRESHED_BYTES]
    values, base = [fetched.headers.get("refresh", "")], ""
    if fetched.content_type in HTML | {""} and b"refresh" in head.lower():
        with suppress(etree.ParserError):
            tree = lxml.html.document_fromstring(head)
            base = next(iter(tree.xpath("//base/@href")), "")
            metas = tree.xpath("//meta[@http-equiv and not(ancestor::noscript)]")
            values += [meta.get("content", "") for meta in metas if meta.get("http-equiv").strip().lower() == "refresh"]
    for value in values if fetched.status == 200 else ():
        found = _REFRESH.match(value)
        if found and found[2].strip() and float(found[1]) <= _SOON_S:
            with suppress(BadUrl):
                return absolute(found[2].strip(), absolute(base, fetched.url))
    return None


class Cookies:
    """The cookies that servers set within one chain of redirects, each sent to its own host only."""

    def __init__(self) -> None:
        self._of_host: dict[str, dict[str, str]] = {}

    def keep(self, target: Target, response: httpcore2.Response) -> None:
        """Keep the cookies of an answer, or drop those that it ends."""
        kept = self._of_host.setdefault(target.authority, {})
        lines = (value for name, value in response.headers if name.lower() == b"set-cookie")
        for line in islice(lines, _MOST_COOKIES):
            pair, _, attributes = line.decode("latin-1")[:_MAX_COOKIE].partition(";")
            name, _, value = pair.partition("=")
            kept.pop(name.strip(), None)
            if name.strip() and not _ENDED.search(attributes) and len(kept) < _MOST_COOKIES:
                kept[name.strip()] = value.strip()

    def header(self, target: Target) -> str:
        """Return the cookies for a request as its header has them; "" for none."""
        return "; ".join(f"{name}={value}" for name, value in self._of_host.get(target.authority, {}).items())


async def _read_body(
    chunks: AsyncIterable[bytes], head: Fetched, *, accept: frozenset[str], bounds: BodyBounds
) -> bytes:
    """Return the decoded body; stop at the first chunk that shows that it cannot be used.

    Raises WrongType, also if text is declared and the bytes are binary; Overflow or Corrupt, as the decoder does.
    """
    kind = head.content_type
    if kind and accept != ANY_TYPE and kind not in accept:
        raise WrongType(f"its content type is {kind}")
    declared = head.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[-18:]) > bounds.max_wire:
        raise Overflow(f"its {declared[-18:]} bytes are more than {bounds.max_wire:,}")
    decoder = Decoder(head.headers.get("content-encoding", ""), bounds)
    is_text = kind.startswith("text/") or kind.endswith(("xml", "json"))
    is_sniffed = accept != ANY_TYPE and (not kind or kind in UNKNOWN or is_text)
    body = bytearray()
    async for chunk in chunks:
        body += decoder.feed(chunk)
        if is_sniffed and body.startswith(_BINARY):
            raise WrongType(f"it is binary, though its content type is {kind or 'not given'}")
    decoder.finish()
    return bytes(body)
