"""Parse URLs as browsers do (WHATWG, by ada), and write them in one canonical form.

All code takes a URL's host from here, so that no two parsers can disagree about it. Whether a URL may be fetched is
decided by the guard.
"""

import re
from collections import Counter

from ada_url import URL, idna_to_ascii

from domain.errors import WellreadError
from domain.file import SCHEME, folder_of, is_file_address
from domain.site import plain_escapes

MAX_URL = 1_300  #: characters, as an index of PostgreSQL takes two; a longer URL is a trap or an attack
MAX_DEPTH = 16  #: path segments
MAX_REPEATS = 3  #: of one path segment, as in /a/b/a/b/a/b/: broken relative links repeat without end

_TRACKING = re.compile(
    r"utm_\w*|[gdy]clid|gclsrc|gbraid|wbraid|fbclid|msclkid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|mkt_tok|srsltid"
    r"|_ga|_gl|_hsenc|_hsmi|__hs\w+|hsctatracking|oly_(?:anon|enc)_id|vero_(?:conv|id)",
    re.IGNORECASE,
)
#: a dot segment that only some servers see, behind an encoded slash or before a parameter
_HIDDEN_DOTS = re.compile(r"(?:/|%2F|%5C)\.\.?(?:;[^/]*)?(?:/|%2F|%5C|$)")


class BadUrl(WellreadError):
    """This is not a valid http(s) URL; the message says which and why."""


def parse(url: str, base: str = "") -> URL:
    """Parse an http(s) URL, relative to ``base`` if there is one, as browsers do; raises BadUrl."""
    if len(url) > MAX_URL:
        raise BadUrl(f"{url[:80]!r}… has {len(url)} characters: a URL may have {MAX_URL:,}")
    try:
        parsed = URL(url, base or None)
    except ValueError as error:
        raise BadUrl(f"{url!r} is not a URL: give a whole one, like https://example.org/page") from error
    if parsed.protocol not in ("http:", "https:"):
        raise BadUrl(f"{url!r} is not an http:// or https:// URL")
    hostname = parsed.hostname
    for label in hostname.split(".") if "xn--" in hostname else ():  # ada leaves ASCII labels unchecked
        if label.startswith("xn--"):
            try:
                is_own = idna_to_ascii(label[4:].encode().decode("punycode")).decode() == label
            except ValueError:
                is_own = False
            if not is_own:
                raise BadUrl(f"{url!r} has a host name that is not valid punycode")
    return parsed


def typed(url: str) -> str:
    """Return the canonical form of a URL that a person typed: https if it has no scheme. Raises BadUrl.

    The address of a file stays as it is.
    """
    return url if is_file_address(url) else canonical(url if "://" in url else f"https://{url}")


def absolute(url: str, base: str = "") -> str:
    """Return the URL to request: as the WHATWG serializer writes it, without its fragment. Raises BadUrl."""
    return str(parse(_requested(url, base)).href)


def canonical(url: str, base: str = "") -> str:
    """Return the form in which equal URLs are the same; raises BadUrl.

    It is absolute, without fragment, tracking parameters, an empty query or a dot after the host, and has its escapes
    as RFC 3986, 6.2.2 says.
    """
    requested = _requested(url, base)
    written = plain_escapes(requested)
    if written != requested or len(written) > MAX_URL:
        written = str(parse(written).href)
    address, _, query = written.partition("?")
    parts = [part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0])]
    return f"{address}?{'&'.join(parts)}" if parts else address


def canonical_or_none(url: str, base: str = "") -> str | None:
    """Return the canonical form of a URL; None if it has none."""
    try:
        return canonical(url, base)
    except BadUrl:
        return None


def origin(url: str) -> str:
    """Return ``scheme://host``, with ``:port`` if it is not the scheme's default; of a file, its folder."""
    if is_file_address(url):
        return f"{SCHEME}{folder_of(url)}"
    return str(parse(url).origin)


def site(url: str) -> str:
    """Return the site of a URL: its host and port without www, the same for http and https."""
    return origin(url).partition("://")[2].removeprefix("www.")


def host(url: str) -> str:
    """Return the host, lower case and in ASCII; an IPv6 address keeps its brackets."""
    return str(parse(url).hostname)


def is_trap(url: str) -> bool:
    """Return whether the URL looks like one of an endless series: too long, too deep, or with a repeating path."""
    if len(url) > MAX_URL:
        return True
    segments = [segment for segment in parse(url).pathname.split("/") if segment]
    repeats = max(Counter(segments).values(), default=0)
    return len(segments) > MAX_DEPTH or repeats >= MAX_REPEATS


def _requested(url: str, base: str) -> str:
    """Return what is requested for a URL, however long: no fragment, and no dots after the host; raises BadUrl."""
    parsed = parse(url, base)
    hostname = parsed.hostname
    name = hostname.rstrip(".")
    if not name or _HIDDEN_DOTS.search(plain_escapes(parsed.pathname)):
        raise BadUrl(f"{url!r} has no host, or hides a step out of its folder: write out where it leads")
    try:
        if name != hostname:
            parsed.hostname = name
    except ValueError as error:
        raise BadUrl(f"{url!r} is not a URL: {name!r} is no host") from error
    return str(parsed.href).partition("#")[0]
