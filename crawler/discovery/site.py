"""Select and order the links that belong to a whole site being read.

No question matters here: lists of pages come first, then pages by their distance from the front page.
"""

from collections.abc import Iterable
from typing import Final

from crawler import urls
from crawler.discovery.frontier import kind_of, leads_to_text
from domain import Candidate, Link
from domain.site import SiteScope

#: URLs that differ only in their query, as those of calendars and search forms
MAX_PER_ADDRESS: Final = 200

_LISTS_SCORE: Final = 2.0  #: a sitemap or feed is read before any page


def belongs(link: Link, scope: SiteScope, *, depth: int = 0) -> bool:
    """Return whether a link leads to a page of a site, or to a list of its pages: that may be anywhere at its host.

    ``depth`` is the page's distance from the front page.
    """
    if kind_of(link) == "page":
        return (scope.depth is None or depth <= scope.depth) and scope.covers(link.url)
    return not scope.is_page and urls.origin(link.url) in scope.origins


def candidates_of_site(links: Iterable[Link], *, scope: SiteScope, depth: int, max_depth: int) -> list[Candidate]:
    """Return candidates for the links that belong to the site, each URL once, in their order.

    ``depth`` is the links' distance from the front page. Links that are not to be followed, lead to no text or into a
    trap are left out.
    """
    found: dict[str, Candidate] = {}
    for link in links:
        kind = kind_of(link)
        if link.nofollow or link.url in found or not belongs(link, scope):
            continue
        if kind != "page":
            found[link.url] = Candidate(url=link.url, kind=kind, score=_LISTS_SCORE, depth=depth, origin=link.origin)
        elif depth <= max_depth and leads_to_text(link.url):
            found[link.url] = Candidate(
                url=link.url, score=1 / (1 + depth), depth=depth, origin=link.origin, text=link.text[:300]
            )
    return list(found.values())
