"""Select and order the links that belong to a whole site being read.

No question matters here: lists of pages come first, then pages by their distance from the front page.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from crawler import urls
from crawler.discovery.frontier import kind_of, leads_to_text
from domain import Candidate, Link

#: URLs that differ only in their query, as those of calendars and search forms
MAX_PER_ADDRESS: Final = 200

_LISTS_SCORE: Final = 2.0  #: a sitemap or feed is read before any page


def prefix_of(url: str) -> str:
    """Return the prefix of the site's URLs: the canonical URL up to its last slash."""
    plain = urls.canonical(url).partition("?")[0]
    return plain[: plain.rindex("/") + 1]


def moved_prefix(prefix: str, url: str) -> str:
    """Return the prefix for a front page that redirected to ``url``: a new one only on the same site.

    The same site: http or https, with or without www.
    """
    origin, new_origin = urls.origin(prefix), urls.origin(url)
    if origin == new_origin or urls.site(prefix) != urls.site(url):
        return prefix
    return new_origin + prefix.removeprefix(origin)


def candidates_of_site(links: Iterable[Link], *, prefix: str, depth: int, max_depth: int) -> list[Candidate]:
    """Return candidates for the links that belong to the site, each URL once, in their order.

    ``depth`` is the links' distance from the front page. Lists of pages may be anywhere on the origin, pages only below
    the prefix; links that are not to be followed, lead to no text or into a trap are left out.
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
