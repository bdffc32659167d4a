"""Parse a robots.txt (RFC 9309), as leniently as the large search engines, and say what it allows.

Of Google's own 140 cases, 137 are decided as Google decides them, with protego 128.

Pure. Parsing is linear in the file, a check is linear in the rules of one agent, whatever the file says.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from crawler.urls import origin

MAX_BYTES = 500 * 1024  #: bytes read of a robots.txt
MAX_LINE = 16_664  #: characters read of a line: eight times the longest URL that browsers took

_KEYS = {
    "user-agent": "agent",
    "useragent": "agent",
    "user agent": "agent",
    "allow": "allow",
    "disallow": "disallow",
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "diasllow": "disallow",
    "disallaw": "disallow",
    "sitemap": "sitemap",
    "site-map": "sitemap",
    "crawl-delay": "delay",
}
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_ESCAPED = re.compile(rb"%[0-9a-fA-F]{2}|[\x80-\xff]")
#: RFC 3986 §2.3: the same with and without its escape; Google keeps letters and digits apart, and so do we
_UNRESERVED = b"-._~"
_SCHEME = re.compile(r"\A(?:[A-Za-z][A-Za-z0-9+.-]*:)?//")
_PATH = re.compile(r"[/?;]")
_INDEX = re.compile(rb"/index\.html?$")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One Allow or Disallow line."""

    pattern: str  #: percent-encoded; "*" matches anything, a final "$" the end
    allow: bool

    @property
    def precedence(self) -> tuple[int, bool]:
        """The order of rules: the longest pattern decides; of two equally long ones, the one that allows."""
        return len(self.pattern), self.allow


Group = tuple[Rule, ...]  #: rules that one or more agents share, the highest precedence first


@dataclass(frozen=True, kw_only=True)
class Robots:
    """A parsed robots.txt."""

    groups: Mapping[str, tuple[Group, ...]] = field(
        default_factory=dict
    )  #: by agent, in lower case; "*" for the others
    delays_s: Mapping[str, float] = field(default_factory=dict)  #: Crawl-delay, by agent
    sitemaps: tuple[str, ...] = ()  #: as written: may be relative, or on another host
    is_temporary: bool = False  #: the file could not be fetched: ask again soon
    was_answered: bool = True  #: whether the site gave any answer

    def allows(self, url: str, agent: str) -> bool:
        """Return whether an agent, named by its product token or whole User-Agent, may fetch the URL."""
        path = _path(url)
        groups = self.groups.get(self._name(agent), ())
        deciding = [rule for group in groups if (rule := next((rule for rule in group if _matches(rule, path)), None))]
        return max(deciding, key=lambda rule: rule.precedence).allow if deciding else True

    def delay_s(self, agent: str) -> float | None:
        """Return the seconds between two requests that the site asks for, if it does."""
        return self.delays_s.get(self._name(agent))

    def _name(self, agent: str) -> str:
        token = _token(agent.encode("utf-8", "replace"))
        return token if token in self.groups else "*"


ALLOW_ALL = Robots()
DISALLOW_ALL = Robots(groups={"*": ((Rule(pattern="/", allow=False),),)}, is_temporary=True)
UNREACHED = replace(DISALLOW_ALL, was_answered=False)


def robots_url(url: str) -> str:
    """Return the URL of the robots.txt of the URL's site."""
    return f"{origin(url)}/robots.txt"


def from_response(status: int | None, body: bytes) -> Robots:
    """Return the rules of an answer for /robots.txt; its status is None where the server could not be reached.

    RFC 9309 §2.3.1: a missing file (4xx) allows all, a failing server (5xx, unreachable) disallows all for the time
    being. 429 counts as a failure, as for Google: it asks for fewer requests.
    """
    if status is None:
        return UNREACHED
    if status >= 500 or status == 429:
        return DISALLOW_ALL
    return parse(body) if 200 <= status < 300 else ALLOW_ALL


def parse(body: bytes) -> Robots:
    """Parse a robots.txt; unknown lines are ignored, so that no bytes are an error."""
    parser = _Parser()
    for key, value in _lines(body):
        match key:
            case "agent":
                parser.name(value)
            case "allow" | "disallow":
                parser.rule(value, allow=key == "allow")
            case "delay":
                parser.delay(value)
            case "sitemap":
                parser.sitemaps.append(value.decode("utf-8", "replace"))
    return parser.robots()


class _Parser:
    """Collects rules; the agents of a group share it, never a copy, which keeps parsing linear."""

    def __init__(self) -> None:
        self.sitemaps: list[str] = []
        self._groups: dict[str, list[list[Rule]]] = {}
        self._delays_s: dict[str, float] = {}
        self._group: list[Rule] = []
        self._is_open = False  # whether the next agent joins the group
        self._undelayed: list[str] = []

    def name(self, value: bytes) -> None:
        if not self._is_open:
            self._group, self._undelayed = [], []
        self._is_open = True
        agent = "*" if value == b"*" or value[:2] in (b"* ", b"*\t") else _token(value)
        if agent:
            self._groups.setdefault(agent, []).append(self._group)
            self._undelayed.append(agent)

    def rule(self, value: bytes, *, allow: bool) -> None:
        self._is_open = False
        if not value:
            return
        self._group.append(Rule(pattern=_escaped(value), allow=allow))
        if allow and _INDEX.search(value):
            self._group.append(Rule(pattern=_escaped(value[: value.rindex(b"/") + 1]) + "$", allow=True))

    def delay(self, value: bytes) -> None:
        try:
            delay_s = float(value)
        except ValueError:
            return
        if not 0 <= delay_s < math.inf:
            return
        for agent in self._undelayed:
            self._delays_s.setdefault(agent, delay_s)
        self._undelayed = []

    def robots(self) -> Robots:
        ranked: dict[int, Group] = {}
        for group in (group for groups in self._groups.values() for group in groups):
            if id(group) not in ranked:
                ranked[id(group)] = tuple(sorted(group, key=lambda rule: rule.precedence, reverse=True))
        groups = {
            agent: tuple(ranked[key] for key in dict.fromkeys(map(id, groups)))
            for agent, groups in self._groups.items()
        }
        return Robots(groups=groups, delays_s=self._delays_s, sitemaps=tuple(self.sitemaps))


def _lines(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the lines with a meaning: the meaning and the value."""
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
    """Return the product token that an agent's name begins with, in lower case; "" for none."""
    token = _TOKEN.match(agent)
    return token[0].decode().lower() if token else ""


def _escaped(path: bytes) -> str:
    """Return the form in which paths and patterns are compared: percent-encoded, in capitals."""
    return _ESCAPED.sub(_escape, path).decode("ascii")


def _escape(found: re.Match[bytes]) -> bytes:
    if len(found[0]) == 1:
        return b"%%%02X" % found[0][0]
    byte = bytes.fromhex(found[0][1:].decode())
    return byte if byte in _UNRESERVED else found[0].upper()


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
