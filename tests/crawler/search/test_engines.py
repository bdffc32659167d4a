"""Each engine asks over real HTTP what its documentation says, and makes the documented answer links."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from crawler.search.engine import EngineDown, EngineError, EngineKeyRejected, OutOfCredit, Query, QueryRefused
from domain import Link
from tests.crawler.search.every_engine import JSON, KEY, KEYED
from tests.crawler.search.server import Request, saying, search, shape

NEW = Query(text="green tea & milk", lang="de", recency="week", today=date(2026, 11, 21))
ANY = Query(text="green tea & milk")

#: what a request says of the query, the language, the age, how many and who asks: with NEW, limit 7
SAID: dict[str, dict[str, Any]] = {
    "searxng": {"q": NEW.text, "format": "json", "language": "de", "time_range": "week"},
    "brave": {
        "q": NEW.text,
        "count": "7",
        "search_lang": "de",
        "freshness": "pw",
        "result_filter": "web",
        "text_decorations": "false",
    },
    "tavily": {
        "query": NEW.text,
        "search_depth": "basic",
        "topic": "general",
        "max_results": 7,
        "include_answer": False,
        "include_raw_content": False,
        "time_range": "week",
    },
    "serper": {"q": NEW.text, "num": 7, "hl": "de", "tbs": "qdr:w"},
    "kagi": {
        "query": NEW.text,
        "page": 1,
        "workflow": "search",
        "safe_search": True,
        "filters": {"region": "no_region", "after": "2026-11-14"},
    },
    "exa": {
        "query": NEW.text,
        "type": "auto",
        "numResults": 7,
        "contents": {"highlights": {"maxCharacters": 500}},
        "startPublishedDate": "2026-11-14T00:00:00.000Z",
    },
    "mojeek": {"q": NEW.text, "fmt": "json", "t": "7", "lb": "DE", "since": "20261114", "api_key": KEY},
    "marginalia": {"query": NEW.text, "count": "7", "page": "1", "nsfw": "1"},
}
KEY_HEADER = {
    "brave": ("x-subscription-token", KEY),
    "tavily": ("authorization", f"Bearer {KEY}"),
    "serper": ("x-api-key", KEY),
    "kagi": ("authorization", f"Bearer {KEY}"),
    "exa": ("x-api-key", KEY),
    "marginalia": ("api-key", KEY),
}


def said(request: Request) -> dict[str, Any]:
    found: dict[str, Any] = request.params if request.method == "GET" else request.json
    return found


@pytest.mark.parametrize("name", JSON)
def test_the_documented_answer_becomes_a_link(name: str) -> None:
    reply, _ = search(JSON[name], saying(shape(name)["response"]))
    [link] = reply.links
    assert link.text == "A"
    assert link.url == "https://example.org/a" if name != "wikipedia" else link.url.endswith("/wiki/A")
    snippets = {"searxng": "snippet", "brave": "snippet", "tavily": "snippet", "wikipedia": "a", "exa": ".."}
    assert link.context == snippets.get(name, "s")


@pytest.mark.parametrize("name", SAID)
def test_an_engine_is_asked_as_its_documentation_says(name: str) -> None:
    _, request = search(JSON[name], saying(shape(name)["response"]), NEW, limit=7)
    documented = shape(name)["request"]
    assert request.method == documented["method"]
    assert documented["url"].endswith(request.path)
    assert said(request) == SAID[name]
    assert set(said(request)) <= set(documented.get("params") or documented.get("json")) | {
        *("lb", "since", "startPublishedDate", "result_filter")  # documented elsewhere than in the shape
    }
    assert request.headers["accept"] == "application/json"
    assert request.headers["user-agent"] == "wellread-test/1.0"


@pytest.mark.parametrize("name", KEY_HEADER)
def test_the_key_stands_in_the_documented_header_and_nowhere_else(name: str) -> None:
    _, request = search(JSON[name], saying(shape(name)["response"]))
    header, value = KEY_HEADER[name]
    assert request.headers[header] == value
    rest = {key: text for key, text in request.headers.items() if key != header}
    assert KEY not in f"{rest}{request.path}{request.params}{request.body!r}"


@pytest.mark.parametrize("name", SAID)
def test_what_is_not_wanted_is_not_asked(name: str) -> None:
    _, request = search(JSON[name], saying(shape(name)["response"]), ANY)
    unwanted = ("language", "time_range", "search_lang", "freshness", "hl", "tbs", "startPublishedDate", "lb", "since")
    assert not set(said(request)) & set(unwanted)
    assert "after" not in str(said(request))


@pytest.mark.parametrize("name", JSON)
def test_a_question_without_end_is_cut_to_what_the_engine_takes(name: str) -> None:
    _, request = search(
        JSON[name], saying(shape(name)["response"]), "woher kommt der Tee " * 1000 if name != "searxng" else "q"
    )
    if name != "searxng":  # it has no limit of its own, and a question has one
        asked = str(next(v for k, v in said(request).items() if k in ("q", "query", "srsearch")))
        assert asked.startswith("woher kommt der Tee")
        assert len(asked) <= 2000


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("limit", [0, 1, 10_000])
def test_the_number_of_results_stays_within_what_the_engine_takes(name: str, limit: int) -> None:
    reply, request = search(JSON[name], saying(shape(name)["response"]), limit=limit)
    counts = [
        int(v) for k, v in said(request).items() if k in ("count", "max_results", "num", "numResults", "t", "srlimit")
    ]
    assert all(1 <= count <= 100 for count in counts)
    assert len(reply.links) <= limit


def answers_with(name: str, results: object) -> dict[str, Any]:
    """The documented answer, with other results."""
    if name == "brave":
        return {"query": {}, "web": {"results": results}}
    if name == "kagi":
        return {"data": {"search": results}}
    if name == "mojeek":
        return {"response": {"status": "OK", "results": results}}
    if name == "wikipedia":
        return {"query": {"search": results}}
    return {"organic" if name == "serper" else "results": results}


def result(name: str, url: object, title: object = "T") -> dict[str, object]:
    return {"link" if name == "serper" else "url": url, "title": title}


@pytest.mark.parametrize("name", JSON)
def test_no_more_links_than_asked_for(name: str) -> None:
    results = [result(name, f"https://a.org/{at}", f"T{at}") for at in range(30)]
    assert len(search(JSON[name], saying(answers_with(name, results)), limit=4)[0].links) == 4


@pytest.mark.parametrize("name", sorted(set(JSON) - {"wikipedia"}))
def test_results_that_are_none_are_left_out_and_the_rest_made_canonical(name: str) -> None:
    results: list[object] = [3, None, [], {}, result(name, 7)]
    results += [
        result(name, url) for url in ("javascript:alert(1)", "file:///etc/passwd", "//x", "http://", "x" * 9999)
    ]
    results += [result(name, "HTTPS://A.org:443/x?utm_source=spam&b=1#part", None)]
    reply, _ = search(JSON[name], saying(answers_with(name, results)))
    assert reply.links == (Link(url="https://a.org/x?b=1"),)


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        *((name, answers_with(name, [])) for name in JSON),
        ("brave", {"query": {"original": "q"}, "type": "search"}),  # Brave leaves "web" out
        ("kagi", {"data": {}}),
        ("serper", {"searchParameters": {"q": "q"}}),
        ("mojeek", {"response": {"status": "OK", "head": {"results": 0}}}),
    ],
)
def test_nothing_found_is_no_error(name: str, empty: dict[str, Any]) -> None:
    assert search(JSON[name], saying(empty))[0].links == ()


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("answer", [{}, {"results": 3, "data": 3, "web": 3, "organic": 3, "query": 3, "response": 3}])
def test_an_answer_of_another_shape_says_so(name: str, answer: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="without results"):
        search(JSON[name], saying(answer))


def test_snippets_lose_their_markup_and_entities() -> None:
    snippet = '<span class="searchmatch">Tea</span> &amp; milk &lt;3\n with   blanks'
    reply, _ = search(JSON["wikipedia"], saying({"query": {"search": [{"title": "T", "snippet": snippet}]}}))
    assert reply.links[0].context == "Tea & milk <3 with blanks"


def test_searxng_that_refuses_json_is_told_how_to_be_set() -> None:
    with pytest.raises(EngineError, match=r"json under search\.formats in its settings\.yml"):
        search(JSON["searxng"], saying(b"<h1>Forbidden</h1>", "403 Forbidden", kind="text/html"))


def test_searxng_whose_engines_are_all_silent_is_not_taken_for_one_that_found_nothing() -> None:
    with pytest.raises(EngineDown, match=r"did not answer \(google: timeout, brave: captcha\)"):
        search(
            JSON["searxng"],
            saying({"results": [], "unresponsive_engines": [["google", "timeout"], ["brave", "captcha"]]}),
        )


def test_wikipedias_refusal_is_passed_on() -> None:
    with pytest.raises(QueryRefused, match="too long"):
        search(JSON["wikipedia"], saying({"error": {"code": "x", "info": "Search request is too long"}}))


def test_wikipedia_is_asked_as_documented_and_never_longer_than_it_allows() -> None:
    _, request = search(JSON["wikipedia"], saying(shape("wikipedia")["response"]), "ü" * 400, limit=500)
    assert request.path == "/w/api.php"
    assert request.params["srsearch"] == "ü" * 150
    assert request.params | {"srsearch": ""} == {
        "action": "query",
        "list": "search",
        "srsearch": "",
        "srlimit": "50",
        "srprop": "snippet",
        "format": "json",
        "formatversion": "2",
    }


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Green tea", "Green_tea"),
        ("C++", "C%2B%2B"),
        ("What Is Love? (song)", "What_Is_Love%3F_(song)"),
        ("AC/DC", "AC/DC"),
        ("100% Wolf", "100%25_Wolf"),
        ("Café #1", "Caf%C3%A9_%231"),
        ("茶", "%E8%8C%B6"),
    ],
)
def test_an_articles_url_is_written_as_wikipedia_writes_it(title: str, path: str) -> None:
    reply, _ = search(JSON["wikipedia"], saying({"query": {"search": [{"title": title, "snippet": ""}]}}))
    assert reply.links[0].url.partition("/wiki/")[2] == path


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (f"Invalid API key {KEY}", EngineKeyRejected),
        ("Access denied", EngineKeyRejected),
        ("Daily quota exceeded", OutOfCredit),
        ("Something else", EngineError),
    ],
)
def test_mojeeks_status_in_words_is_understood_and_its_key_not_repeated(status: str, kind: type[EngineError]) -> None:
    with pytest.raises(EngineError) as caught:
        search(JSON["mojeek"], saying({"response": {"status": status}}))
    assert type(caught.value) is kind
    assert KEY not in str(caught.value)


def test_every_engine_with_a_key_is_tried_here() -> None:
    assert set(KEYED) == {*KEY_HEADER, "mojeek"}
