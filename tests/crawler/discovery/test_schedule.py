"""Schedules: intervals and cron lines read, said and followed, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.schedule import (
    BadSchedule,
    describe,
    next_after,
    schedule_of,
    update,
    validate,
)
from domain import Schedule
from tests.tables import each_row

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("interval", "seconds", "words"),
    [
        ("90m", 5_400, "every 1h30m"),
        ("6h", 21_600, "every 6h"),
        ("1d12h", 129_600, "every 1d12h"),
        ("2 W", 1_209_600, "every 14d"),
    ],
)
def test_an_interval_is_read_and_said(interval: str, seconds: float, words: str) -> None:
    schedule = schedule_of(every=interval)
    assert next_after(schedule, NOON) == NOON + timedelta(seconds=seconds)
    assert describe(schedule) == words


@pytest.mark.parametrize(
    ("line", "zone", "expected"),
    [
        ("0 3 * * *", "UTC", datetime(2026, 3, 29, 3, tzinfo=UTC)),
        ("30 2 * * *", "Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC)),  # that half hour is left out: at its end
        ("0 12 * * 1", "America/New_York", datetime(2026, 3, 30, 16, tzinfo=UTC)),
        ("*/15 * * * *", "Asia/Kolkata", NOON + timedelta(minutes=15)),
    ],
)
def test_a_cron_line_is_followed_in_its_zone(line: str, zone: str, expected: datetime) -> None:
    assert next_after(schedule_of(cron=line, zone=zone), NOON) == expected


@each_row(
    ("line", "wrong"),
    [
        ("0 25 * * *", "wrong hour"),
        ("61 * * * *", "wrong minute"),
        ("0 3 * *", "4 fields and needs five"),
        ("* * * * * *", "6 fields and needs five"),
        ("0 0 30 2 *", "wrong day-of-month"),
        ("0 3 * * someday", "wrong day-of-week"),
        ("daily", "1 fields"),
    ],
)
def test_a_wrong_cron_line_is_refused_with_what_is_wrong_and_a_right_one(line: str, wrong: str) -> None:
    with pytest.raises(BadSchedule, match=wrong) as refused:
        schedule_of(cron=line)
    assert "0 3 * * *" in str(refused.value)


@each_row("interval", ["6 hours", "5", "10s", "9999d", "h", "-6h"])
def test_what_is_no_interval_is_refused(interval: str) -> None:
    with pytest.raises(BadSchedule):
        schedule_of(every=interval)


def test_a_schedule_is_one_thing_in_a_zone_that_is_there() -> None:
    with pytest.raises(BadSchedule, match="Europe/Berlin"):
        schedule_of(every="6h", zone="Mars/Olympus")
    with pytest.raises(BadSchedule, match="one of them"):
        schedule_of(every="6h", cron="0 3 * * *", zone="UTC")
    with pytest.raises(BadSchedule, match="one of them"):
        validate(Schedule())
    assert schedule_of(every=None, cron=None, zone="UTC") is None


AT_THREE = Schedule(cron="0 3 * * *", zone="Europe/Berlin")
EACH_HOUR = Schedule(every_s=3_600.0, zone="Europe/Berlin")


@each_row(
    ("kept", "sent", "then"),
    [
        (AT_THREE, {"zone": "Asia/Tokyo"}, Schedule(cron="0 3 * * *", zone="Asia/Tokyo")),
        (AT_THREE, {"cron": "0 4 * * *"}, Schedule(cron="0 4 * * *", zone="Europe/Berlin")),
        (AT_THREE, {"every": "2h"}, Schedule(every_s=7_200.0, zone="Europe/Berlin")),
        (EACH_HOUR, {"cron": "0 4 * * *", "zone": "UTC"}, Schedule(cron="0 4 * * *")),
        (EACH_HOUR, {"every": None}, None),
        (EACH_HOUR, {"every": None, "cron": None}, None),
        (AT_THREE, {"every": None, "cron": None}, None),
        (AT_THREE, {"every": None}, AT_THREE),  # it has no interval that could end
        (None, {"cron": "0 4 * * *"}, Schedule(cron="0 4 * * *")),
        (None, {"every": None, "cron": None}, None),
    ],
)
def test_what_is_not_sent_of_a_schedule_stays(
    kept: Schedule | None, sent: dict[str, str | None], then: Schedule | None
) -> None:
    assert update(kept, sent) == then


def test_a_zone_alone_changes_a_schedule_and_makes_none() -> None:
    with pytest.raises(BadSchedule, match="no schedule"):
        update(None, {"zone": "Europe/Berlin"})
    with pytest.raises(BadSchedule, match="Mars"):
        update(AT_THREE, {"zone": "Mars/Olympus"})


@given(
    st.sampled_from(["0 3 * * *", "*/7 * * * *", "0 0 1 * *", "15 2 * * 0"]),
    st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"]),
    st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2040, 1, 1), timezones=st.just(UTC)),
)
def test_the_next_time_is_always_later(line: str, zone: str, moment: datetime) -> None:
    following = next_after(schedule_of(cron=line, zone=zone), moment)
    assert following > moment
    assert following - moment <= timedelta(days=32)
