"""Which of the links a page shows belong to the reading of its whole site, and in which order they are read.

Nothing here asks whether a page answers a question: lists of pages come first, then pages near where it began.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from crawler import urls
from crawler.discovery.frontier import kind_of, leads_to_text
from domain import Candidate, Link

#: URLs of one address that differ only in their query, as a calendar's or a search form's do
MAX_PER_ADDRESS: Final = 200

_LISTS_SCORE: Final = 2.0  #: a sitemap or feed is read before any page


def prefix_of(url: str) -> str:
    """Return what the URLs of the site begin with: the canonical URL up to its last slash."""
    plain = urls.canonical(url).partition("?")[0]
    return plain[: plain.rindex("/") + 1]


def moved_prefix(prefix: str, url: str) -> str:
    """Return the prefix after the front page was found at ``url``: another only where the same site has moved.

    http may lead to https and the bare name to www, or the other way round; what leads to another site stays outside.
    """
    origin, now_at = urls.origin(prefix), urls.origin(url)
    if origin == now_at or _site(origin) != _site(now_at):
        return prefix
    return now_at + prefix.removeprefix(origin)


def candidates_of_site(links: Iterable[Link], *, prefix: str, depth: int, max_depth: int) -> list[Candidate]:
    """Make candidates of the links that belong to the site, once each, in the order they stand.

    ``depth`` is theirs, counted in links from the front page. Lists of pages may stand anywhere on the origin, pages
    only below the prefix; what is no text, has no end or asks not to be followed is left out.
    """
    found: dict[str, Candidate] = {}
    origin = urls.origin(prefix) + "/"
    for link in links:
        kind = kind_of(link)
        if link.nofollow or link.url in found or not link.url.startswith(prefix if kind == "page" else origin):
            continue
        if kind != "page":
            found[link.url] = Candidate(url=link.url, kind=kind, score=_LISTS_SCORE, depth=depth, origin=link.origin)
        elif depth <= max_depth and leads_to_text(link.url):
            found[link.url] = Candidate(
                url=link.url, score=1 / (1 + depth), depth=depth, origin=link.origin, text=link.text[:300]
            )
    return list(found.values())


def _site(origin: str) -> str:
    return origin.partition("://")[2].removeprefix("www.")
