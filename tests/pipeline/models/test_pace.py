"""Test when a model may be asked: after refusals, and within the budget of a minute."""

from __future__ import annotations

import heapq
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.models import pace
from pipeline.models.pace import Pace, RateLimit


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_nobody_waits_where_nothing_was_refused(clock: Clock) -> None:
    asking = Pace(clock=clock)
    for _ in range(50):
        assert asking.wait_s("m", 5_000) == 0
        clock.now += pace.BURST_GAP_S


def test_pause_lasts_as_long_as_the_service_asks_and_is_that_of_one_model(clock: Clock) -> None:
    asking = Pace(clock=clock)
    asking.slow_down("m", 20.0)
    assert 20.0 <= asking.wait_s("m", 1) <= 22.0
    assert asking.wait_s("another", 1) == 0
    clock.now += 22.0
    assert asking.wait_s("m", 1) == 0


def test_pause_of_unknown_length_doubles_up_to_a_minute(clock: Clock) -> None:
    asking, waits = Pace(clock=clock), []
    for _ in range(9):
        asking.slow_down("m", None)
        waits.append(asking.wait_s("m", 1))
        clock.now += waits[-1]
        assert asking.wait_s("m", 1) == 0
    assert [round(wait_s / 1.05) for wait_s in waits[:4]] == [1, 2, 4, 8]
    assert max(waits) <= 1.1 * pace.LONGEST_OWN_PAUSE_S + pace.LONGEST_GAP_S
    for _ in range(2):  # that are not refused
        clock.now += pace.LONGEST_GAP_S
        assert asking.wait_s("m", 1) == 0
    asking.slow_down("m", None)
    assert asking.wait_s("m", 1) < 5


def test_refusals_of_calls_that_were_under_way_count_once(clock: Clock) -> None:
    one, many = Pace(clock=clock), Pace(clock=clock)
    for asking, refusals in ((one, 1), (many, 30)):
        for _ in range(refusals):
            asking.slow_down("m", None, sent_s_ago=0.1)
    assert many.wait_s("m", 1) == pytest.approx(one.wait_s("m", 1), rel=0.1)


@given(st.floats(0, 1e9))
def test_no_service_is_left_alone_for_ever(seconds: float) -> None:
    asking = Pace(clock=Clock())
    asking.slow_down("m", seconds)
    assert asking.wait_s("m", 1) <= 1.1 * pace.LONGEST_PAUSE_S


def test_callers_begin_again_one_after_another_and_ever_faster(clock: Clock) -> None:
    asking = Pace(clock=clock)
    asking.slow_down("m", 1.0)
    turns = sorted(asking.wait_s("m", 1) for _ in range(10))
    assert all(later - earlier >= 0.8 * pace.FIRST_GAP_S for earlier, later in pairwise(turns))
    sent = []
    while clock.now < 1_000_040:
        if asking.wait_s("m", 1) == 0:
            sent.append(clock.now - 1_000_000)
        clock.now += 0.01
    halves = [sum(start <= at < start + 10 for at in sent) for start in (1, 11, 21)]
    assert halves[0] < halves[1] < halves[2]


# --- a service that allows five a second


def _ask_together(callers: int, a_second: int, retry_after_s: float | None) -> tuple[int, float]:
    """Return how many calls were refused, and when the last of so many callers was served."""
    clock = Clock()
    asking, started = Pace(clock=clock), clock.now
    due, served, refused = [(started, number) for number in range(callers)], list[float](), 0
    while due:
        clock.now, number = heapq.heappop(due)
        if wait_s := asking.wait_s("m", 1_000):
            heapq.heappush(due, (clock.now + wait_s, number))
        elif sum(at > clock.now - 1.0 for at in served) < a_second:
            served.append(clock.now)
        else:
            refused += 1
            asking.slow_down("m", retry_after_s)
            heapq.heappush(due, (clock.now + 0.001, number))
    return refused, clock.now - started


@pytest.mark.parametrize("retry_after_s", [1.0, None])
def test_thirty_callers_do_not_storm_a_service_that_allows_five_a_second(retry_after_s: float | None) -> None:
    refused, took_s = _ask_together(30, 5, retry_after_s)
    assert refused <= 6
    assert took_s <= 15


def test_hour_of_refusals_costs_few_calls(clock: Clock) -> None:
    asking, sent = Pace(clock=clock), 0
    while clock.now < 1_000_000 + 3_600:
        waits = [asking.wait_s("m", 1) for _ in range(32)]
        if 0 in waits:
            sent += 1
            asking.slow_down("m", None)
        clock.now += max(0.01, min(waits))
    assert sent <= 100


# --- the budget of a minute


@pytest.mark.parametrize(
    ("budget", "tokens"),
    [
        (RateLimit(requests=60), 1),
        (RateLimit(requests=10), 1),
        (RateLimit(tokens=60_000), 1_000),
        (RateLimit(tokens=10_000), 4_000),  # each is more than may be used at once
        (RateLimit(requests=1_000, tokens=30_000), 1_000),
    ],
)
def test_no_minute_has_more_than_its_budget_and_most_of_it_can_be_used(budget: RateLimit, tokens: int) -> None:
    clock = Clock()
    asking, sent = Pace(budget, clock=clock), list[float]()
    while clock.now < 1_000_000 + 600:
        if asking.wait_s("m", tokens) == 0:
            sent.append(clock.now)
        clock.now += 0.05
    most = min(budget.requests or 1e9, max(1, budget.tokens / tokens) if budget.tokens else 1e9)
    fullest = max(sum(start <= at < start + 60 for at in sent) for start in sent)
    assert fullest <= most + 1
    assert len(sent) >= 0.7 * 10 * most


def test_budget_is_that_of_all_models_of_the_service(clock: Clock) -> None:
    asking = Pace(RateLimit(requests=10), clock=clock)
    assert asking.wait_s("small", 1) == 0
    assert asking.wait_s("large", 1) > 0


def test_tokens_that_were_not_used_are_given_back(clock: Clock) -> None:
    asking = Pace(RateLimit(tokens=10_000), clock=clock)
    assert asking.wait_s("m", 1_000) == 0
    clock.now += 0.1
    assert asking.wait_s("m", 1_000) > 0
    asking.settle(1_000, 100)
    assert asking.wait_s("m", 900) == 0
