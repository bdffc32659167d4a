"""What is read: sources, whole sites and single pages, as the store builds, the API gives and the client gets them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from string import ascii_letters, digits
from typing import Final, Literal, Self, get_args
from urllib.parse import quote

from domain.file import is_file_address
from domain.published import UNPUBLISHED, Received, always_sent, described, published

#: what may be escaped and need not be (RFC 3986, 6.2.2.2)
_ESCAPED: Final = {f"%{ord(character):02X}": character for character in f"{ascii_letters}{digits}-._~"}
#: an escape, unless a percent sign before it would become one with what it stands for
_ESCAPE: Final = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}")
#: the file behind a folder's own URL
_FRONT: Final = re.compile(r"/(?:index|default)\.\w{2,5}$", re.IGNORECASE)


def plain_escapes(text: str) -> str:
    """Return a URL, path or pattern with no letter, digit or ``-._~`` escaped, and other escapes in upper case."""
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[0].upper(), found[0].upper()), text) if "%" in text else text


def as_served(url: str) -> str:
    """Return a URL as many servers read its path: an escaped slash or backslash is a slash, and several are one."""
    scheme, mark, rest = url.partition("://")
    return scheme + mark + re.sub(r"(?:/|%2F|%5C)+", "/", rest)


def prefixes_below(site: str) -> tuple[str, ...]:
    """Return what the URLs below a site begin with: no longer name (``…/lib`` is not ``…/library``)."""
    return (site,) if site.endswith(("/", "?", "=", "#")) else tuple(site + mark for mark in "/?#")


def is_under(url: str, sites: Iterable[str]) -> bool:
    """Return whether a URL, as it stands or as it is served, is one of these sites or lies below one, http or https.

    Files are below their folder alone: ``files://uploads`` is no site of the web.
    """
    read, each_site = (url, as_served(url)), [each for site in sites for each in of_either_scheme(site)]
    return any(one == each or one.startswith(prefixes_below(each)) for each in each_site for one in read)


def of_either_scheme(site: str) -> tuple[str, ...]:
    """Return a site's URLs with http and with https; the address of a file as it is."""
    if is_file_address(site):
        return (site,)
    rest = site.partition("://")[2]
    return f"http://{rest}", f"https://{rest}"


def with_and_without_www(site: str) -> tuple[str, str]:
    """Return a site's URL without and with www: a site often redirects from one to the other."""
    scheme, _, rest = site.partition("://")
    bare = rest.removeprefix("www.")
    return f"{scheme}://{bare}", f"{scheme}://www.{bare}"


