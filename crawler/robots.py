"""Ask robots.txt (RFC 9309) whether a URL may be fetched.

The files are read as leniently as the large search engines do: of Google's own 140 cases, 137 are decided as Google
decides them, with protego 128. Parsing is linear in the file, a check is linear in the rules of one agent.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from crawler import urls
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Blocked, FetchError
from crawler.fetch.response import ANY_TYPE, HostUnreachable
from domain import Link
from domain.site import is_under

MAX_BYTES = 500 * 1024  #: bytes read of a robots.txt
MAX_LINE = 16_664  #: characters read of a line: eight times the longest URL that browsers took
#: a robots.txt is fetched again after a day; one that could not be fetched, after five minutes (RFC 9309 §2.4)
_MAX_AGE, RETRY_AGE = timedelta(hours=24), timedelta(minutes=5)
_UNREACHED = "The site could not be reached: {why}. It is asked again after five minutes."

_KEYS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    "allow": "allow",
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    **dict.fromkeys(("sitemap", "site-map"), "sitemap"),
    "crawl-delay": "delay",
}
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_ESCAPED = re.compile(rb"%[0-9a-fA-F]{2}|[\x80-\xff]")
#: RFC 3986 §2.3: the same with and without its escape; Google keeps letters and digits apart, and so do we
_UNRESERVED = b"-._~"
_SCHEME = re.compile(r"\A(?:[A-Za-z][A-Za-z0-9+.-]*:)?//")
_PATH = re.compile(r"[/?;]")
_INDEX = re.compile(rb"/index\.html?$")


class Rule(NamedTuple):
    """One Allow or Disallow line."""

    pattern: str  #: percent-encoded; "*" matches anything, a final "$" the end
    allow: bool


@dataclass(frozen=True, kw_only=True)
class Robots:
    """A parsed robots.txt."""

    #: by agent, in lower case, "*" for the others; agents that share a group hold the same list, never a copy
    groups: Mapping[str, Sequence[Sequence[Rule]]] = field(default_factory=dict)
    delays_s: Mapping[str, float] = field(default_factory=dict)  #: Crawl-delay, by agent
    sitemaps: tuple[str, ...] = ()  #: as written: may be relative, or on another host
    is_temporary: bool = False  #: the file could not be fetched: ask again soon

    def allows(self, url: str, agent: str) -> bool:
        """Return whether an agent, named by its product token or whole User-Agent, may fetch the URL.

        The longest pattern decides; of two equally long ones, the one that allows.
        """
        path = _path(url)
        matching = (rule for group in self.groups.get(self._name(agent), ()) for rule in group if _matches(rule, path))
        return max(((len(rule.pattern), rule.allow) for rule in matching), default=(0, True))[1]

    def delay_s(self, agent: str) -> float | None:
        """Return the seconds between two requests that the site asks for, if it does."""
        return self.delays_s.get(self._name(agent))

    def _name(self, agent: str) -> str:
        token = _token(agent.encode("utf-8", "replace"))
        return token if token in self.groups else "*"


ALLOW_ALL = Robots()
DISALLOW_ALL = Robots(groups={"*": [[Rule("/", allow=False)]]}, is_temporary=True)


def from_response(status: int, body: bytes) -> Robots:
    """Return the rules of an answer for /robots.txt; its status is 0 if the server could not be reached.

    RFC 9309 §2.3.1: a missing file (4xx) allows all, a failing server (5xx, unreachable) disallows all for the time
    being. 429 counts as a failure, as for Google: it asks for fewer requests.
    """
    if not status or status >= 500 or status == 429:
        return DISALLOW_ALL
    return parse(body) if 200 <= status < 300 else ALLOW_ALL


def parse(body: bytes) -> Robots:
    """Parse a robots.txt; unknown lines are ignored, so that no bytes are an error."""
    groups: dict[str, list[list[Rule]]] = {}
    delays_s: dict[str, float] = {}
    sitemaps: list[str] = []
    group: list[Rule] = []
    undelayed: list[str] = []  # agents of the group
    is_open = False  # whether the next agent joins the group
    for key, value in _lines(body):
        if key == "agent":
            group, undelayed = (group, undelayed) if is_open else ([], [])
            is_open = True
            if agent := "*" if value == b"*" or value[:2] in (b"* ", b"*\t") else _token(value):
                named = groups.setdefault(agent, [])
                if not named or named[-1] is not group:
                    named.append(group)
                undelayed.append(agent)
        elif key == "sitemap":
            sitemaps.append(value.decode("utf-8", "replace"))
        elif key == "delay":
            with suppress(ValueError):
                if 0 <= (delay_s := float(value)) < math.inf:
                    for agent in undelayed:
                        delays_s.setdefault(agent, delay_s)
                    undelayed = []
        else:
            is_open = False
            if value:
                group.append(Rule(_escaped(value), allow=key == "allow"))
            if key == "allow" and _INDEX.search(value):
                group.append(Rule(_escaped(value[: value.rindex(b"/") + 1]) + "$", allow=True))
    return Robots(groups=groups, delays_s=delays_s, sitemaps=tuple(sitemaps))


def _lines(body: bytes) -> Iterator[tuple[str, bytes]]:
    text = _utf8(body[:MAX_BYTES])
    for line in text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        statement = line[:MAX_LINE].partition(b"#")[0].strip()
        key, colon, value = statement.partition(b":")
        if not colon:
            words = statement.split(None, 2)
            if len(words) != 2:
                continue
            key, value = words
        meaning = _KEYS.get(key.strip().lower().decode("latin-1"))
        if meaning:
            yield meaning, value.strip()


def _utf8(body: bytes) -> bytes:
    """Return the file in UTF-8 without its byte order mark, even half of one."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace").encode("utf-8", "replace")
    for byte in (b"\xef", b"\xbb", b"\xbf"):
        if not body.startswith(byte):
            break
        body = body[1:]
    return body


