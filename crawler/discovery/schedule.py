"""Compute when a source is due again: by an interval, or a cron line in a time zone. Pure: the caller has the clock.

Cron lines have the meaning of Debian's cron (cronsim), with daylight saving time: a time in the skipped hour comes at
its end, a time in the repeated hour comes once.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from domain import Schedule
from domain.errors import WellreadError

#: the shortest and the longest interval
MIN_EVERY_S: Final = 60.0
MAX_EVERY_S: Final = 366 * 86_400.0

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_INTERVAL: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")
_EITHER: Final = "A schedule is either an interval or a cron line: give one of them."
_FIELDS: Final = "minute hour day-of-month month day-of-week"
_DAILY: Final = 'such as "0 3 * * *": daily at three.'


class BadSchedule(WellreadError):
    """The schedule is not valid; the message says what is wrong, and shows a valid one."""


def schedule_of(*, every: str | None = None, cron: str | None = None, zone: str = "UTC") -> Schedule | None:
    """Return the schedule of an interval such as "90m", "6h" or "1d12h", or of a cron line; None without both.

    Raises BadSchedule.
    """
    if every and cron:
        raise BadSchedule(_EITHER)
    if not every:
        return validate(Schedule(cron=" ".join(cron.split()), zone=zone)) if cron else None
    plain = every.strip().lower()
    parts = _INTERVAL.findall(plain)
    if not parts or _INTERVAL.sub("", plain).strip():
        raise BadSchedule(
            f"{every!r} is not an interval: write a number and s, m, h, d or w, such as 90m, 6h or 1d12h."
        )
    return validate(Schedule(every_s=sum(float(number) * _UNITS[unit] for number, unit in parts), zone=zone))


def update(current: Schedule | None, changes: Mapping[str, str | None]) -> Schedule | None:
    """Return the current schedule with the changes to ``every``, ``cron`` and ``zone``; absent keys stay.

    An interval replaces a cron line and the other way round; None for the current one ends the schedule. Raises
    BadSchedule, also for a zone without a schedule.
    """
    zone = changes.get("zone") or (current.zone if current else "UTC")
    wanted = schedule_of(every=changes.get("every"), cron=changes.get("cron"), zone=zone)
    if wanted is not None:
        return wanted
    if current is None:
        if changes.keys() <= {"zone"}:
            raise BadSchedule("The source has no schedule: give an interval or a cron line with the time zone.")
        return None
    return None if ("cron" if current.cron else "every") in changes else validate(replace(current, zone=zone))


def validate(schedule: Schedule) -> Schedule:
    """Return the schedule if it is valid; raises BadSchedule."""
    _zone(schedule.zone)
    if bool(schedule.cron) == (schedule.every_s is not None):
        raise BadSchedule(_EITHER)
    if schedule.every_s is not None and not MIN_EVERY_S <= schedule.every_s <= MAX_EVERY_S:
        raise BadSchedule(f"An interval must be between one minute and a year, and {schedule.every_s:g} s is not.")
    if schedule.cron:
        _next_tick(schedule, datetime(2000, 1, 1, tzinfo=UTC))
    return schedule


def next_after(schedule: Schedule, moment: datetime) -> datetime:
    """Return the first time after ``moment`` at which the source is due, in UTC.

    An interval counts from ``moment``: a source that could not be read for days is read once, not once for each missed
    time.
    """
    if schedule.every_s is not None:
        return moment + timedelta(seconds=schedule.every_s)
    return _next_tick(schedule, moment)


def describe(schedule: Schedule) -> str:
    """Return the schedule in words: "every 6h", or its cron line with the zone."""
    if schedule.every_s is None:
        return f"cron {schedule.cron} ({schedule.zone})"
    left, parts = round(schedule.every_s), []
    for unit in ("d", "h", "m", "s"):
        number, left = divmod(left, int(_UNITS[unit]))
        parts += [f"{number}{unit}"] if number else []
    return f"every {''.join(parts)}"


def _next_tick(schedule: Schedule, moment: datetime) -> datetime:
    if (given := len(schedule.cron.split())) != 5:
        raise BadSchedule(f"The cron line {schedule.cron!r} has {given} fields and needs five ({_FIELDS}), {_DAILY}")
    try:
        return next(CronSim(schedule.cron, moment.astimezone(_zone(schedule.zone)))).astimezone(UTC)
    except CronSimError as error:
        why = f"has a wrong {str(error).removeprefix('Bad ')}: its fields are {_FIELDS}, {_DAILY}"
        raise BadSchedule(f"The cron line {schedule.cron!r} {why}") from error
    except StopIteration:
        raise BadSchedule(f"The cron line {schedule.cron!r} names no day that ever comes.") from None


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)  # UTC needs no time zone database
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSchedule(f"There is no time zone {name!r}: name one like Europe/Berlin, or UTC.") from None
