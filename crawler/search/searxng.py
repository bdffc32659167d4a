"""SearXNG: a metasearch engine the operator runs; asked over its JSON API."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from crawler.fetch import Client
from crawler.search import EngineError
from crawler.search.reply import json_object, plain, text_of, to_link
from store.types import Link

_JSON: Final = frozenset({"application/json"})


class SearXNG:
    """Asks one SearXNG instance."""

    name = "searxng"

    def __init__(self, *, client: Client, base_url: str) -> None:
        self._client = client
        self._base_url = base_url.rstrip("/")

    async def search(self, query: str, *, limit: int) -> list[Link]:
        """Return the first page of results, as SearXNG ordered them.

        Raises:
            EngineError: it does not offer JSON, or its answer is not understood.
            FetchError: it could not be reached.
        """
        url = f"{self._base_url}/search?{urlencode({'q': query, 'format': 'json'})}"
        fetched = await self._client.get(url, accept=_JSON, headers={"accept": "application/json"})
        if fetched.status == 403:
            raise EngineError(
                f"SearXNG at {self._base_url} refuses JSON (403): allow it by adding json under search.formats in its"
                " settings.yml, then restart it"
            )
        results = json_object(fetched, "SearXNG").get("results")
        if not isinstance(results, list):
            raise EngineError(f"SearXNG at {self._base_url} answered without results: check that the URL is its own")
        links = (
            to_link(text_of(result, "url"), plain(text_of(result, "title")), plain(text_of(result, "content")))
            for result in results
        )
        return [link for link in links if link is not None][:limit]
