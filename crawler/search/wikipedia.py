"""Wikipedia's own full-text search, over the MediaWiki action API; needs no key."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, urlencode

from crawler.fetch import Client
from crawler.search import EngineError
from crawler.search.reply import json_object, plain, text_of, to_link
from store.types import Link

_JSON: Final = frozenset({"application/json"})
_MAX_QUERY_BYTES: Final = 300  #: CirrusSearch refuses longer ones


class Wikipedia:
    """Asks one language's Wikipedia, or another wiki of the same software by its ``base_url``."""

    name = "wikipedia"

    def __init__(self, *, client: Client, lang: str = "en", base_url: str = "") -> None:
        self._client = client
        self._base_url = (base_url or f"https://{lang}.wikipedia.org").rstrip("/")

    async def search(self, query: str, *, limit: int) -> list[Link]:
        """Return the articles found, best first.

        Raises:
            EngineError: it refused the query, or its answer is not understood.
            FetchError: it could not be reached.
        """
        asked = {
            "action": "query",
            "list": "search",
            "srsearch": query.encode()[:_MAX_QUERY_BYTES].decode(errors="ignore"),
            "srlimit": min(max(limit, 1), 50),
            "srprop": "snippet",
            "format": "json",
            "formatversion": 2,
        }
        fetched = await self._client.get(f"{self._base_url}/w/api.php?{urlencode(asked)}", accept=_JSON)
        answer = json_object(fetched, "Wikipedia")
        if refusal := answer.get("error"):
            raise EngineError(f"Wikipedia refused the query: {text_of(refusal, 'info') or refusal}")
        found = answer.get("query")
        results = found.get("search") if isinstance(found, dict) else None
        if not isinstance(results, list):
            raise EngineError(f"Wikipedia at {self._base_url} answered without results: ask it again later")
        links = (self._link(text_of(result, "title"), text_of(result, "snippet")) for result in results)
        return [link for link in links if link is not None][:limit]

    def _link(self, title: str, snippet: str) -> Link | None:
        """Write the article's URL as Wikipedia itself does: underscores for spaces, and few characters escaped."""
        if not title:
            return None
        name = quote(title.replace(" ", "_"), safe="/:@!$*(),;'~")
        return to_link(f"{self._base_url}/wiki/{name}", title, plain(snippet))
