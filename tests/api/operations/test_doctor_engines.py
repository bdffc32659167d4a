"""The doctor and the overview tell which engines are on, which are paused, and what only the operator can correct."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
import redis

from api.cli.status import overview_lines
from api.cli.width import Style
from api.operations.doctor import diagnose
from api.operations.resources import Diagnosis
from store.sql.database import migrate
from tests.crawler.search.server import saying
from tests.workers.crawl.one_candidate import read_one
from tests.workers.crawl.test_seek_engines import RESULTS, ServicesFor, searxng
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def services_for(valkey_url: str) -> Iterator[ServicesFor]:
    redis.Redis.from_url(valkey_url).flushall()
    with contextlib.ExitStack() as stack:
        yield ServicesFor(valkey_url, stack)


#: a port that no server has
NOBODY = "http://127.0.0.1:9"


def found(services: Services) -> Diagnosis:
    """What the doctor says of the engines."""
    [check] = diagnose(services, "search engines")
    return check


def fail(services: Services, name: str, kind: str, reason: str) -> None:
    [id_] = [account.id for account in services.engines if account.engine.name == name]
    services.engine_cooldowns.failed(
        id_,
        reason=reason,
        kind=kind,
        first_s=3600.0,
        longest_s=3600.0,
        asked_s=0.0,
        now=services.now().timestamp(),
    )


def test_engines_that_are_on_are_named(services_for: ServicesFor) -> None:
    check = found(services_for(brave_key="k", kagi_key="k"))
    assert (check.level, check.finding) == ("ok", "brave, kagi")


def test_an_engine_that_cannot_be_reached_is_named_with_what_to_do(services_for: ServicesFor) -> None:
    """Nothing listens at the port, and no test reaches Wikipedia."""
    check = found(services_for(searxng_url=NOBODY))
    assert check.level == "wrong"
    assert f"SearXNG at {NOBODY} could not be reached" in check.finding
    assert "Check this machine's network, and that searxng is there" in check.fix
    check = found(services_for(wikipedia=True))
    assert check.level == "note"
    assert "Wikipedia could not be reached" in check.finding
    assert "network" in check.fix


def test_a_site_whose_last_try_failed_is_named(services_for: ServicesFor) -> None:
    services = services_for()
    migrate(services.settings.database)
    submit.add_source(services, f"{NOBODY}/", own=True, min_delay_s=0.0)
    assert [check.level for check in diagnose(services, "where to read")] == ["ok"]
    read_one(services, f"{NOBODY}/")
    [check] = diagnose(services, "where to read")
    assert check.level == "wrong"
    assert f"{NOBODY}/ could not be read: The site could not be reached" in check.finding
    assert f"`wellread source remove {NOBODY}/`" in check.fix


def test_no_engine_is_a_note(services_for: ServicesFor) -> None:
    check = found(services_for())
    assert check.level == "note"
    assert "WELLREAD_SEARXNG_URL" in check.fix


def test_a_wrong_key_is_the_operators_to_mend(services_for: ServicesFor) -> None:
    services = services_for(brave_key="k")
    fail(services, "brave", "EngineKeyRejected", "Brave does not accept the key (401): check WELLREAD_BRAVE_KEY")
    check = found(services)
    assert check.level == "wrong"
    assert "brave (paused for 60 min)" in check.finding
    assert "check WELLREAD_BRAVE_KEY" in check.finding
    assert "brave" in check.fix


def test_engine_that_is_down_is_reported_without_advice(services_for: ServicesFor) -> None:
    services = services_for(brave_key="k")
    fail(services, "brave", "EngineDown", "Brave failed with the status 500: ask it again later")
    check = found(services)
    assert (check.level, check.fix) == ("ok", "")
    assert "failed with the status 500" in check.finding


def test_the_operators_searxng_is_tried(services_for: ServicesFor) -> None:
    with searxng(saying(RESULTS)) as server:
        assert found(services_for(searxng_url=server.url)).level == "ok"
        assert len(server.requests) == 1
    with searxng(saying(b"Forbidden", "403 Forbidden", kind="text/html")) as server:
        check = found(services_for(searxng_url=server.url))
    assert check.level == "wrong"
    assert "json under search.formats" in check.finding
    assert "settings.yml" in check.fix


def test_overview_shows_the_paused_engines(services_for: ServicesFor) -> None:
    services = services_for(wikipedia=True, brave_key="k")
    migrate(services.settings.database)
    fail(services, "brave", "OutOfCredit", "Brave has no searches left")
    lines = list(overview_lines(services, Style(width=80, colour=False)))
    assert "Search engines: brave, wikipedia" in lines
    assert "  brave is paused: Brave has no searches left" in lines


def test_a_fetcher_without_its_key_is_named(services_for: ServicesFor) -> None:
    [check] = diagnose(services_for(fetcher="exa"), "settings")
    assert (check.level, check.finding) == ("wrong", "WELLREAD_FETCHER=exa has no key")
    assert check.fix == "Set WELLREAD_EXA_KEY."
