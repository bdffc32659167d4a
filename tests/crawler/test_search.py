"""Engines over real HTTP on loopback, speaking the documented shapes; several asked at once, none failing another."""

import asyncio
import json
import ssl
import time
from collections.abc import Awaitable, Callable, Coroutine
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch import Client, FetchError, Limits
from crawler.guard import Guard
from crawler.search import RRF_K, Engine, EngineError, Found, fuse, search_all
from crawler.search.searxng import SearXNG
from crawler.search.wikipedia import Wikipedia
from store.types import Link
from tests.crawler.hostile import VECTORS, Behaviour, Site, answer, raw, serving, stall

SHAPES = VECTORS / "search-shapes"
SEARXNG = json.loads((SHAPES / "searxng.json").read_text())["response"]
WIKIPEDIA = json.loads((SHAPES / "wikipedia.json").read_text())["response"]
TRUST = ssl.create_default_context()

Make = Callable[[Client, str], Engine]


def searxng(client: Client, base_url: str) -> Engine:
    return SearXNG(client=client, base_url=base_url)


def wikipedia(client: Client, base_url: str) -> Engine:
    return Wikipedia(client=client, base_url=base_url)


def speaking(value: Any, status: str = "200 OK", kind: str = "application/json") -> Behaviour:
    return answer(value if isinstance(value, bytes) else json.dumps(value).encode(), status=status, kind=kind)


async def with_engine(make: Make, behaviour: Behaviour, use: Callable[[Engine, Site], Awaitable[Any]]) -> Any:
    async with serving(behaviour) as site:
        guard = Guard(own_sites=frozenset({site.hole}))
        limits = Limits(deadline_s=5.0)
        async with Client(guard=guard, limits=limits, user_agent="wellread-test/1.0", ssl_context=TRUST) as client:
            return await use(make(client, site.url("")), site)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def search(make: Make, behaviour: Behaviour, query: str = "q", limit: int = 10) -> tuple[list[Link], dict[str, str]]:
    """The links, and the parameters that the server was asked with."""

    async def use(engine: Engine, site: Site) -> Any:
        links = await engine.search(query, limit=limit)
        target = urlsplit(site.requests[0].split(" ")[1])
        return links, {name: values[0] for name, values in parse_qs(target.query).items()} | {"path": target.path}

    found: tuple[list[Link], dict[str, str]] = run(with_engine(make, behaviour, use))
    return found


def test_searxngs_results_become_links() -> None:
    links, asked = search(searxng, speaking(SEARXNG), "green tea & milk")
    assert links == [Link(url="https://example.org/a", text="A", context="snippet")]
    assert asked == {"path": "/search", "q": "green tea & milk", "format": "json"}


def test_wikipedias_results_become_links_to_its_articles() -> None:
    links, asked = search(wikipedia, speaking(WIKIPEDIA), "Grüner Tee", limit=3)
    [link] = links
    assert (link.text, link.context) == ("A", "a")  # the snippet's markup is gone
    assert link.url.endswith("/wiki/A")
    assert asked["path"] == "/w/api.php"
    assert (asked["action"], asked["list"], asked["srsearch"], asked["srlimit"]) == (
        "query",
        "search",
        "Grüner Tee",
        "3",
    )


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
    links, _ = search(wikipedia, speaking({"query": {"search": [{"title": title, "snippet": ""}]}}))
    assert links[0].url.partition("/wiki/")[2] == path


def test_wikipedia_is_asked_in_the_language_wanted_and_never_longer_than_it_allows() -> None:
    _, asked = search(wikipedia, speaking(WIKIPEDIA), "ü" * 400, limit=500)
    assert asked["srsearch"] == "ü" * 150
    assert asked["srlimit"] == "50"


def test_snippets_lose_their_markup_and_entities() -> None:
    snippet = '<span class="searchmatch">Tea</span> &amp; milk &lt;3\n with   blanks'
    links, _ = search(wikipedia, speaking({"query": {"search": [{"title": "T", "snippet": snippet}]}}))
    assert links[0].context == "Tea & milk <3 with blanks"


@pytest.mark.parametrize("make", [searxng, wikipedia])
def test_no_more_links_than_asked_for(make: Make) -> None:
    results = [{"url": f"https://a.org/{i}", "title": f"T{i}"} for i in range(30)]
    assert len(search(make, speaking({"results": results, "query": {"search": results}}), limit=4)[0]) == 4


def test_results_that_are_none_are_left_out() -> None:
    results = [3, None, {}, {"url": 7}, {"url": "javascript:alert(1)"}, {"url": "https://a.org/", "title": None}]
    links, _ = search(searxng, speaking({"results": results}))
    assert links == [Link(url="https://a.org/")]


def test_a_searxng_that_refuses_json_is_told_how_to_be_set() -> None:
    with pytest.raises(EngineError, match=r"json under search\.formats in its settings\.yml"):
        search(searxng, speaking(b"<h1>Forbidden</h1>", "403 Forbidden", "text/html"))


