"""SearXNG: a metasearch engine the operator runs; asked over its JSON API."""

from __future__ import annotations

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.errors import EngineDown, EngineError, EngineForbidden
from crawler.search.http import EngineApi
from crawler.search.parsing import results_of, to_reply


class SearXNG:
    """Asks one SearXNG instance."""

    name = "searxng"
    rate_limit = RateLimit(max_queries=8, max_concurrent=4)

    def __init__(self, *, client: Fetcher, base_url: str) -> None:
        self._api = EngineApi(client=client, name=f"SearXNG at {base_url.rstrip('/')}", base_url=base_url)

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the first page of results, as SearXNG ordered them.

        Raises:
            EngineError: it does not offer JSON, or none of its own engines answered.
        """
        asked = {"q": query.text, "format": "json", "language": query.known_lang, "time_range": query.recency or ""}
        try:
            answer = await self._api.get("/search", asked)
        except EngineForbidden as error:
            raise EngineError(
                f"{self._api.name} refuses JSON: allow it by adding json under search.formats in its settings.yml,"
                " then restart it"
            ) from error
        results = results_of(answer, "results", engine=self._api.name)
        silent = answer.get("unresponsive_engines")
        if not results and silent:
            raise EngineDown(f"{self._api.name} found nothing: its own engines did not answer ({_told(silent)})")
        return to_reply(results, snippet="content", limit=limit)


def _told(silent: object) -> str:
    """Which engines did not answer, and why: pairs of a name and a reason."""
    pairs = [pair for pair in silent if isinstance(pair, list)] if isinstance(silent, list) else []
    return ", ".join(": ".join(str(part)[:40] for part in pair[:2]) for pair in pairs[:5])
