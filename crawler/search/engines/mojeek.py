"""Search with Mojeek, which has an index of its own and no tracking; needs a key, sent in the URL."""

from __future__ import annotations

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.errors import EngineError, EngineKeyRejected, OutOfCredit
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, text_of, to_reply


class Mojeek:
    """Mojeek; all its answers have the status 200, and an outcome in words."""

    name = "mojeek"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1)

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "https://api.mojeek.com") -> None:
        self._api = EngineApi(client=client, name="Mojeek", base_url=base_url, key=key, setting="WELLREAD_MOJEEK_KEY")
        self._key = key

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return results in Mojeek's order."""
        params: dict[str, str | int] = {
            "q": query.cut(1000),
            "fmt": "json",
            "t": min(max(limit, 1), 100),
            "lb": query.known_lang.upper(),  # languages are preferred, not required
            "since": query.since.strftime("%Y%m%d") if query.since else "",
            "api_key": self._key,
        }
        answer = await self._api.get("/search", params)
        status = text_of(answer.get("response"), "status")
        if not status.startswith("OK"):
            raise self._error_of(status.replace(self._key, "[key]")[:200])
        results = results_of(answer, "response", "results", engine="Mojeek", empty=True)
        return to_reply(results, snippet="desc", limit=limit)

    @staticmethod
    def _error_of(status: str) -> EngineError:
        words = status.lower()
        if "key" in words or "access denied" in words or "invalid" in words:
            return EngineKeyRejected(f"Mojeek does not accept the key ({status}): check WELLREAD_MOJEEK_KEY")
        if "quota" in words or "limit" in words or "exceeded" in words:
            return OutOfCredit(f"Mojeek has no searches left for this account ({status}): add credit there")
        return EngineError(f"Mojeek answered without results ({status or 'no status'}): ask it again later")
