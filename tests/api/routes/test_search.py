"""Passages are searched without an answer: over HTTP, by the client and on the command line, within their filters."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from domain import Block, PageText, Validators
from store.pages import pages
from store.questions.listing import latest
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from wellread import Client, Refused
from workers import indexing
from workers.services import Services

OLD, NEW = datetime(2011, 4, 1, tzinfo=UTC), datetime(2026, 9, 1, tzinfo=UTC)
COMMAND = "lampctl restart --wait"
TOWER = "The lighthouse of Vierburg was built by Robert Tallis. It has 176 steps."
LAMP = f"To restart the lamp of the lighthouse, run:\n\n{COMMAND}"
TURM = "Der Leuchtturm von Vierburg wurde von Robert Tallis gebaut und hat viele Stufen."


def put(services: Services, url: str, text: str, *, private: bool = False, **page: Any) -> None:
    said = {"title": "Vierburg", "lang": "en", **page}
    with services.database.write() as session:
        page_id, _ = pages.save(
            session,
            url=url,
            host="https://e.org",
            page=PageText(text=text, **said),
            content_hash=text,
            validators=Validators(),
            depth=0,
            now=services.now() if said["lang"] == "en" else OLD,
            private=private,
        )
    indexing.embed(services, page_id)


@pytest.fixture
def known(services: Services) -> Services:
    """Four pages, one of which serves another question alone."""
    code = len(LAMP) - len(COMMAND)
    blocks = (Block(kind="prose", start=0, end=code - 2), Block(kind="code", start=code, end=len(LAMP)))
    put(services, "https://e.org/tower", TOWER, published=OLD)
    put(services, "https://e.org/manual/lamp", LAMP, published=NEW, blocks=blocks)
    put(services, "https://e.org/de/turm", TURM, lang="de")
    put(services, "https://e.org/secret", "Robert Tallis built the lighthouse of Vierburg in secret.", private=True)
    return services


def _urls(found: list[dict[str, Any]]) -> set[str]:
    return {passage["url"].removeprefix("https://e.org/") for passage in found}


def test_best_passage_comes_first_and_is_where_it_says(http: TestClient, known: Services) -> None:
    found = http.post("/api/search", json={"query": "Who built the lighthouse of Vierburg?"}).json()
    best = found[0]
    assert (best["rank"], best["url"], best["title"]) == (1, "https://e.org/tower", "Vierburg")
    page = http.get(f"/api/pages/{best['page_id']}").json()
    assert page["text"][best["start"] : best["end"]] == best["text"] == TOWER
    assert [passage["score"] for passage in found] == sorted((passage["score"] for passage in found), reverse=True)
    assert _urls(found) == {"tower", "manual/lamp", "de/turm"}  # not what another question had read for itself
    with known.database.read() as session:
        assert latest(session) == []


#: filters, and the pages found within them
WITHIN: list[tuple[dict[str, Any], set[str]]] = [
    ({"sites": ["https://e.org/manual"]}, {"manual/lamp"}),
    ({"sites": ["http://e.org/manual/"]}, {"manual/lamp"}),  # http may have led to https
    ({"sites": ["e.org/man"]}, set()),
    ({"langs": ["de"]}, {"de/turm"}),
    ({"langs": ["de", "en"]}, {"tower", "manual/lamp", "de/turm"}),
    ({"kinds": ["code"]}, {"manual/lamp"}),
    ({"kinds": ["table"]}, set()),
    ({"published_after": "2020-01-01"}, {"manual/lamp"}),  # a page without a date is not known to be newer
    ({"published_after": "2011-03-31T22:30:00-01:00"}, {"tower", "manual/lamp"}),
    ({"read_after": "2020-01-01T00:00:00Z"}, {"tower", "manual/lamp"}),
    ({"read_after": (NEW + timedelta(days=36_500)).isoformat()}, set()),
]


def test_filters_bound_what_is_found(http: TestClient, known: Services) -> None:
    for filters, within in WITHIN:
        found = http.post("/api/search", json={"query": "lighthouse of Vierburg", **filters}).json()
        assert _urls(found) == within, filters
    assert len(http.post("/api/search", json={"query": "lighthouse", "limit": 1}).json()) == 1


def test_page_seen_unchanged_counts_as_read(http: TestClient, known: Services) -> None:
    with known.database.write() as session:
        turm = pages.find(session, "https://e.org/de/turm")
        assert turm is not None
        pages.mark_unchanged(session, turm.id, known.now())
    body = {"query": "Leuchtturm", "langs": ["de"], "read_after": "2020-01-01"}
    assert _urls(http.post("/api/search", json=body).json()) == {"de/turm"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "query: it is missing"),
        ({"query": " "}, "empty"),
        ({"query": "?!"}, "no word"),
        ({"query": "x" * 5_000}, "5,000 characters"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "limit": 101}, "limit"),
        ({"query": "a", "kinds": ["image"]}, "kinds.0"),
        ({"query": "a", "langs": ["english"]}, "langs.0"),
        ({"query": "a", "sites": ["http://"]}, "http://"),
        ({"query": "a", "published_after": "yesterday"}, "published_after"),
        ({"query": "a", "read_after": "0001-01-01T00:00:00+14:00"}, "between 1900 and 2200"),
        ({"query": "a", "offset": 10}, "offset: unknown field"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_words(http: TestClient, body: dict[str, Any], said: str) -> None:
    response = http.post("/api/search", json=body)
    assert (response.status_code, said in response.json()["detail"]) == (422, True), response.text


def test_nothing_is_found_before_anything_was_read(http: TestClient) -> None:
    response = http.post("/api/search", json={"query": "lighthouse"})
    assert (response.status_code, response.json()) == (200, [])


def test_client_gets_the_same(app: FastAPI, known: Services) -> None:
    with serving(app) as url, Client(url) as client:
        (found,) = client.search("restart the lamp", kinds=["code"], published_after="2020-01-01", limit=5)
        with pytest.raises(Refused, match="empty"):
            client.search("")
    assert (found.url, found.kinds, found.published) == ("https://e.org/manual/lamp", ("prose", "code"), NEW)
    assert COMMAND in found.text


def test_command_line_shows_passages_with_their_pages(placed: Services, known: Services) -> None:
    shown = wellread("search", "restart the lamp", "--kind", "code")
    assert (shown.exit_code, COMMAND in shown.output, "https://e.org/manual/lamp" in shown.output) == (0, True, True)
    as_json = wellread("search", "restart the lamp", "--site", "https://e.org/manual/", "--json", "--limit", "1")
    assert json.loads(as_json.output)[0]["url"] == "https://e.org/manual/lamp"
    none = wellread("search", "restart the lamp", "--lang", "fr")
    assert (none.exit_code, "No passage matches" in none.output) == (3, True)
    wrong = wellread("search", "restart the lamp", "--read-after", "yesterday")
    assert (wrong.exit_code, "--read-after takes a date" in wrong.output) == (1, True)
