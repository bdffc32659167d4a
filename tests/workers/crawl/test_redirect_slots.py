"""A host that a redirect leads to has its turn and its pause, as if it had been asked for itself."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.logged_site import LoggedSite, article, served
from tests.workers.crawl.one_candidate import add, row_of
from workers.crawl import read_candidate
from workers.questions import submit
from workers.services import Services

PAUSE_S = 10.0


@pytest.fixture
def sites(services: Services) -> Iterator[tuple[LoggedSite, LoggedSite]]:
    """A site that leads to another, which wants long pauses."""
    with served({"/lamp": article(1)}) as old, served({"/lamp": article(2)}) as new:
        old.moved["/lamp"] = f"{new.origin}/lamp"
        submit.add_source(services, f"{old.origin}/", own=True, min_delay_s=0.0)
        submit.add_source(services, f"{new.origin}/", own=True, min_delay_s=PAUSE_S)
        yield old, new


def test_host_that_a_redirect_led_to_is_left_alone_for_its_own_pause(
    services: Services, sites: tuple[LoggedSite, LoggedSite]
) -> None:
    old, new = sites
    candidate_id = add(services, f"{old.origin}/lamp")
    read_candidate.read(services, candidate_id)
    assert row_of(services, candidate_id).outcome == "read"
    assert services.host_slots.claim(new.origin, now=time.time(), delay_s=0.0).wait_s > PAUSE_S / 2
    assert services.host_slots.claim(old.origin, now=time.time() + 1, delay_s=0.0).wait_s == 0


def test_host_that_is_being_asked_is_not_asked_by_way_of_a_redirect(
    services: Services, sites: tuple[LoggedSite, LoggedSite]
) -> None:
    old, new = sites
    services.host_slots.claim(new.origin, now=time.time(), delay_s=PAUSE_S)
    candidate_id = add(services, f"{old.origin}/lamp")
    read_candidate.read(services, candidate_id)
    row = row_of(services, candidate_id)
    assert (row.status, new.origin in (row.error or "")) == ("WAITING", True)
    assert (row.due_at - services.now()).total_seconds() > PAUSE_S / 2
    assert new.log == []


def test_host_that_is_free_in_a_moment_is_waited_for(services: Services, sites: tuple[LoggedSite, LoggedSite]) -> None:
    old, new = sites
    turn = services.host_slots.claim(new.origin, now=time.time(), delay_s=0.0)
    services.host_slots.release(turn, now=time.time(), delay_s=0.3)
    free_at = time.monotonic() + 0.2
    candidate_id = add(services, f"{old.origin}/lamp")
    read_candidate.read(services, candidate_id)
    assert row_of(services, candidate_id).outcome == "read"
    assert new.log[0].came_at > free_at
