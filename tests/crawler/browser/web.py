"""A page for the browser, and the guarded client that fetches what its scripts ask for."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Mapping

import pytest

from crawler.browser.render import Browser, RenderBounds
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Guard
from crawler.fetch.response import Fetched, Limits
from tests.crawler.hostile import Site

URL = "http://a.example/app"
SYSTEM_TRUST = ssl.create_default_context()


def chromium() -> str:
    """The browser of this machine; without one the test is left out."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium here")
    return found


#: for pages that end by themselves, however busy the machine is
PATIENT = RenderBounds(deadline_s=90)


def page(script: str, body: str = "<div id=root></div>", url: str = URL) -> Fetched:
    html = f"<!doctype html><html><head><title>App</title></head><body>{body}<script>{script}</script></body></html>"
    headers = {"content-type": "text/html; charset=utf-8"}
    return Fetched(url=url, status=200, headers=headers, body=html.encode())


class Web:
    """What a page's scripts get, from a table; what they asked for is kept."""

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        self.answers, self.asked = dict(answers or {}), list[str]()

    async def get(self, url: str, headers: Mapping[str, str]) -> Fetched:
        self.asked.append(url)
        found = self.answers.get(url)
        said = {"content-type": "text/plain", "access-control-allow-origin": "*"}
        body = (found or "").encode()
        return Fetched(url=url, status=200 if found else 404, headers=said, body=body)


async def render(page: Fetched, web: Web | None = None, bounds: RenderBounds = PATIENT) -> str:
    made = await Browser(chromium(), bounds).render(page, (web or Web()).get)
    return made.body.decode()


def guarded(*own: Site) -> Fetcher:
    """The client that pages are read with; of private addresses it reaches only these."""
    guard = Guard(own_sites=frozenset(site.hole for site in own))
    return Fetcher(guard=guard, limits=Limits(deadline_s=5), user_agent="wellread-test/1.0", ssl_context=SYSTEM_TRUST)
