"""Read once more, with its scripts run, a page that hardly holds any text without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from crawler.browser.render import NotRendered
from crawler.browser.requests import ScriptFetch
from crawler.extract.document import needs_javascript
from crawler.fetch.body import ANY_TYPE
from crawler.fetch.guard import Blocked
from crawler.fetch.result import Fetched
from crawler.robots.permission import FetchClient, Permission

NEEDS_BROWSER = "Its text is made by JavaScript: install Chromium, or set WELLREAD_CHROMIUM to its path."


class Renderer(Protocol):
    """Runs a page's scripts."""

    async def render(self, page: Fetched, get: ScriptFetch) -> Fetched:
        """Return the page as its scripts made it; raises NotRendered."""


class PageClient(FetchClient, Protocol):
    """Fetches, and knows what the operator's own sites are."""

    def is_own(self, url: str) -> bool:
        """Return whether a URL is on one of them; raises Blocked."""


@dataclass(frozen=True, kw_only=True)
class Scripts:
    """What a page's scripts are run with."""

    browser: Renderer | None
    client: PageClient
    permission: Permission  #: to fetch what they ask for

    async def run(self, page: Fetched) -> Fetched | None:
        """Return the page as its scripts make it; None where it needs none.

        Raises NotRendered where there is no browser, or none that could.
        """
        if not needs_javascript(page.body, page.headers.get("content-type", "")):
            return None
        if self.browser is None:
            raise NotRendered(NEEDS_BROWSER)

        async def get(url: str, headers: Mapping[str, str]) -> Fetched:
            return await self._get(page.url, url, headers)

        return await self.browser.render(page, get)

    async def _get(self, page_url: str, url: str, headers: Mapping[str, str]) -> Fetched:
        """Fetch for a page's script: as robots.txt allows, and from the web never into the operator's own sites."""
        if self.client.is_own(url) and not self.client.is_own(page_url):
            raise Blocked(f"{page_url} asks for {url}, which is a site of your own")
        await self.permission.check(url)
        return await self.client.get(url, headers=headers, accept=ANY_TYPE, on_redirect=self.permission.check)
