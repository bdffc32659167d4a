"""Search with Wikipedia's own full-text search, through the MediaWiki action API; needs no key."""

from typing import Any, Final
from urllib.parse import quote

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.errors import QueryRefused
from crawler.search.http import EngineApi
from crawler.search.responses import results_of, text_of, to_reply

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
        return to_reply([_with_url(result, api.base_url) for result in results], snippet="snippet", limit=limit)


def _with_url(result: Any, base_url: str) -> dict[str, str]:
    """Return the result with its article's URL as Wikipedia writes it: underscores for spaces, few escapes."""
    title = text_of(result, "title")
    name = quote(title.replace(" ", "_"), safe="/:@!$*(),;'~")
    url = f"{base_url}/wiki/{name}" if title else ""
    return {"url": url, "title": title, "snippet": text_of(result, "snippet")}
