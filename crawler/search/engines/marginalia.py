"""Search with Marginalia, an index of small, text-heavy, mostly English sites; needs a key."""

from __future__ import annotations

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, to_reply


class Marginalia:
    """Marginalia; it has neither language nor date options."""

    name = "marginalia"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://api2.marginalia-search.com") -> None:
        self._api = EngineApi(
            client=client, name="Marginalia", base_url=base_url, key=key, setting="WELLREAD_MARGINALIA_KEY"
        )
        self._headers = {"api-key": key}

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return results in Marginalia's order."""
        params: dict[str, str | int] = {
            "query": query.cut(500),
            "count": min(max(limit, 1), 100),
            "page": 1,
            "nsfw": 1,  # filtered
        }
        answer = await self._api.get("/search", params, headers=self._headers)
        return to_reply(results_of(answer, "results", engine="Marginalia"), snippet="description", limit=limit)