@pytest.mark.parametrize("make", [searxng, wikipedia])
@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        (speaking({}, "429 Too Many Requests"), "asked too often"),
        (speaking({}, "500 Oops"), "status 500"),
        (speaking(b"{"), "not JSON"),
        (speaking(b"[" * 100_000), "not JSON"),
        (speaking([]), "another shape"),
        (speaking({"results": 3, "query": []}), "without results"),
        (speaking({"query": {"search": None}}), "without results"),
    ],
    ids=["429", "500", "broken", "deep", "list", "number", "null"],
)
def test_an_answer_that_is_not_understood_says_so(make: Make, behaviour: Behaviour, says: str) -> None:
    with pytest.raises(EngineError, match=says):
        search(make, behaviour)


@pytest.mark.parametrize("make", [searxng, wikipedia])
def test_a_page_instead_of_json_is_refused_by_the_client(make: Make) -> None:
    with pytest.raises(FetchError, match="text/html"):
        search(make, answer())


def test_wikipedias_refusal_is_passed_on() -> None:
    with pytest.raises(EngineError, match="too long"):
        search(wikipedia, speaking({"error": {"code": "x", "info": "Search request is too long"}}))


class Fixed:
    """An engine that answers from a table, after a while."""

    def __init__(self, name: str, links: dict[str, list[str]] | Exception, after_s: float = 0.0) -> None:
        self.name, self._links, self._after_s = name, links, after_s

    async def search(self, query: str, *, limit: int) -> list[Link]:
        await asyncio.sleep(self._after_s)
        if isinstance(self._links, Exception):
            raise self._links
        return [Link(url=url, text=f"{self.name}: {query}") for url in self._links.get(query, [])]


def test_what_several_engines_and_queries_find_comes_first() -> None:
    one = Fixed("one", {"a": ["x", "both"], "b": ["y"]})
    two = Fixed("two", {"a": ["both", "z"]})
    found = run(search_all([one, two], ["a", "b"], limit=5))
    assert [link.url for link in found.links] == ["both", "x", "y", "z"]
    assert [link.origin for link in found.links] == ["engine:one", "engine:one", "engine:one", "engine:two"]
    assert found.failures == {}


def test_an_engine_that_fails_or_is_slow_never_fails_the_rest() -> None:
    engines = [
        Fixed("good", {"a": ["x"]}),
        Fixed("broken", EngineError("it is broken: mend it")),
        Fixed("away", FetchError("it is away: wait")),
        Fixed("slow", {"a": ["late"]}, after_s=30.0),
    ]
    started = time.monotonic()
    found = run(search_all(engines, ["a", "b"], limit=5, deadline_s=0.2))
    assert time.monotonic() - started < 5
    assert [link.url for link in found.links] == ["x"]
    assert found.failures == {
        "broken": "it is broken: mend it",
        "away": "it is away: wait",
        "slow": "slow did not answer within 0.2 s",
    }


def test_all_are_asked_at_once() -> None:
    engines = [Fixed(f"e{i}", {"a": ["x"]}, after_s=0.3) for i in range(10)]
    started = time.monotonic()
    run(search_all(engines, ["a", "b", "c", "a"], limit=5))
    assert time.monotonic() - started < 2  # one after the other: 9 s


def test_a_fault_in_an_engines_code_is_told_and_fails_it_alone() -> None:
    found = run(search_all([Fixed("bug", ZeroDivisionError("0")), Fixed("good", {"a": ["x"]})], ["a"], limit=5))
    assert [link.url for link in found.links] == ["x"]
    assert found.failures == {"bug": "bug failed: ZeroDivisionError: 0"}


def test_without_engines_or_queries_nothing_is_found() -> None:
    assert run(search_all([], ["a"], limit=5)) == Found()
    assert run(search_all([Fixed("e", {})], [], limit=5)) == Found()


def test_a_real_server_that_never_answers_fails_alone() -> None:
    async def use(engine: Engine, site: Site) -> Found:
        return await search_all([engine, Fixed("good", {"a": ["x"]})], ["a"], limit=5, deadline_s=0.3)

    found = run(with_engine(searxng, stall, use))
    assert [link.url for link in found.links] == ["x"]
    assert list(found.failures) == ["searxng"]


def test_a_real_server_that_breaks_off_fails_alone() -> None:
    async def use(engine: Engine, site: Site) -> Found:
        return await search_all([engine, Fixed("good", {"a": ["x"]})], ["a"], limit=5)

    found = run(with_engine(wikipedia, raw(b"HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n"), use))
    assert [link.url for link in found.links] == ["x"]
    assert list(found.failures) == ["wikipedia"]


RANKINGS = st.lists(st.lists(st.sampled_from("abcdef").map(lambda name: Link(url=name)), max_size=6), max_size=4)


def rrf(url: str, rankings: list[list[Link]]) -> Fraction:
    places = [list(dict.fromkeys(link.url for link in ranking)) for ranking in rankings]
    return sum((Fraction(1, RRF_K + 1 + place.index(url)) for place in places if url in place), Fraction())


@given(RANKINGS)
def test_fusing_keeps_each_url_once_by_the_sum_of_its_reciprocal_ranks(rankings: list[list[Link]]) -> None:
    fused = [link.url for link in fuse(rankings)]
    assert sorted(fused) == sorted({link.url for ranking in rankings for link in ranking})
    scores = [rrf(url, rankings) for url in fused]
    assert scores == sorted(scores, reverse=True)


@given(RANKINGS)
def test_a_url_ranked_first_everywhere_is_first(rankings: list[list[Link]]) -> None:
    best = Link(url="best")
    assert fuse([[best, *ranking] for ranking in rankings] or [[best]])[0] == best
