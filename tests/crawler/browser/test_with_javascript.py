"""A page whose text only its scripts make is read with them run, where there is a browser; others never are."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from crawler.browser.render import NotRendered, ScriptFetch, needs_javascript
from crawler.fetch.response import Fetched
from crawler.read import ReadResult, read
from domain import Candidate, Validators
from tests.crawler.test_read import NOW, ORIGIN, TEXT, URL, Cache, Web, page_at

SHELL = '<html><head><title>App</title><script src="/app.js"></script></head><body><div id="root"></div></body></html>'
MADE = f"<html lang=en><head><title>Lamp</title></head><body><p>{TEXT}</p></body></html>"


class Browser:
    """Makes of a page what its test says, after it fetched one thing."""

    def __init__(self, made: str = MADE, asks: str = f"{ORIGIN}/app.js") -> None:
        self.made, self.asks, self.rendered = made, asks, list[str]()

    async def render(self, page: Fetched, fetch: ScriptFetch) -> Fetched:
        self.rendered.append(page.url)
        if not self.made:
            raise NotRendered("It was not done.")
        await fetch(self.asks, {})
        return replace(page, body=self.made.encode())


def _read(body: str, browser: Browser | None, robots: str | int = 404) -> tuple[ReadResult, Web]:
    web = Web(lambda url, _: page_at(url, 200, body, etag='"1"'), robots)
    reading = read(Candidate(url=URL), client=web, robots=Cache(), agent="wellread", now=NOW, browser=browser)
    return asyncio.run(reading), web


def test_page_that_scripts_make_is_read_as_they_make_it() -> None:
    reading, web = _read(SHELL, Browser())
    assert reading.outcome == "read"
    assert reading.page is not None
    assert TEXT in reading.page.text
    assert [url for url, _ in web.asked][-1] == f"{ORIGIN}/app.js"
    assert reading.validators == Validators()  # the server would only say that the shell did not change


def test_without_a_browser_the_reason_says_what_is_missing() -> None:
    reading, _ = _read(SHELL, None)
    assert reading.outcome == "empty"
    assert "Chromium" in reading.reason


def test_page_that_could_not_be_rendered_is_empty_with_the_reason() -> None:
    reading, _ = _read(SHELL, Browser(made=""))
    assert (reading.outcome, reading.reason) == ("empty", "It was not done.")


def test_page_with_text_is_never_rendered() -> None:
    browser = Browser()
    reading, _ = _read(MADE.replace("<body>", f"<body><div id=root></div><p>{TEXT}</p><script>1</script>"), browser)
    assert reading.outcome == "read"
    assert browser.rendered == []


def test_what_robots_txt_forbids_is_not_fetched_for_a_script_either() -> None:
    _, web = _read(SHELL, Browser(made="", asks=""), "User-agent: *\nDisallow: /app.js")
    with pytest.raises(Exception, match=r"robots\.txt forbids"):
        _read(SHELL, _Insisting(), "User-agent: *\nDisallow: /app.js")
    assert f"{ORIGIN}/app.js" not in [url for url, _ in web.asked]


class _Insisting(Browser):
    async def render(self, page: Fetched, fetch: ScriptFetch) -> Fetched:
        try:
            await fetch(self.asks, {})
        except Exception as error:
            raise RuntimeError(str(error)) from error
        return page


@pytest.mark.parametrize(
    "html",
    [
        SHELL,
        "<body><noscript>You need to enable JavaScript to run this app.</noscript><script src=a.js></script></body>",
        "<body><noscript>Bitte aktivieren Sie JavaScript.</noscript><p>Lädt …</p><script src=a.js></script></body>",
        "<body><app-root>Loading...</app-root><script src=main.js></script></body>",
        "<head><script src=a.js></script></head><body></body>",
    ],
)
def test_shell_is_seen_to_need_its_scripts(html: str) -> None:
    assert needs_javascript(html.encode(), "text/html")


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<body><p>It works!</p><script src=analytics.js></script></body>", "text/html"),  # short, and all there is
        ("<body><div id=root></div></body>", "text/html"),  # no script would fill it
        (f"<body><div id=root><p>{TEXT * 3}</p></div><script>1</script></body>", "text/html"),  # made on the server
        (SHELL, "text/plain"),
        ("", "text/html"),
    ],
)
def test_what_scripts_would_not_change_needs_none(html: str, kind: str) -> None:
    assert not needs_javascript(html.encode(), kind)