@dataclass(frozen=True, kw_only=True)
class SiteScope:
    """What belongs to a site: reading, searching, listing and deleting its pages all ask it.

    What is excluded is so in whatever way it is written: also if it is only served as such a path.

    The patterns are of paths: ``*`` stands for any characters, slashes too, ``?`` for one. One that does not begin with
    a slash may begin at any folder, one that ends with a slash has all that is below.
    """

    sites: tuple[str, ...]  #: canonical; folders, which end with a slash, or pages: its own and where it redirects
    starts: tuple[str, ...] = ()  #: its front page and where that redirects: they always belong to it
    include: tuple[str, ...] = ()  #: patterns of the paths that belong to it; none: all
    exclude: tuple[str, ...] = ()  #: patterns of those that do not
    page_only: bool = False  #: nothing but the front page belongs to it
    depth: int | None = None  #: most links from the front page that are followed; None: no limit

    @classmethod
    def of(
        cls,
        url: str,
        *,
        moved_to: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        depth: int | None = None,
        page_only: bool = False,
        whole: bool = False,
    ) -> Self:
        """Return the scope of a site that is named by a canonical URL and perhaps redirects to another.

        A folder is named by itself or its front page (``…/docs/index.html``). Another page is alone, with what lies
        below it, unless more is asked for: its folder by ``include``, ``depth`` or ``whole``.
        """
        starts = (url, moved_to) if moved_to else (url,)
        is_asked = (whole or bool(include) or depth is not None) and not (moved_to and _is_folder(moved_to))
        widens = is_asked or _is_folder(url)
        sites = (folder_of(each) if widens or _is_folder(each) else each for each in starts)
        alone = page_only or depth == 0
        own = starts if alone else tuple(dict.fromkeys(sites))
        patterns = {"include": tuple(include), "exclude": tuple(exclude)}
        return cls(sites=own, starts=starts, page_only=alone, depth=depth, **patterns)

    @property
    def is_page(self) -> bool:
        """Return whether a page was named, so that lists of a site's pages are of no use."""
        return not any(site.endswith("/") for site in self.sites)

    @cached_property
    def exact(self) -> frozenset[str]:
        """Return the URLs of its front page."""
        return frozenset(name for url in self.starts for name in _names(url))

    @cached_property
    def urls(self) -> tuple[str, ...]:
        """Return the URLs of its folders and pages, each by all its names."""
        return tuple(name for site in self.sites for name in _names(site))

    @cached_property
    def origins(self) -> tuple[str, ...]:
        """Return the schemes and hosts of its folders and pages."""
        return tuple(dict.fromkeys("/".join(url.split("/", 3)[:3]) for url in self.urls))

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """Return what the URLs below it begin with."""
        return () if self.page_only else tuple(prefix for url in self.urls for prefix in prefixes_below(url))

    def covers(self, url: str) -> bool:
        """Return whether a page belongs to it."""
        if url in self.exact:
            return True
        if self.page_only or not (url in self.urls or url.startswith(self.prefixes)):
            return False
        is_excluded = self.exclude and (_matches(url, self.exclude) or _matches(as_served(url), self.exclude))
        return (not self.include or _matches(url, self.include)) and not is_excluded

    def narrowness(self, url: str) -> int:
        """Return how many characters of a URL it fixes; 0 if the page does not belong to it."""
        names = [name for name in (*self.exact, *self.urls) if url.startswith(name)]
        return max(map(len, names), default=1) if self.covers(url) else 0

    def likes(self, patterns: Sequence[str]) -> list[str]:
        """Return patterns of its paths as those of whole URLs for SQL's LIKE, with a backslash before what is plain."""
        whole = [_to_like(origin + _glob(pattern)) for origin in self.origins for pattern in patterns]
        return [like + end for like in whole for end in ("", "?%")]


def may_lead(own: Iterable[SiteScope], from_url: str, url: str) -> bool:
    """Return whether a page may lead to a URL: into the operator's own sources only their own pages do."""
    return not any(scope.covers(url) for scope in own) or any(scope.covers(from_url) for scope in own)


def folder_of(url: str) -> str:
    """Return a URL up to the last slash of its path; the address of a file as it is."""
    if is_file_address(url):
        return url
    plain = re.split("[?#]", url, maxsplit=1)[0]
    return plain[: plain.rindex("/") + 1]


def _is_folder(url: str) -> bool:
    plain = re.split("[?#]", url, maxsplit=1)[0]
    return plain.endswith("/") or _FRONT.search(plain) is not None


def _names(url: str) -> tuple[str, ...]:
    """Return a URL with http and with https, with www and without."""
    if is_file_address(url):
        return (url,)
    return tuple(form for each in of_either_scheme(url) for form in with_and_without_www(each))


def _glob(pattern: str) -> str:
    """Return a pattern as it is compared: percent-encoded as URLs are, and for the whole path."""
    encoded = plain_escapes(quote(pattern, safe="/*?%:@!$&'()+,;=~|[]"))
    anchored = encoded if encoded.startswith(("/", "*")) else f"*/{encoded}"
    return f"{anchored}*" if anchored.endswith("/") else anchored


def _matches(url: str, patterns: Iterable[str]) -> bool:
    """Return whether a pattern fits the URL's path, with its query or without: as SQL's LIKE does."""
    path = "/" + url.split("/", 3)[-1]
    globs = (_glob(pattern).replace("[", "[[]") for pattern in patterns)
    return any(fnmatchcase(path, glob) or fnmatchcase(path, f"{glob}[?]*") for glob in globs)


