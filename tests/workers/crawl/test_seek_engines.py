"""Which engines are on by the settings; who failed is left alone by every worker, and the question's trace tells."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from structlog.testing import capture_logs

from crawler.search.engine import ENGINES
from domain import Status
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.database import migrate
from store.sql.tables import QuestionRow, StepRow
from tests.crawler.hostile import Behaviour
from tests.crawler.search.server import Server, saying, serving
from workers.crawl.seek import cooling_engines, queries_for, search_engines, seek
from workers.questions.step import step
from workers.services import Services
from workers.services.web import own_addresses, switched_on
from workers.settings import Settings, SettingsError, load

KEYS = {
    f"{name}_key": f"key-of-{name}" for name in ("brave", "kagi", "tavily", "exa", "serper", "mojeek", "marginalia")
}
RESULTS = {"results": [{"url": "https://tea.example/a", "title": "Green tea"}]}


# What is on


def test_wikipedia_alone_is_on_without_any_setting() -> None:
    assert switched_on(load()) == ("wikipedia",)
    assert switched_on(load(wikipedia=False)) == ()


def test_a_key_switches_its_engine_on() -> None:
    for name in KEYS:
        assert switched_on(load(wikipedia=False, **{name: "k"})) == (name.removesuffix("_key"),)


def test_all_that_have_what_they_need_are_on_but_not_what_is_opt_in() -> None:
    on = switched_on(load(searxng_url="http://127.0.0.1:8888", anthropic_api_key="k", **KEYS))
    assert set(on) == set(ENGINES) - {"ddgs", "claude"}


def test_named_engines_are_on_in_their_order_and_no_others() -> None:
    settings = load(engines="exa, ddgs,claude , exa", anthropic_api_key="k", **KEYS)
    assert switched_on(settings) == ("exa", "ddgs", "claude")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"engines": "google"}, "'google' is not an engine; the engines are searxng"),
        ({"engines": "brave"}, "brave is named, but WELLREAD_BRAVE_KEY is empty or false"),
        ({"engines": "claude"}, "WELLREAD_ANTHROPIC_API_KEY is empty or false"),
        ({"engines": "wikipedia", "wikipedia": False}, "WELLREAD_WIKIPEDIA is empty or false"),
        ({"exa_key": "a b"}, "this is not a key"),
        ({"exa_key": "a\r\nx-evil: 1"}, "this is not a key"),
        ({"exa_key": "schlüssel"}, "this is not a key"),
    ],
)
def test_a_setting_that_cannot_work_stops_at_the_start(given: dict[str, object], says: str) -> None:
    with pytest.raises(SettingsError, match=says) as caught:
        load(**given)
    assert "schlüssel" not in str(caught.value)
    assert "evil" not in str(caught.value)


def test_a_key_copied_with_its_line_end_works() -> None:
    assert load(exa_key=" k \n").exa_key.get_secret_value() == "k"


def test_every_engine_can_be_opened_and_shows_no_key(services_for: ServicesFor) -> None:
    services = services_for(
        wikipedia=True,
        searxng_url="http://127.0.0.1:8888",
        anthropic_api_key="hush-hush",
        engines=",".join(ENGINES),
        **KEYS,
    )
    assert [account.engine.name for account in services.engines] == list(ENGINES)
    shown = f"{services.settings!r}{services.engines!r}"
    assert "key-of" not in shown
    assert "hush" not in shown


def test_only_the_operators_own_servers_are_let_through_and_only_for_engines() -> None:
    settings = load(searxng_url="http://127.0.0.1:8888", anthropic_base_url="http://10.0.0.1:1", anthropic_api_key="k")
    assert own_addresses(settings) == {"http://127.0.0.1:8888"}
    assert own_addresses(load(searxng_url="http://127.0.0.1:8888", engines="wikipedia")) == frozenset()


# Asked, and left alone


class ServicesFor:
    """Opens services by settings, and closes them."""

    def __init__(self, valkey_url: str, stack: contextlib.ExitStack) -> None:
        self._url, self._stack = valkey_url, stack

    def __call__(self, **settings: object) -> Services:
        read: Settings = load(redis_url=self._url, **{"fetch_deadline_s": 2.0, "wikipedia": False} | settings)
        services = Services(read)
        self._stack.callback(services.close)
        return services


@pytest.fixture
def services_for(valkey_url: str) -> Iterator[ServicesFor]:
    redis.Redis.from_url(valkey_url).flushall()
    with contextlib.ExitStack() as stack:
        yield ServicesFor(valkey_url, stack)


@contextlib.contextmanager
def searxng(behaviour: Behaviour) -> Iterator[Server]:
    """A SearXNG in a thread of its own."""
    loop, started, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    held: list[Server] = []

    async def run() -> None:
        async with serving(behaviour) as server:
            held.append(server)
            started.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    started.wait(10)
    try:
        yield held[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def asked(services: Services, text: str = "green tea") -> tuple[list[str], dict[str, dict[str, object]]]:
    searched = search_engines(services, queries_for([text], lang="en", question=text, today=services.now().date()))
    return [link.url for link in searched.links], searched.details()


def test_an_engine_of_the_operator_is_asked_at_its_private_address(services_for: ServicesFor) -> None:
    with searxng(saying(RESULTS)) as server:
        links, trace = asked(services_for(searxng_url=server.url))
    assert links == ["https://tea.example/a"]
    assert trace["searxng"]["queries"] == 1
    assert trace["searxng"]["links"] == 1
    assert trace["searxng"]["error"] is None


def test_pages_are_not_read_where_an_engine_stands(services_for: ServicesFor) -> None:
    from crawler.fetch.guard import Blocked

    with searxng(saying(RESULTS)) as server:
        services = services_for(searxng_url=server.url)
        with pytest.raises(Blocked):
            services.wait_for(services.client([]).get(f"{server.url}/stats"))
        assert server.requests == []


def test_an_engine_that_failed_is_left_alone_by_every_worker_until_its_time(services_for: ServicesFor) -> None:
    with searxng(saying({}, "429 Slow", headers="Retry-After: 600\r\n")) as server:
        first, second = services_for(searxng_url=server.url), services_for(searxng_url=server.url)
        assert "asked too often" in str(asked(first)[1]["searxng"]["error"])
        trace = asked(second)[1]["searxng"]
        assert 590 < float(str(trace["resting_s"])) <= 600
        assert len(server.requests) == 1
        assert cooling_engines(second)["searxng"].kind == "RateLimited"


def test_another_address_or_key_begins_without_a_rest(services_for: ServicesFor) -> None:
    with searxng(saying({}, "500 Oops")) as broken, searxng(saying(RESULTS)) as whole:
        asked(services_for(searxng_url=broken.url))
        assert asked(services_for(searxng_url=broken.url))[1]["searxng"]["resting_s"]
        assert asked(services_for(searxng_url=whole.url))[0] == ["https://tea.example/a"]


def test_an_answer_ends_the_count_of_failures(services_for: ServicesFor) -> None:
    with searxng(saying(RESULTS)) as server:
        services = services_for(searxng_url=server.url)
        [account] = services.engines
        long_ago = (services.now() - timedelta(hours=1)).timestamp()
        kept = {"reason": "r", "kind": "EngineDown", "first_s": 1.0, "longest_s": 9.0, "asked_s": 0.0}
        services.engine_cooldowns.failed(account.id, now=long_ago, **kept)  # type: ignore[arg-type]
        asked(services)
        assert services.engine_cooldowns.answered([account.id]) == []


def test_a_query_that_is_refused_rests_no_engine(services_for: ServicesFor) -> None:
    with searxng(saying({"error": "bad"}, "400 Bad Request")) as server:
        services = services_for(searxng_url=server.url)
        assert "does not accept this query" in str(asked(services)[1]["searxng"]["error"])
        assert cooling_engines(services) == {}


def test_while_redis_is_away_engines_are_asked(services_for: ServicesFor) -> None:
    with searxng(saying(RESULTS)) as server:
        services = services_for(searxng_url=server.url)
        services.__dict__["redis"] = redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 1))
        assert asked(services)[0] == ["https://tea.example/a"]


def test_a_question_for_something_new_is_asked_with_and_without_its_age(services_for: ServicesFor) -> None:
    with searxng(saying(RESULTS)) as server:
        asked(services_for(searxng_url=server.url), "latest news on tea")
        assert sorted(request.params.get("time_range", "") for request in server.requests) == ["", "year"]


def test_the_log_tells_of_a_failure_without_the_question(services_for: ServicesFor) -> None:
    with searxng(saying({"error": "what about green tea?"}, "500 Oops")) as server, capture_logs() as events:
        asked(services_for(searxng_url=server.url))
    (failure,) = (event for event in events if event["event"] == "engine_failed")
    assert "EngineDown" in failure.values()
    assert "green tea" not in str(events)


def test_the_trace_of_a_question_tells_which_engines_were_asked_and_which_failed(services_for: ServicesFor) -> None:
    with searxng(saying({}, "500 Oops")) as server:
        services = services_for(searxng_url=server.url)
        migrate(services.settings.database)
        with services.database.write() as session:
            asked_, _ = new_questions.ask(session, NewQuestion(text="What is green tea?"), services.now())
            session.get_one(QuestionRow, asked_.id).status = Status.SEEKING
        with step(services, asked_.id, Status.SEEKING) as work:
            assert work is not None
            seek(services, work)
        with services.database.read() as session:
            [row] = session.query(StepRow).where(StepRow.question_id == asked_.id)
            told = row.detail["engines"]["searxng"]
            reason = session.get_one(QuestionRow, asked_.id).stop_reason
    assert told["links"] == 0
    assert "failed with the status 500" in told["error"]
    assert "no search engine gave a candidate" in str(reason)
