"""Search with SearXNG, a metasearch engine that the operator runs, through its JSON API."""

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.errors import EngineDown, EngineError, EngineForbidden
from crawler.search.http import EngineApi
from crawler.search.responses import results_of, to_reply


class SearXNG:
    """One SearXNG instance."""

    name = "searxng"
    rate_limit = RateLimit(max_queries=8, max_concurrent=4)

    def __init__(self, *, client: Fetcher, base_url: str) -> None:
        self._api = EngineApi(client=client, name=f"SearXNG at {base_url.rstrip('/')}", base_url=base_url)

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the first page of results in SearXNG's order."""
        lang = query.known_lang or None
        params = {"q": query.text, "format": "json", "language": lang, "time_range": query.recency}
        try:
            answer = await self._api.json("GET", "/search", params)
        except EngineForbidden as error:
            raise EngineError(
                f"{self._api.name} refuses JSON: allow it by adding json under search.formats in its settings.yml,"
                " then restart it"
            ) from error
        results = results_of(answer, "results", engine=self._api.name)
        silent = answer.get("unresponsive_engines")
        if not results and silent:
            raise EngineDown(f"{self._api.name} found nothing: its own engines did not answer ({_reasons(silent)})")
        return to_reply(results, snippet="content", limit=limit)


def _reasons(silent: object) -> str:
    """Return which engines did not answer and why, from pairs of a name and a reason."""
    pairs = [pair for pair in silent if isinstance(pair, list)] if isinstance(silent, list) else []
    return ", ".join(": ".join(str(part)[:40] for part in pair[:2]) for pair in pairs[:5])