def _to_like(glob: str) -> str:
    plain = re.sub(r"([%_\\])", r"\\\1", glob)
    return plain.replace("*", "%").replace("?", "_")


@always_sent()
class Schedule:
    """When a source is looked at: every so often, or by a cron line."""

    every_s: float | None = None
    cron: str = ""  #: five fields: minute, hour, day of the month, month, day of the week
    zone: str = "UTC"  #: IANA name of the time zone the cron line is in


class SiteReadStatus(StrEnum):
    """Whether a site is being read."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    DONE = "DONE"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Return whether no more of the site is read."""
        return self in (SiteReadStatus.DONE, SiteReadStatus.CANCELLED)


@always_sent()
class Source:
    """A site that may be read for any question."""

    id: int
    url: str
    own: bool  #: the operator's own: its address may be private
    min_delay_s: float | None  #: seconds between two requests; None: the setting
    include: tuple[str, ...] = described(
        "Patterns of the paths that are read of it (`*`: any characters); empty: all.", default=()
    )
    exclude: tuple[str, ...] = described("Patterns of the paths that are not read of it.", default=())
    select: tuple[str, ...] = described(
        "CSS selectors of what counts as content of its pages, as it stands; empty: found by itself.", default=()
    )
    drop: tuple[str, ...] = described("CSS selectors of what does not count as content of its pages.", default=())
    depth: int | None = described("Most links from its front page that are followed; null: no limit.", default=None)
    callback_url: str | None = field(
        default=None,
        metadata={
            **UNPUBLISHED,
            "description": "Receives a signed POST for each page that is new, changed or removed; it is not shown "
            "again.",
        },
    )
    page_only: bool = described("Whether nothing but the page with this URL is read.", default=False)
    ignore_robots: bool = described(
        "Whether it is read whatever robots.txt and noindex say. Only for your own.", default=False
    )
    access: tuple[str, ...] = described(
        "What is set of how it is reached (headers, proxy …), without its values.", default=()
    )
    moved_to: str | None = described("Where its URL redirects: that is read and searched with it.", default=None)
    schedule: Schedule | None = described("null: each page by its own interval.", default=None)
    paused: bool = described("Whether nothing of it is read by itself for now.", default=False)
    next_due: datetime | None = described("When it is looked at again by its schedule.", default=None)

    @property
    def scope(self) -> SiteScope:
        """Return what belongs to it."""
        return self.scope_of()

    @property
    def own_scope(self) -> SiteScope:
        """Return what its permissions and secrets hold for, and what is shared and deleted: not where it redirects."""
        return replace(self, moved_to=None).scope

    def may_ignore_robots(self, url: str) -> bool:
        """Return whether the operator lets a page be read whatever its site's robots.txt says."""
        is_own = self.own and self.ignore_robots and url.split("/", 3)[:3] == self.url.split("/", 3)[:3]
        return is_own and self.own_scope.covers(url)

    def scope_of(self, *, whole: bool = False) -> SiteScope:
        """Return what belongs to it; ``whole``: all of its folder, if its URL names a page."""
        return SiteScope.of(
            self.url,
            moved_to=self.moved_to,
            include=self.include,
            exclude=self.exclude,
            depth=self.depth,
            page_only=self.page_only,
            whole=whole,
        )


@published
class SiteRead(Received):
    """How far the reading of a whole site has come; the counts are of pages."""

    id: int
    url: str
    prefix: str = described("What the URLs of its pages begin with.")
    status: SiteReadStatus
    reason: str | None = described("Why it ended.")
    again: bool = described("Whether pages that were read before are looked at too.")
    source_id: int | None = described("The source whose schedule asked for it.")
    max_pages: int
    max_depth: int
    found: int
    looked_at: int
    new: int = described("With a text that was not known.")
    unchanged: int
    left_out: int = described("Forbidden by the site, gone, or without text.")
    failed: int
    bytes: int
    embedding: int = described("Pages that wait to be embedded; only in the response for one site read.")
    active_s: float = described("Seconds of work, without pauses.")
    pages_per_s: float
    left_s: float | None = described(
        "About how many seconds are left until all is read and embedded; null while that cannot be told."
    )
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_final(self) -> bool:
        """Return whether no more of the site is read."""
        return self.status.is_final


