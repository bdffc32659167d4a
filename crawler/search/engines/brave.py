"""Search with Brave, which has an index of its own; needs a key."""

from __future__ import annotations

from typing import Final

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit, Recency
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, to_reply

_FRESHNESS: Final[dict[Recency, str]] = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
#: the languages it accepts by their ISO 639-1 code; any other is an error
_LANGUAGES: Final = frozenset(
    "ar eu bn bg ca hr cs da nl en et fi fr gl de el gu he hi hu is it kn ko lv lt ms ml mr pl pa ro ru sr sk sl es sv"
    " ta te th tr uk vi".split()
)


class Brave:
    """Brave Search; at most one query a second, the limit of its smallest plan."""

    name = "brave"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1, delay_s=1.1)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://api.search.brave.com") -> None:
        self._api = EngineApi(client=client, name="Brave", base_url=base_url, key=key, setting="WELLREAD_BRAVE_KEY")
        self._headers = {"x-subscription-token": key}

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return web results in Brave's order."""
        params: dict[str, str | int] = {
            "q": query.cut(400, 50),
            "count": min(max(limit, 1), 20),
            "search_lang": query.known_lang if query.known_lang in _LANGUAGES else "",
            "freshness": _FRESHNESS[query.recency] if query.recency else "",
            "result_filter": "web",
            "text_decorations": "false",
        }
        answer = await self._api.get("/res/v1/web/search", params, headers=self._headers)
        found_nothing = "query" in answer  # then there is no "web"
        results = results_of(answer, "web", "results", engine="Brave", empty=found_nothing)
        return to_reply(results, snippet="description", limit=limit)
