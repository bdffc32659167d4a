"""Several engines asked together: fused by rank, none failing another, each within its rate limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.client import Fetcher
from crawler.search.engine import EngineDown, EngineError, EngineReply, Query, QueryRefused, RateLimit, RateLimited
from crawler.search.search_all import MAX_CONCURRENT, RRF_K, SearchResults, fuse, search_all, select_queries
from domain import Cost, Link
from tests.crawler.hostile import raw, stall
from tests.crawler.search.every_engine import JSON
from tests.crawler.search.server import Server, saying, using

MANY = RateLimit(max_queries=99, max_concurrent=99)


class Fixed:
    """An engine that answers from a table, after a while."""

    def __init__(
        self,
        name: str,
        links: Mapping[str, Sequence[str] | Exception] | Exception,
        after_s: float = 0.0,
        rate_limit: RateLimit = MANY,
    ) -> None:
        self.name, self._links, self._after_s, self.rate_limit = name, links, after_s, rate_limit
        self.asked: list[str] = []
        self.now = self.most = 0

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        self.asked.append(query.text)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(self._after_s)
        self.now -= 1
        answer = self._links if isinstance(self._links, Exception) else self._links.get(query.text, [])
        if isinstance(answer, Exception):
            raise answer
        links = tuple(Link(url=url, text=f"{self.name}: {query.text}") for url in answer)
        return EngineReply(links=links, cost=Cost(usd=0.01))


def ask(engines: Sequence[Fixed], *texts: str, **more: Any) -> SearchResults:
    return asyncio.run(search_all(engines, [Query(text=text) for text in texts], **{"limit": 5} | more))


def test_what_several_engines_and_queries_find_comes_first() -> None:
    one = Fixed("one", {"a": ["x", "both"], "b": ["y"]})
    two = Fixed("two", {"a": ["both", "z"]})
    found = ask([one, two], "a", "b")
    assert [link.url for link in found.links] == ["both", "x", "y", "z"]
    assert [link.origin for link in found.links] == ["engine:one", "engine:one", "engine:one", "engine:two"]
    assert found.failures == {}
    assert [(asked.engine, asked.queries, asked.links) for asked in found.outcomes] == [("one", 2, 3), ("two", 2, 2)]


def test_what_engines_cost_is_counted() -> None:
    [asked] = ask([Fixed("dear", {"a": ["x"]})], "a", "b").outcomes
    assert asked.cost.usd == pytest.approx(0.02)


def test_an_engine_that_fails_or_is_slow_never_fails_the_rest() -> None:
    engines = [
        Fixed("good", {"a": ["x"]}),
        Fixed("broken", EngineError("it is broken: mend it")),
        Fixed("slow", {"a": ["late"]}, after_s=30.0),
    ]
    started = time.monotonic()
    found = ask(engines, "a", "b", deadline_s=0.2)
    assert time.monotonic() - started < 5
    assert [link.url for link in found.links] == ["x"]
    assert found.failures == {"broken": "it is broken: mend it", "slow": "slow did not answer within 0.2 s"}


def test_an_engine_that_answers_one_query_and_is_slow_with_another_keeps_what_it_found() -> None:
    class Slow(Fixed):
        async def search(self, query: Query, *, limit: int) -> EngineReply:
            self._after_s = 30.0 if query.text == "b" else 0.0
            return await super().search(query, limit=limit)

    found = ask([Slow("e", {"a": ["x"]})], "a", "b", deadline_s=0.2)
    assert [link.url for link in found.links] == ["x"]
    assert isinstance(found.outcomes[0].error, EngineDown)


def test_engines_are_asked_concurrently_up_to_the_limit() -> None:
    running: list[str] = []
    most = 0

    class Counted(Fixed):
        async def search(self, query: Query, *, limit: int) -> EngineReply:
            nonlocal most
            running.append(self.name)
            most = max(most, len(running))
            reply = await super().search(query, limit=limit)
            running.remove(self.name)
            return reply

    found = ask([Counted(f"e{i}", {"a": ["x"]}, after_s=0.1) for i in range(MAX_CONCURRENT * 2)], "a")
    assert [outcome.links for outcome in found.outcomes] == [1] * MAX_CONCURRENT * 2
    assert most == MAX_CONCURRENT


def test_an_engine_is_asked_within_its_rate_limit() -> None:
    engine = Fixed("e", {}, after_s=0.01, rate_limit=RateLimit(max_queries=3, max_concurrent=2))
    ask([engine], *"abcdef")
    assert engine.asked == ["a", "b", "f"]  # the last asks for what is missing
    assert engine.most == 2


def test_queries_are_delayed_by_the_rate_limit_and_none_follows_the_last() -> None:
    engine = Fixed("e", {}, rate_limit=RateLimit(max_queries=9, max_concurrent=1, delay_s=0.2))
    started = time.monotonic()
    ask([engine], "a", "b", "c")
    assert time.monotonic() - started > 0.4
    started = time.monotonic()
    ask([Fixed("e", {}, rate_limit=RateLimit(max_queries=9, max_concurrent=1, delay_s=30.0))], "a")
    assert time.monotonic() - started < 10


def test_an_engine_that_refuses_is_not_asked_any_further() -> None:
    engine = Fixed("e", RateLimited("enough"), rate_limit=RateLimit(max_queries=9, max_concurrent=1))
    assert ask([engine], *"abcd").failures == {"e": "enough"}
    assert engine.asked == ["a"]


def test_an_engine_that_does_not_take_one_query_is_asked_the_others() -> None:
    engine = Fixed("e", {"a": QueryRefused("no"), "b": ["x"]}, rate_limit=RateLimit(max_queries=9, max_concurrent=1))
    found = ask([engine], "a", "b")
    assert [link.url for link in found.links] == ["x"]
    assert found.failures == {"e": "no"}


def test_an_error_in_an_engines_code_fails_it_alone_and_its_message_is_not_shown() -> None:
    found = ask([Fixed("bug", ZeroDivisionError("key=123")), Fixed("good", {"a": ["x"]})], "a")
    assert [link.url for link in found.links] == ["x"]
    assert found.failures == {"bug": "bug failed: ZeroDivisionError"}


def test_without_engines_or_queries_nothing_is_found() -> None:
    assert ask([], "a") == SearchResults()
    assert ask([Fixed("e", {})]).links == ()


@pytest.mark.parametrize("behaviour", [stall, raw(b"HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n")])
@pytest.mark.parametrize("name", ["searxng", "tavily"])
def test_a_real_server_that_never_answers_or_breaks_off_fails_alone(name: str, behaviour: Any) -> None:
    async def use(client: Fetcher, server: Server) -> SearchResults:
        engines = [JSON[name](client, server.url), Fixed("good", {"a": ["x"]})]
        return await search_all(engines, [Query(text="a")], limit=5, deadline_s=0.3)

    found = using(behaviour, use)
    assert [link.url for link in found.links] == ["x"]
    assert list(found.failures) == [name]


def test_real_engines_are_fused_through_one_client() -> None:
    async def use(client: Fetcher, server: Server) -> SearchResults:
        engines = [JSON[name](client, server.url) for name in ("searxng", "tavily", "exa")]
        return await search_all(engines, [Query(text="a"), Query(text="b")], limit=5)

    results = [{"url": f"https://a.org/{at}", "title": f"T{at}"} for at in range(3)]
    found = using(saying({"results": results}), use)
    assert [link.url for link in found.links] == [f"https://a.org/{at}" for at in range(3)]
    assert {(asked.engine, asked.queries, asked.links, asked.error) for asked in found.outcomes} == {
        (name, 2, 6, None) for name in ("searxng", "tavily", "exa")
    }


@given(st.integers(1, 9), st.lists(st.integers(), max_size=12, unique=True))
def test_selected_queries_begin_and_end_as_all_do(most: int, texts: list[int]) -> None:
    queries = [Query(text=str(text)) for text in texts]
    selected = select_queries(queries, most)
    assert len(selected) == min(most, len(queries))
    assert selected[:1] == tuple(queries[:1])
    assert most == 1 or selected[-1:] == tuple(queries[-1:])
    assert [query for query in queries if query in selected] == list(selected)


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