@published
class PageCheck:
    """What was found when a page was looked at, once or many times in a row."""

    outcome: str = described("new, changed, unchanged, gone, failed or another outcome.")
    status: int | None = described("HTTP status of the answer; 304 if the server said so itself.")
    content_hash: str = described("Of the text it had from then on.")
    reason: str
    times: int = described("How often in a row.")
    first_at: datetime
    last_at: datetime


PageKind = Literal["web", "file", "document"]
PAGE_KINDS: Final[tuple[PageKind, ...]] = get_args(PageKind)


@published
class PageSummary(Received):
    """A page in a list, or a URL that brought none."""

    id: int | None = described("null if nothing was stored.")
    url: str
    kind: PageKind
    state: str = described(
        "held, stale, waiting, gone, duplicate, links or failed; without a page, the outcome: forbidden, blocked, "
        "empty, wall, skipped …"
    )
    reason: str | None = described("Why answers cannot be drawn from it; of a stale page, why it was not read again.")
    title: str
    lang: str
    characters: int = described("Length of its text.")
    published: datetime | None
    read_at: datetime | None = described("When it got its present text.")
    checked_at: datetime | None = described("When it was last looked at.")
    next_due: datetime | None = described("When it will be looked at again.")
    private: bool = described("Whether it serves only the questions that had it read.")
    stale_since: datetime | None = described(
        "When it was last read, if later looks did not read it: answers use that text.", default=None
    )


@published
class PageVersion:
    """A text that a page has, or had."""

    number: int = described("Counts the texts that the page has had.")
    title: str
    characters: int = described("Length of the text.")
    content_hash: str
    published: datetime | None
    read_at: datetime


@published
class StoredPage:
    """A stored page, or the part of it that was asked for."""

    id: int
    url: str
    title: str
    lang: str
    text: str = described("The text from `start`, as long as asked for.")
    start: int = described("Where this text begins, in Unicode characters.")
    characters: int = described("Length of the whole text.")
    published: datetime | None
    read_at: datetime
    content_hash: str
    generation: int = described("Counts the texts this page has had.")
    is_gone: bool
    missing: tuple[str, ...] = described("What of it could not be read, such as `pages 501 to 700`.")
    fetched_by: str = described("The paid service that fetched this text; empty: Wellread did.")
    checked_at: datetime = described("When it was last looked at.")
    next_due: datetime = described("When it will be looked at again.")
    stale_since: datetime | None = described(
        "When it was last read, if later looks did not read it: `history` says why."
    )
    history: tuple[PageCheck, ...] = described("What was found when it was looked at, the latest first.")


@dataclass(frozen=True, kw_only=True)
class PageLink:
    """A link on a page."""

    url: str
    text: str


@published
class ExtractedPage(Received):
    """What is content of a page."""

    url: str | None = described("Canonical, after redirects.")
    title: str
    lang: str = described("ISO 639-1, `und` if it is not known.")
    published: datetime | None
    modified: datetime | None
    markdown: str = described("Headings, lists, tables and code keep their form; links are in `links`.")
    characters: int = described("Length of its text without marks of Markdown.")
    links: tuple[PageLink, ...] = described("Of the whole page, its navigation too.")
    missing: tuple[str, ...] = described("What of it could not be read, such as `pages 501 to 700`.")
    notice: str = described("What is unusual about how it was read.")
    read_id: int | None = described("If it is kept: GET /api/reads/{read_id} says when answers use it.")


@published
class PageRead:
    """A page that was asked to be read, and how far that has come."""

    id: int
    url: str
    outcome: str | None = described("null while it waits.")
    reason: str | None
    page_id: int | None
    title: str | None
    in_knowledge_base: bool = described("Whether answers can be drawn from it.")

    @property
    def is_over(self) -> bool:
        """Return whether nothing more happens: it could not be read, or answers can be drawn from it."""
        return self.outcome is not None and (self.page_id is None or self.in_knowledge_base)
