"""The delay between two requests to a host, and Retry-After."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.delay import CEILING_S, FLOOR_S, MAX_ASKED_S, next_delay_s, parse_retry_after
from tests.tables import each_row

NOW = datetime(2026, 11, 21, 7, 0, tzinfo=UTC)


@each_row(
    ("previous_s", "latency_s", "status", "expected_s"),
    [
        (5.0, 1.0, 200, 3.0),  # the mean of the old delay and the latency
        (3.0, 1.0, 200, 2.0),
        (1.0, 9.0, 200, 9.0),  # a slow server is believed at once
        (1.0, 0.01, 200, FLOOR_S),
        (1.0, 500.0, 200, CEILING_S),
        (5.0, 0.01, 404, 5.0),  # errors come quickly: they shorten nothing
        (5.0, 1.0, 304, 3.0),  # a page that did not change is no error
        (5.0, 20.0, None, 20.0),  # a timeout is a long latency
        (5.0, 0.01, 503, 10.0),
        (5.0, 0.01, 429, 10.0),
        (20.0, 0.01, 429, CEILING_S),
    ],
)
def test_autothrottle(previous_s: float, latency_s: float, status: int | None, expected_s: float) -> None:
    assert next_delay_s(previous_s, latency_s, status=status) == pytest.approx(expected_s)


def test_what_the_site_asks_for_may_exceed_the_ceiling_but_not_a_day() -> None:
    assert next_delay_s(1, 0.1, status=200, crawl_delay_s=60) == 60
    assert next_delay_s(1, 0.1, status=200, crawl_delay_s=0.1) == FLOOR_S
    assert next_delay_s(1, 0.1, status=503, retry_after_s=120, crawl_delay_s=60) == 120
    assert next_delay_s(1, 0.1, status=503, retry_after_s=1e12) == MAX_ASKED_S


def test_a_named_time_replaces_the_doubling() -> None:
    assert next_delay_s(10, 0.1, status=503, retry_after_s=2) == 10
    assert next_delay_s(10, 0.1, status=503) == 20


def test_long_wait_that_a_server_asked_for_is_for_one_time() -> None:
    assert next_delay_s(3_600, 0.1, status=200) < CEILING_S


def test_an_operators_own_site_may_be_read_without_delay_until_it_is_overloaded() -> None:
    assert next_delay_s(0, 0, status=200, floor_s=0) == 0
    assert next_delay_s(0, 0, status=503, floor_s=0) == 1
    assert next_delay_s(0, 0.002, status=200, floor_s=0) == pytest.approx(0.002)


def test_after_a_long_pause_the_delay_comes_back() -> None:
    delay_s = 3600.0
    for _ in range(10):
        delay_s = next_delay_s(delay_s, 0.2, status=200)
    assert delay_s == FLOOR_S


seconds = st.floats(0, 1e6)


@given(
    seconds, seconds, st.sampled_from([None, 200, 304, 404, 429, 500, 503]), st.none() | seconds, st.none() | seconds
)
def test_the_delay_is_within_its_bounds_and_never_less_than_asked(
    previous_s: float, latency_s: float, status: int | None, crawl_delay_s: float | None, retry_after_s: float | None
) -> None:
    delay_s = next_delay_s(
        previous_s, latency_s, status=status, crawl_delay_s=crawl_delay_s, retry_after_s=retry_after_s
    )
    asked_s = min(max(crawl_delay_s or 0, retry_after_s or 0), MAX_ASKED_S)
    assert FLOOR_S <= delay_s <= max(CEILING_S, asked_s)
    assert delay_s >= asked_s


@each_row(
    ("value", "expected_s"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("007", 7.0),
        ("9" * 5000, MAX_ASKED_S),
        ("Sat, 21 Nov 2026 07:02:00 GMT", 120.0),
        ("Saturday, 21-Nov-26 07:02:00 GMT", 120.0),
        ("Sat Nov 21 07:02:00 2026", 120.0),
        ("Sat, 21 Nov 2026 08:02:00 +0100", 120.0),
        ("Sat, 21 Nov 2020 07:00:00 GMT", 0.0),
        ("Sat, 21 Nov 2099 07:00:00 GMT", MAX_ASKED_S),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("Sat, 99 Nov 2026 07:00:00 GMT", None),
    ],
)
def test_retry_after(value: str, expected_s: float | None) -> None:
    assert parse_retry_after(value, NOW) == expected_s


@given(st.text())
def test_no_retry_after_is_an_error(value: str) -> None:
    found_s = parse_retry_after(value, NOW)
    assert found_s is None or 0 <= found_s <= MAX_ASKED_S


@given(st.integers(0, 86_000))
def test_a_date_and_its_seconds_mean_the_same(ahead_s: int) -> None:
    date = (NOW + timedelta(seconds=ahead_s)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert parse_retry_after(date, NOW) == parse_retry_after(str(ahead_s), NOW) == ahead_s
