"""Have a paid service fetch a public page that its site refuses to us: Exa's contents, or Firecrawl's scrape."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from crawler.fetch.client import Fetcher
from crawler.fetch.response import Fetched
from crawler.search.engine import EngineError
from crawler.search.http import EngineApi, text_of

#: by name: as messages name it, its address, and US dollars for a page by its list price (November 2026)
SERVICES: Final[Mapping[str, tuple[str, str, float]]] = {
    "exa": ("Exa", "https://api.exa.ai", 0.001),
    "firecrawl": ("Firecrawl", "https://api.firecrawl.dev", 0.0053),
}


@dataclass(frozen=True, kw_only=True)
class PaidFetcher:
    """A service with an account."""

    name: str
    client: Fetcher
    key: str
    usd: float  #: for a page
    base_url: str = ""

    async def fetch(self, url: str) -> Fetched:
        """Return a page as the service fetched it; raises EngineError."""
        title, base_url, _ = SERVICES[self.name]
        setting = f"WELLREAD_{self.name.upper()}_KEY"
        api = EngineApi(
            client=self.client, name=title, base_url=self.base_url or base_url, key=self.key, setting=setting
        )
        read = _from_exa if self.name == "exa" else _from_firecrawl
        body, content_type = await read(api, url, self.key)
        if not body.strip():
            raise EngineError(f"{title} did not get the page either")
        headers = {"content-type": f"{content_type}; charset=utf-8"}
        return Fetched(url=url, status=200, headers=headers, body=body.encode("utf-8", "replace"), elapsed_s=0.0)


async def _from_exa(api: EngineApi, url: str, key: str) -> tuple[str, str]:
    answer = await api.json("POST", "/contents", {"urls": [url], "text": True}, headers={"x-api-key": key})
    results = answer.get("results")
    page: Any = results[0] if isinstance(results, list) and results else {}
    fields = {"title": text_of(page, "title"), "date": text_of(page, "publishedDate")}
    front = "".join(f"{name}: {json.dumps(' '.join(said.split()))}\n" for name, said in fields.items() if said)
    text = text_of(page, "text")
    return f"---\n{front}---\n{text}" if text.strip() and front else text, "text/markdown"


async def _from_firecrawl(api: EngineApi, url: str, key: str) -> tuple[str, str]:
    asked = {"url": url, "formats": ["rawHtml"]}
    answer = await api.json("POST", "/v2/scrape", asked, headers={"authorization": f"Bearer {key}"})
    data: Any = answer.get("data")
    about: Any = data.get("metadata") if isinstance(data, dict) else None
    was_shown = isinstance(about, dict) and about.get("statusCode") in (200, None)
    return text_of(data, "rawHtml") if was_shown else "", "text/html"
