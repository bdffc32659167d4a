"""Every engine, made for a server on loopback."""

from __future__ import annotations

from functools import partial

from crawler.search.engine import ENGINES, engine_class
from domain import Cost
from tests.crawler.search.server import Make

KEY = "k3y-0123456789+/="


def _make(name: str, **options: object) -> Make:
    return lambda client, url: partial(engine_class(name), **options)(client=client, base_url=url)


def price(read: int, written: int) -> Cost:
    return Cost(model="m", input_tokens=read, output_tokens=written, usd=read * 1e-6 + written * 5e-6)


KEYED: dict[str, Make] = {
    name: _make(name, key=KEY) for name, entry in ENGINES.items() if entry.setting == f"{name}_key"
}
JSON: dict[str, Make] = {"searxng": _make("searxng"), "wikipedia": _make("wikipedia"), **KEYED}
DDGS = _make("ddgs")
CLAUDE = _make("claude", key=KEY, model="claude-haiku-4-5", price=price, max_usd=0.5)
ALL: dict[str, Make] = {**JSON, "ddgs": DDGS, "claude": CLAUDE}
