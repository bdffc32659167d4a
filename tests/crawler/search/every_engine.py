"""Every engine, made for a server on loopback."""

from __future__ import annotations

from functools import partial

from crawler.search.engines.brave import Brave
from crawler.search.engines.claude import ClaudeSearch
from crawler.search.engines.ddgs import Ddgs
from crawler.search.engines.exa import Exa
from crawler.search.engines.kagi import Kagi
from crawler.search.engines.marginalia import Marginalia
from crawler.search.engines.mojeek import Mojeek
from crawler.search.engines.searxng import SearXNG
from crawler.search.engines.serper import Serper
from crawler.search.engines.tavily import Tavily
from crawler.search.engines.wikipedia import Wikipedia
from domain import Cost
from tests.crawler.search.server import Make

KEY = "k3y-0123456789+/="


def _make(kind: object, **more: object) -> Make:
    return lambda client, url: partial(kind, **more)(client=client, base_url=url)  # type: ignore[operator]


def price(read: int, written: int) -> Cost:
    return Cost(model="m", input_tokens=read, output_tokens=written, usd=read * 1e-6 + written * 5e-6)


KEYED: dict[str, Make] = {
    engine.name: _make(engine, key=KEY) for engine in (Brave, Tavily, Serper, Kagi, Exa, Mojeek, Marginalia)
}
JSON: dict[str, Make] = {"searxng": _make(SearXNG), "wikipedia": _make(Wikipedia), **KEYED}
DDGS = _make(Ddgs)
CLAUDE = _make(ClaudeSearch, key=KEY, model="claude-haiku-4-5", price=price, max_usd=0.5)
ALL: dict[str, Make] = {**JSON, "ddgs": DDGS, "claude": CLAUDE}
