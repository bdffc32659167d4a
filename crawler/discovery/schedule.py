"""When a source is looked at again: a fixed interval, or a cron line in a time zone. Pure: the caller has the clock.

Cron lines have Debian cron's meaning (cronsim), daylight saving included: what falls into the hour that is left out
comes at its end, what falls into the hour that comes twice comes once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from domain import Schedule
from domain.errors import WellreadError

#: no source is looked at more often, or less often, than this
MIN_EVERY_S: Final = 60.0
MAX_EVERY_S: Final = 366 * 86_400.0

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_INTERVAL: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")
_FIELDS: Final = "minute hour day-of-month month day-of-week"


class BadSchedule(WellreadError):
    """This is no schedule; the message says what is wrong with it and shows one that is right."""


def by_interval(interval: str, zone: str = "UTC") -> Schedule:
    """Read an interval such as "90m", "6h" or "1d12h"; raises BadSchedule."""
    plain = interval.strip().lower()
    parts = _INTERVAL.findall(plain)
    if not parts or _INTERVAL.sub("", plain).strip():
        raise BadSchedule(f"{interval!r} is no interval: write a number and s, m, h, d or w, such as 90m, 6h or 1d12h.")
    return validate(Schedule(every_s=sum(float(number) * _UNITS[unit] for number, unit in parts), zone=zone))


def by_cron(line: str, zone: str = "UTC") -> Schedule:
    """Read a cron line; raises BadSchedule."""
    return validate(Schedule(cron=" ".join(line.split()), zone=zone))


def schedule_of(*, every: str | None, cron: str | None, zone: str) -> Schedule | None:
    """Return the schedule that is meant by an interval or a cron line; None by neither. Raises BadSchedule."""
    if every and cron:
        raise BadSchedule("A schedule is either an interval or a cron line: give one of them.")
    if every:
        return by_interval(every, zone)
    return by_cron(cron, zone) if cron else None


def update(kept: Schedule | None, sent: Mapping[str, str | None]) -> Schedule | None:
    """Return the kept schedule with what is sent of ``every``, ``cron`` and ``zone``; what is left out stays.

    An interval takes a cron line's place and the other way round; the kept one sent as None ends the schedule.
    Raises BadSchedule, also for a zone alone where there is no schedule.
    """
    zone = sent.get("zone") or (kept.zone if kept else "UTC")
    wanted = schedule_of(every=sent.get("every"), cron=sent.get("cron"), zone=zone)
    if wanted is not None:
        return wanted
    if kept is None:
        if sent.keys() <= {"zone"}:
            raise BadSchedule("The source has no schedule: give an interval or a cron line with the time zone.")
        return None
    return None if ("cron" if kept.cron else "every") in sent else validate(replace(kept, zone=zone))


def validate(schedule: Schedule) -> Schedule:
    """Return the schedule if it is one; raises BadSchedule."""
    _zone(schedule.zone)
    if bool(schedule.cron) == (schedule.every_s is not None):
        raise BadSchedule("A schedule is either an interval or a cron line: give one of them.")
    if schedule.every_s is not None and not MIN_EVERY_S <= schedule.every_s <= MAX_EVERY_S:
        raise BadSchedule(f"An interval is between one minute and a year, and {schedule.every_s:g} s is not.")
    if schedule.cron:
        _next_tick(schedule, datetime(2000, 1, 1, tzinfo=UTC))
    return schedule


def next_after(schedule: Schedule, moment: datetime) -> datetime:
    """Return the first time after ``moment`` at which the source is due, in UTC.

    An interval counts from ``moment``: a source that could not be looked at for days is looked at once, not once for
    each time that was missed.
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
    if len(schedule.cron.split()) != 5:
        raise BadSchedule(
            f"The cron line {schedule.cron!r} has {len(schedule.cron.split())} fields and needs five ({_FIELDS}), "
            'such as "0 3 * * *": daily at three.'
        )
    try:
        return next(CronSim(schedule.cron, moment.astimezone(_zone(schedule.zone)))).astimezone(UTC)
    except CronSimError as error:
        wrong = str(error).removeprefix("Bad ")
        raise BadSchedule(
            f"The cron line {schedule.cron!r} has a wrong {wrong}: its fields are {_FIELDS}, "
            'such as "0 3 * * *": daily at three.'
        ) from error
    except StopIteration:
        raise BadSchedule(f"The cron line {schedule.cron!r} names no day that ever comes.") from None


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)  # UTC is there without a time zone database
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSchedule(f"There is no time zone {name!r}: name one like Europe/Berlin, or UTC.") from None
