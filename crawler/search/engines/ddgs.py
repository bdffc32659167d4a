"""Search with DuckDuckGo's page for browsers without JavaScript: it has no API, and there is no contract.

The package ``ddgs`` does the same, but opens its own connections, which no guard can check; its request is made here.
DuckDuckGo may change the page, ask for a captcha or forbid it: whoever turns this engine on is responsible.
"""

import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

from lxml import etree, html

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit, Recency
from crawler.search.errors import EngineError, TakenForRobot
from crawler.search.http import EngineApi
from crawler.search.responses import is_block_page, to_reply

_PAST: Final[dict[Recency, str]] = {"day": "d", "week": "w", "month": "m", "year": "y"}
_NOTHING: Final = re.compile(rb"no-results|no\s+results", re.IGNORECASE)
#: a region is a country and a language; other languages search all regions
_REGIONS: Final = {
    "en": "us-en",
    **{lang: f"{lang}-{lang}" for lang in ("de", "fr", "es", "it", "nl", "pl", "pt", "ru", "tr", "fi", "hu", "ro")},
    "ja": "jp-jp",
    "ko": "kr-kr",
    "zh": "cn-zh",
    "sv": "se-sv",
    "da": "dk-da",
    "cs": "cz-cs",
    "el": "gr-el",
}


class Ddgs:
    """DuckDuckGo, with the requests of ``ddgs``, and few of them."""

    name = "ddgs"
    rate_limit = RateLimit(max_queries=2, max_concurrent=1, delay_s=1.0)

    def __init__(self, *, client: Fetcher, base_url: str = "https://html.duckduckgo.com") -> None:
        self._api = EngineApi(client=client, name="DuckDuckGo", base_url=base_url)

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the results of the page, without its advertisements."""
        region = _REGIONS.get(query.known_lang, "wt-wt")
        params = {"q": query.cut(500), "b": "", "l": region} | ({"df": _PAST[query.recency]} if query.recency else {})
        page = (await self._api.post_form("/html/", params)).body
        results = _results(page)
        if not results and is_block_page(page):
            raise TakenForRobot("DuckDuckGo takes us for a robot: it is not asked for a while")
        if not results and _NOTHING.search(page) is None:
            raise EngineError("DuckDuckGo's page is not understood: it may have changed")
        return to_reply(results, snippet="body", limit=limit)


def _results(page: bytes) -> list[object]:
    """Return URLs, titles and texts, with the names that ``ddgs`` has for them."""
    try:
        tree = html.document_fromstring(page, parser=html.HTMLParser(encoding="utf-8"))
    except etree.LxmlError:  # only white space or comments
        return []
    found: list[object] = []
    for link in tree.xpath("//a[contains(concat(' ', @class, ' '), ' result__a ')]"):
        [*boxes] = link.xpath("ancestor::div[contains(concat(' ', @class, ' '), ' result ')][1]")
        if boxes and "result--ad" in (boxes[0].get("class") or ""):
            continue
        snippets = boxes[0].xpath(".//*[contains(@class, 'result__snippet')]") if boxes else []
        body = snippets[0].text_content() if snippets else ""
        found.append({"url": _url_of(link.get("href") or ""), "title": link.text_content(), "body": body})
    return found


def _url_of(href: str) -> str:
    """Return the result's URL, also where the link goes through DuckDuckGo's redirect; "" for advertisements."""
    try:
        parts = urlsplit(href if not href.startswith("//") else f"https:{href}")
    except ValueError:
        return ""
    if (parts.hostname or "").endswith("duckduckgo.com"):
        return (parse_qs(parts.query).get("uddg") or [""])[0] if parts.path == "/l/" else ""
    return href
