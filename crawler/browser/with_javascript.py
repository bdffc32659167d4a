"""Run a page's scripts where it has hardly any text without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from crawler.browser.render import NotRendered
from crawler.browser.requests import ScriptFetch
from crawler.extract.needs_javascript import needs_javascript
from crawler.fetch.guard import Blocked
from crawler.fetch.result import ANY_TYPE, Fetched
from crawler.robots.permission import FetchClient, Permission

NEEDS_BROWSER = "Its text is made by JavaScript: install Chromium, or set WELLREAD_CHROMIUM to its path."


class Renderer(Protocol):
    """Runs a page's scripts."""

    async def render(self, page: Fetched, fetch: ScriptFetch) -> Fetched:
        """Return the page as its scripts made it; raises NotRendered."""


class PageClient(FetchClient, Protocol):
    """Fetches, and knows the operator's own sites."""

    def is_own(self, url: str) -> bool:
        """Return whether a URL is on one of the operator's own sites; raises Blocked."""


async def run_scripts(
    page: Fetched, *, browser: Renderer | None, client: PageClient, permission: Permission
) -> Fetched | None:
    """Return the page as its scripts make it; None where it needs no scripts.

    ``permission`` is asked before each request of a script. Raises NotRendered, also where there is no browser.
    """
    if not needs_javascript(page.body, page.headers.get("content-type", "")):
        return None
    if browser is None:
        raise NotRendered(NEEDS_BROWSER)

    async def fetch(url: str, headers: Mapping[str, str]) -> Fetched:
        if client.is_own(url) and not client.is_own(page.url):  # a page of the web must not read an own site
            raise Blocked(f"{page.url} requests {url}, which is on a site of your own")
        await permission.check(url)
        return await client.get(url, headers=headers, accept=ANY_TYPE, on_redirect=permission.check)

    return await browser.render(page, fetch)
