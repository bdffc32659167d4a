"""A page, or HTML, is extracted at once as Markdown, and kept only if that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from threading import BoundedSemaphore
from typing import Any

import pytest
from markdown_it import MarkdownIt
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from tests.api.conftest import LOCAL
from tests.logged_site import LoggedSite, served
from workers.admission import admitted
from workers.crawl import extraction
from workers.questions import submit
from workers.services import Services, collections

PROSE = "The storm lamp burns for forty hours on one litre of oil, and keepers fill it on every second morning."
PAGE = (
    '<html lang="en"><head><title>Lamps</title><meta property="article:published_time" content="2026-03-01"></head>'
    f"<body><main><h1>Lamps</h1><p>{PROSE} It costs *42* euros.</p><h2>Prices</h2>"
    "<table><tr><th>Lamp</th><th>Euros</th></tr><tr><td>Storm</td><td>42</td></tr></table>"
    "<ol><li>by post<ul><li>letters</li></ul></li><li>in the shop</li></ol>"
    "<pre><code>order --lamp\n  storm</code></pre><p>Use <a href='/form.html'>the form</a>.</p></main></body></html>"
)


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    services.settings = services.settings.model_copy(update={"min_delay_s": 0.0, "fetch_max_bytes": 200_000})
    pages = {"/": PAGE, "/forbidden.html": PAGE, "/page.xml": "<a/>", "/huge.html": "x" * 300_000, "/empty.html": "<p>"}
    pages |= {"/plain.txt": f"{PROSE}\n\n<img src=x onerror=alert(1)> [the form](javascript:alert(1))"}
    with served(pages, robots="User-agent: *\nDisallow: /forbidden.html") as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        yield site
        services.close_web_access()


def test_a_page_is_given_as_markdown_with_its_dates_and_links_and_is_not_kept(
    http: TestClient, site: LoggedSite
) -> None:
    response = http.post("/api/extract", json={"url": site.origin})
    found = response.json()
    assert response.status_code == 200, found
    assert (found["title"], found["lang"], found["url"]) == ("Lamps", "en", f"{site.origin}/")
    assert found["published"] == "2026-03-01T00:00:00Z"
    assert found["links"] == [{"url": f"{site.origin}/form.html", "text": "the form"}]
    assert found["markdown"] == (
        f"# Lamps\n\n{PROSE} It costs \\*42\\* euros.\n\n## Prices\n\n| Lamp | Euros |\n| --- | --- |\n"
        "| Storm | 42 |\n\n1. by post\n    - letters\n2. in the shop\n\n"
        "```\norder --lamp\n  storm\n```\n\nUse the form."
    )
    shown = MarkdownIt("commonmark").enable("table").render(found["markdown"])
    assert "<td>Storm</td>" in shown
    assert "<ol>\n<li>by post\n<ul>\n<li>letters</li>" in shown
    assert http.get("/api/pages", params={"url": site.origin}).status_code == 404


def test_a_page_that_is_kept_is_stored_and_waits_to_be_indexed(http: TestClient, site: LoggedSite) -> None:
    for _ in range(2):  # the second time it is known
        found = http.post("/api/extract", json={"url": site.origin, "keep": True}).json()
        assert PROSE in found["markdown"]
        reading = http.get(f"/api/reads/{found['read_id']}").json()
        assert (reading["outcome"], reading["title"]) == ("read", "Lamps")
    stored = http.get("/api/pages", params={"url": site.origin}).json()
    assert (PROSE in stored["text"], stored["generation"]) == (True, 1)


def test_what_cannot_be_extracted_says_why(http: TestClient, site: LoggedSite, services: Services) -> None:
    for url, status, said in (
        ("http://10.0.0.1/", 422, "names an address"),
        ("ftp://example.org/", 422, "not an http"),
        (f"{site.origin}/forbidden.html", 422, "robots.txt"),
        (f"{site.origin}/absent.html", 422, "404"),
        (f"{site.origin}/huge.html", 422, "200,000"),
        (f"{site.origin}/empty.html", 422, "no readable text"),
        ("http://127.0.0.1:9/", 502, "could not be reached"),
    ):
        if url.endswith(":9/"):
            submit.add_source(services, url, own=True)
        refused = http.post("/api/extract", json={"url": url})
        assert (refused.status_code, said in refused.json()["detail"]) == (status, True), refused.json()
    for body in ({}, {"html": "<p>a", "keep": True}, {"url": "https://example.org/", "htm": "x"}):
        assert http.post("/api/extract", json=body).status_code == 422
    services.settings = services.settings.model_copy(update={"egress": "none"})
    assert http.post("/api/extract", json={"url": "https://example.org/"}).json()["type"] == "bad-site"


def test_html_is_extracted_by_the_selectors_of_its_source(http: TestClient, services: Services) -> None:
    html = f"<nav>Menu</nav><p id=a>{PROSE}</p><a href='next.html'>Next</a>"
    plain = http.post("/api/extract", json={"html": html}).json()
    assert (plain["url"], plain["markdown"].startswith(PROSE)) == (None, True)
    submit.add_source(services, "https://example.org/", own=False, select=["nav"])
    found = http.post("/api/extract", json={"html": html, "url": "https://example.org/docs/"}).json()
    assert found["markdown"] == "Menu"
    assert [link["url"] for link in found["links"]] == ["https://example.org/docs/next.html"]
    assert "no readable text" in http.post("/api/extract", json={"html": "<p>"}).json()["detail"]


def test_text_without_blocks_is_shown_and_never_run(http: TestClient, site: LoggedSite) -> None:
    markdown = http.post("/api/extract", json={"url": f"{site.origin}/plain.txt"}).json()["markdown"]
    shown = MarkdownIt("commonmark").render(markdown)
    assert "&lt;img src=x" in shown
    assert "<a" not in shown
    assert "[the form](javascript:alert(1))" in shown


def test_pages_count_for_the_key_in_each_collection_and_end_with_its_quota(
    site: LoggedSite, services: Services
) -> None:
    services.settings = services.settings.model_copy(update={"api_keys": (SecretStr("admin:boss"),)})
    with TestClient(create_app(services), base_url=LOCAL) as http:
        made = {"name": "team", "role": "operate", "limits": {"pages_per_day": 1}}
        secret = http.post("/api/keys", json=made, headers={"x-api-key": "boss"}).json()["secret"]

        def extract(path: str = "", **body: str) -> Any:
            asked = {"url": site.origin + path, **body}
            return http.post("/api/extract", json=asked, headers={"x-api-key": secret})

        assert extract("/absent.html").status_code == 422
        assert extract().status_code == 200
        collections.add(services, "other")
        submit.add_source(services.of("other"), f"{site.origin}/", own=True)
        assert extract(collection="other").json()["type"] == "quota-spent"
        refused = extract()
        assert (refused.status_code, refused.json()["type"]) == (429, "quota-spent")
        assert "1 pages a day" in refused.json()["detail"]
        (used,) = http.get("/api/usage", headers={"x-api-key": secret}).json()
        assert used["day"]["pages"] == 1


def test_more_pages_than_may_be_extracted_at_a_time_are_refused(
    http: TestClient, site: LoggedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "_turn", partial(admitted, BoundedSemaphore(1), "One page is being extracted."))
    with extraction._turn():
        refused = http.post("/api/extract", json={"url": site.origin})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert http.post("/api/extract", json={"url": site.origin}).status_code == 200
