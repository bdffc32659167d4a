"""Search with Kagi, an engine without advertising; needs a key, and is paid by the query."""

from __future__ import annotations

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, to_reply


class Kagi:
    """Kagi; it has regions but no language option."""

    name = "kagi"
    rate_limit = RateLimit(max_queries=3)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://kagi.com") -> None:
        self._api = EngineApi(client=client, name="Kagi", base_url=base_url, key=key, setting="WELLREAD_KAGI_KEY")
        self._headers = {"authorization": f"Bearer {key}"}

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return results in Kagi's order."""
        filters = {"region": "no_region"} | ({"after": query.since.isoformat()} if query.since else {})
        params = {"query": query.cut(2000), "page": 1, "workflow": "search", "safe_search": True, "filters": filters}
        answer = await self._api.post("/api/v1/search", params, headers=self._headers)
        found_nothing = isinstance(answer.get("data"), dict)  # then "data" has no "search"
        results = results_of(answer, "data", "search", engine="Kagi", empty=found_nothing)
        return to_reply(results, snippet="snippet", limit=limit)
