"""Search with Serper, an API for Google's results; needs a key."""

from __future__ import annotations

from typing import Final

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit, Recency
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, to_reply

_PAST: Final[dict[Recency, str]] = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper:
    """Serper's first page: more than ten results cost another credit."""

    name = "serper"
    rate_limit = RateLimit(max_queries=3)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://google.serper.dev") -> None:
        self._api = EngineApi(client=client, name="Serper", base_url=base_url, key=key, setting="WELLREAD_SERPER_KEY")
        self._headers = {"x-api-key": key}

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the organic results in Google's order."""
        params = {
            "q": query.cut(2000, 32),  # Google reads no more words
            "num": min(max(limit, 1), 10),
            "hl": query.known_lang or None,
            "tbs": _PAST[query.recency] if query.recency else None,
        }
        answer = await self._api.post("/search", params, headers=self._headers)
        results = results_of(answer, "organic", engine="Serper", empty="searchParameters" in answer)
        return to_reply(results, url="link", snippet="snippet", limit=limit)