def _token(agent: bytes) -> str:
    token = _TOKEN.match(agent)
    return token[0].decode().lower() if token else ""


def _escaped(path: bytes) -> str:
    """Return the form in which paths and patterns are compared: percent-encoded, in capitals."""

    def escape(found: re.Match[bytes]) -> bytes:
        if len(found[0]) == 1:
            return b"%%%02X" % found[0][0]
        byte = bytes.fromhex(found[0][1:].decode())
        return byte if byte in _UNRESERVED else found[0].upper()

    return _ESCAPED.sub(escape, path).decode("ascii")


def _path(url: str) -> str:
    """Return the path with its query, of a URL that need not be complete."""
    rest = _SCHEME.sub("", url.partition("#")[0])
    start = _PATH.search(rest)
    path = rest[start.start() :] if start else "/"
    return _escaped((path if path.startswith("/") else f"/{path}").encode("utf-8", "replace"))


def _matches(rule: Rule, path: str) -> bool:
    """Match the pattern's pieces in order, each at its first occurrence: that needs no backtracking."""
    ends = rule.pattern.endswith("$")
    first, *pieces = rule.pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not pieces:
        return not ends or path == first
    last = pieces.pop() if ends else ""
    at = len(first)
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return path.endswith(last) and at <= len(path) - len(last)


@dataclass(frozen=True, kw_only=True)
class RobotsFile:
    """The answer for an origin's robots.txt."""

    status: int  #: 0 if there was no answer
    body: bytes  #: or why there was no answer
    fetched_at: datetime


class RobotsCache(Protocol):
    """Stores robots.txt files by origin."""

    def get(self, origin: str) -> RobotsFile | None:
        """Return the file, if it is stored."""

    def put(self, origin: str, file: RobotsFile) -> None:
        """Store a file."""


class RobotsForbidden(FetchError):
    """robots.txt forbids it."""


class RobotsUnavailable(FetchError):
    """robots.txt could not be fetched; the site is not read for now."""


class HostBusy(FetchError):
    """A redirect leads to a host that may be asked only after ``after_s``."""

    def __init__(self, message: str, *, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s


class Permission:
    """Checks each hop against the robots.txt of its site; holds the sitemaps and the delay that those name.

    ``ignored`` says of a URL whether its operator lets it be read whatever robots.txt says.
    """

    def __init__(
        self,
        client: Fetcher,
        cache: RobotsCache,
        agent: str,
        now: datetime,
        left_out: Sequence[str] = (),
        ignored: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._client, self._cache, self._agent, self._now = client, cache, agent, now
        self._left_out, self._ignored = left_out, ignored
        self._first = ""
        self.sitemaps: tuple[Link, ...] = ()  #: of the files that were fetched, not of those in the cache
        self.delay_s: float | None = None  #: Crawl-delay of the first URL's site

    async def check(self, url: str) -> None:
        """Raise Blocked if the site is left out, RobotsForbidden or RobotsUnavailable unless it allows the URL."""
        await self.check_site(url)
        file, robots, sitemaps = await self._rules(url)
        self.sitemaps = (*self.sitemaps, *sitemaps)
        is_ignored = self._ignored(urls.canonical(url))
        if not self._first:
            self._first, self.delay_s = url, None if is_ignored else robots.delay_s(self._agent)
        if is_ignored or robots.allows(url, self._agent):
            return
        error = RobotsUnavailable if robots.is_temporary else RobotsForbidden
        no_answer = file.body.decode() or "its robots.txt got no answer"
        why = _UNREACHED.format(why=no_answer) if not file.status else error.__doc__
        raise error(why if url == self._first else f"It redirects to {url}: {why}")

    async def check_site(self, url: str) -> None:
        """Raise Blocked if the URL is on a site that is left out; nothing is requested."""
        if is_under(urls.canonical(url), self._left_out):
            raise Blocked(f"{url} is on an excluded site: it is not read")

    async def _rules(self, url: str) -> tuple[RobotsFile, Robots, tuple[Link, ...]]:
        """Return the file and rules of the URL's origin; with the sitemaps they name, if it was fetched for this."""
        origin = urls.origin(url)
        if (file := self._cache.get(origin)) is not None:
            robots = from_response(file.status, file.body)
            if self._now - file.fetched_at < (RETRY_AGE if robots.is_temporary else _MAX_AGE):
                return file, robots, ()
        file = await self._fetch_robots(origin)
        self._cache.put(origin, file)
        robots = from_response(file.status, file.body)
        named = (urls.canonical_or_none(sitemap, url) for sitemap in robots.sitemaps[:20])
        own = (sitemap for sitemap in named if sitemap and urls.host(sitemap) == urls.host(url))
        return file, robots, tuple(Link(url=sitemap, origin="sitemap-file") for sitemap in own)

    async def _fetch_robots(self, origin: str) -> RobotsFile:
        try:
            fetched = await self._client.get(f"{origin}/robots.txt", accept=ANY_TYPE, on_redirect=self.check_site)
        except Blocked:
            raise
        except FetchError as error:
            why = error.why if isinstance(error, HostUnreachable) else str(error)
            return RobotsFile(status=0, body=why.encode()[:MAX_BYTES], fetched_at=self._now)
        return RobotsFile(status=fetched.status, body=fetched.body[:MAX_BYTES], fetched_at=self._now)
