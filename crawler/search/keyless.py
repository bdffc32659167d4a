"""Search with the engines that need no key: SearXNG, which the operator runs, Wikipedia and DuckDuckGo."""

import re
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

from lxml import etree, html

from crawler.fetch.client import Fetcher
from crawler.search.engine import (
    EngineDown,
    EngineError,
    EngineForbidden,
    EngineReply,
    Query,
    QueryRefused,
    RateLimit,
    Recency,
    TakenForRobot,
)
from crawler.search.http import EngineApi, is_block_page, results_of, text_of, to_reply


class SearXNG:
    """One SearXNG instance."""

    name = "searxng"
    rate_limit = RateLimit(max_queries=8, max_concurrent=4)

    def __init__(self, *, client: Fetcher, base_url: str) -> None:
        self._api = EngineApi(client=client, name=f"SearXNG at {base_url.rstrip('/')}", base_url=base_url)

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the first page of results in SearXNG's order."""
        lang = query.known_lang or None
        params = {"q": query.text, "format": "json", "language": lang, "time_range": query.recency}
        try:
            answer = await self._api.json("GET", "/search", params)
        except EngineForbidden as error:
            raise EngineError(
                f"{self._api.name} refuses JSON: allow it by adding json under search.formats in its settings.yml,"
                " then restart it"
            ) from error
        results = results_of(answer, "results", engine=self._api.name)
        silent = answer.get("unresponsive_engines")
        if not results and silent:
            pairs = [pair for pair in silent if isinstance(pair, list)] if isinstance(silent, list) else []
            reasons = ", ".join(": ".join(str(part)[:40] for part in pair[:2]) for pair in pairs[:5])
            raise EngineDown(f"{self._api.name} found nothing: its own engines did not answer ({reasons})")
        return to_reply(results, snippet="content", limit=limit)


_MAX_QUERY_BYTES: Final = 300  #: CirrusSearch refuses longer ones

#: editions with enough articles; for any other language the English one is asked
EDITIONS: Final = frozenset(
    "ar bg ca cs da de el en eo es et eu fa fi fr gl he hi hr hu hy id it ja ka kk ko lt lv mk ms nl no pl pt ro ru sk"
    " sl sr sv th tr uk ur uz vi zh".split()
)


class Wikipedia:
    """The Wikipedia of the query's language, or another MediaWiki at ``base_url``."""

    name = "wikipedia"
    rate_limit = RateLimit(max_queries=8)

    def __init__(self, *, client: Fetcher, base_url: str = "") -> None:
        self._client = client
        self._base_url = base_url

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the articles found, best first."""
        edition = query.known_lang if query.known_lang in EDITIONS else "en"
        base_url = self._base_url or f"https://{edition}.wikipedia.org"
        api = EngineApi(client=self._client, name="Wikipedia", base_url=base_url)
        params = {
            "action": "query",
            "list": "search",
            "srsearch": query.text.encode()[:_MAX_QUERY_BYTES].decode(errors="ignore"),
            "srlimit": min(max(limit, 1), 50),
            "srprop": "snippet",
            "format": "json",
            "formatversion": 2,
        }
        answer = await api.json("GET", "/w/api.php", params)
        if error := answer.get("error"):
            raise QueryRefused(f"Wikipedia refused the query: {text_of(error, 'info') or error}")
        results = results_of(answer, "query", "search", engine="Wikipedia")
        found = []
        for result in results:
            title = text_of(result, "title")
            name = quote(title.replace(" ", "_"), safe="/:@!$*(),;'~")  # as Wikipedia writes it: with few escapes
            url = f"{api.base_url}/wiki/{name}" if title else ""
            found.append({"url": url, "title": title, "snippet": text_of(result, "snippet")})
        return to_reply(found, snippet="snippet", limit=limit)


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
    """DuckDuckGo's page for browsers without JavaScript, with the requests of ``ddgs``, and few of them.

    It has no API, and there is no contract: DuckDuckGo may change the page, ask for a captcha or forbid it, and whoever
    turns this engine on is responsible. The package ``ddgs`` opens its own connections, which no guard can check.
    """

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
    """Return the result's URL, also if the link goes through DuckDuckGo's redirect; "" for advertisements."""
    try:
        parts = urlsplit(href if not href.startswith("//") else f"https:{href}")
    except ValueError:
        return ""
    if (parts.hostname or "").endswith("duckduckgo.com"):
        return (parse_qs(parts.query).get("uddg") or [""])[0] if parts.path == "/l/" else ""
    return href
