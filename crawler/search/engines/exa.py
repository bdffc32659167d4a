"""Search with Exa, an engine over embeddings that accepts whole questions; needs a key."""

from __future__ import annotations

from typing import Any

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, text_of, to_reply


class Exa:
    """Exa, with the matching sentences of each page; it has no language option."""

    name = "exa"
    rate_limit = RateLimit(max_queries=3)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://api.exa.ai") -> None:
        self._api = EngineApi(client=client, name="Exa", base_url=base_url, key=key, setting="WELLREAD_EXA_KEY")
        self._headers = {"x-api-key": key}

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return results in Exa's order."""
        params = {
            "query": query.cut(2000),
            "type": "auto",
            "numResults": min(max(limit, 1), 25),
            "contents": {"highlights": {"maxCharacters": 500}},
            "startPublishedDate": f"{query.since.isoformat()}T00:00:00.000Z" if query.since else None,
        }
        answer = await self._api.post("/search", params, headers=self._headers)
        return to_reply(results_of(answer, "results", engine="Exa"), snippet=_highlights, limit=limit)


def _highlights(result: Any) -> str:
    parts = result.get("highlights") if isinstance(result, dict) else None
    text = " … ".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
    return text or text_of(result, "text")
