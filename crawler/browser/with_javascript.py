"""Run the scripts of a page that has hardly any text without them, and shows that they will add more."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from crawler.browser.render import NotRendered
from crawler.browser.requests import ScriptFetch
from crawler.content_types import HTML
from crawler.extract.bounded_process import BOUNDS, TooMuchWork, read_bounded
from crawler.extract.charset import decode
from crawler.extract.document import CONTROL
from crawler.extract.html import parse
from crawler.extract.visibility import drop_hidden
from crawler.fetch.result import ANY_TYPE, Fetched
from crawler.robots.permission import FetchClient, Permission

NEEDS_BROWSER = "Its text is made by JavaScript: install Chromium, or set WELLREAD_CHROMIUM to its path."
#: a page with fewer words has a title, a menu or "Loading…", and no text
FEW_WORDS = 25
#: the elements that the usual frameworks fill
_ROOT_IDS = frozenset(
    "root app __next __nuxt ___gatsby svelte main-app app-root react-root application q-app content-root".split()
)
_ROOT_TAGS = frozenset({"app-root", "my-app", "app-main", "ember-app"})
_ASKS_FOR_JAVASCRIPT = re.compile(
    r"javascript|java script|scripts?\b.{0,40}(?:enable|aktivier|activ|habilit)", re.IGNORECASE
)


class Renderer(Protocol):
    """Runs a page's scripts."""

    async def render(self, page: Fetched, fetch: ScriptFetch) -> Fetched:
        """Return the page as its scripts made it; raises NotRendered."""


class PageClient(FetchClient, Protocol):
    """Fetches, and knows the operator's own sites."""

    def check_part(self, url: str, page: str) -> None:
        """Raise Blocked if a page may not load a URL as a part of it."""


async def run_scripts(
    page: Fetched, *, browser: Renderer | None, client: PageClient, permission: Permission, until: float
) -> Fetched | None:
    """Return the page as its scripts make it; None where it needs no scripts.

    ``permission`` is asked before each request of a script. Raises NotRendered, also where there is no browser, or that
    was not known at the monotonic time ``until``.
    """
    looked_at = partial(needs_javascript, page.body, page.headers.get("content-type", ""))
    try:
        has_text = not await read_bounded(looked_at, len(page.body), until=until)
    except TooMuchWork as error:
        raise NotRendered(f"{page.url} {error}") from error
    if has_text:
        return None
    if browser is None:
        raise NotRendered(NEEDS_BROWSER)

    async def fetch(url: str, headers: Mapping[str, str]) -> Fetched:
        client.check_part(url, page.url)  # a page of the web must not read an own site
        await permission.check(url)
        return await client.get(url, headers=headers, accept=ANY_TYPE, on_redirect=permission.check)

    return await browser.render(page, fetch)


def needs_javascript(body: bytes, content_type: str = "") -> bool:
    """Return whether a document is a page that has hardly any text before its scripts have run."""
    if content_type.split(";")[0].strip().lower() not in HTML | {""} or b"<script" not in body.lower():
        return False
    tree = parse(CONTROL.sub(" ", decode(body[: BOUNDS.chars], content_type)))
    if tree is None or not any(True for _ in tree.iter("script")):
        return False
    asks = any(_ASKS_FOR_JAVASCRIPT.search("".join(element.itertext())) for element in tree.iter("noscript"))
    has_root = any(_is_root(element) for element in tree.iter())
    whole = tree.find("body")
    drop_hidden(tree)
    shown = " ".join((whole if whole is not None else tree).itertext())
    words = max(len(shown.split()), len(shown) // 12)
    return words < FEW_WORDS and (asks or has_root or words == 0)


def _is_root(element: Any) -> bool:
    """Return whether a framework would fill this element, which holds hardly anything yet."""
    if not isinstance(element.tag, str):
        return False
    is_named = element.get("id", "") in _ROOT_IDS or element.tag in _ROOT_TAGS or "data-reactroot" in element.attrib
    return is_named and len("".join(element.itertext()).split()) < FEW_WORDS
