"""Search with Tavily, an API made for language models; needs a key."""

from __future__ import annotations

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, to_reply


class Tavily:
    """Tavily at its basic depth, one credit a query; it has no language option."""

    name = "tavily"
    rate_limit = RateLimit(max_queries=3)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://api.tavily.com") -> None:
        self._api = EngineApi(client=client, name="Tavily", base_url=base_url, key=key, setting="WELLREAD_TAVILY_KEY")
        self._headers = {"authorization": f"Bearer {key}"}

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return results in Tavily's order."""
        params = {
            "query": query.cut(400),
            "search_depth": "basic",
            "topic": "general",
            "max_results": min(max(limit, 1), 20),
            "include_answer": False,
            "include_raw_content": False,
            "time_range": query.recency,
        }
        answer = await self._api.post("/search", params, headers=self._headers)
        return to_reply(results_of(answer, "results", engine="Tavily"), snippet="content", limit=limit)
