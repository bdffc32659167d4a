"""Count what the questions of each owner use, day by day, and hold a key to its limits.

The counts are rows of their own: they stay where a question is deleted. Questions, and pages that are extracted, are
counted exactly: in the transaction that looks whether one more may be, in which the owner's row is locked. What a step
used is added once it is recorded; a process that dies between the two leaves it out.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain.access import OWNER, KeyUsage, Used
from domain.errors import WellreadError
from store import keys
from store.sql.rows import dialect_insert, to_value
from store.sql.tables import UsageRow

FIELDS: Final = ("questions", "pages", "tokens", "usd")
#: what a question is answered without once it is used up
CLIPPED: Final = FIELDS[1:]
_PERIODS: Final = ("day", "month")
_TAKEN: Final = {
    "questions": "as many as this key may ask, are asked: ask",
    "pages": "as many as this key may have read, are read: read",
}


class QuotaSpent(WellreadError):
    """A key has asked as many questions, or had as many pages read, as it may in this time."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


def add(session: Session, owner: str, now: datetime, /, **amounts: float) -> None:
    """Add to what an owner has used today: ``questions``, ``pages``, ``tokens``, ``usd``."""
    new = dict.fromkeys(FIELDS, 0) | amounts
    row = dialect_insert(session, UsageRow).values(owner=owner, day=_day(now), **new)
    more = {name: getattr(UsageRow, name) + amount for name, amount in amounts.items()}
    session.execute(row.on_conflict_do_update(index_elements=[UsageRow.owner, UsageRow.day], set_=more))


def used(session: Session, owner: str, now: datetime) -> dict[str, Used]:
    """Return what an owner has used in this day and month."""
    sums = [func.coalesce(func.sum(getattr(UsageRow, name)), 0).label(name) for name in FIELDS]
    mine = select(*sums).where(UsageRow.owner == owner)
    day, month = (mine.where(UsageRow.day.startswith(_day(now)[:length])) for length in (10, 7))
    return {name: to_value(Used, session.execute(query).one()) for name, query in (("day", day), ("month", month))}


def take(session: Session, owner: str, limits: Mapping[str, float], now: datetime, name: str = "questions") -> None:
    """Count one more question, or page to be read at once. Raises QuotaSpent."""
    add(session, owner, now, **{name: 1})
    so_far = used(session, owner, now) if limits else {}
    for period in so_far:
        most = limits.get(f"{name}_per_{period}")
        if most is not None and getattr(so_far[period], name) > most:
            again = resets_at(period, now)
            after_s = int((again - now).total_seconds()) + 1
            raise QuotaSpent(
                f"{int(most):,} {name} a {period}, {_TAKEN[name]} again after {again:%Y-%m-%d %H:%M} UTC.", after_s
            )


def left(session: Session, owner: str, limits: Mapping[str, float], now: datetime) -> dict[str, float]:
    """Return how many pages, tokens and dollars a key has left, of those that are limited."""
    so_far, rest = used(session, owner, now), dict[str, float]()
    for period, amounts in so_far.items():
        for name in CLIPPED:
            if (most := limits.get(f"{name}_per_{period}")) is not None:
                rest[name] = min(rest.get(name, most), max(0, most - getattr(amounts, name)))
    return rest


def report(session: Session, now: datetime, owner: str | None = None) -> list[KeyUsage]:
    """Return what each key has used and may use, by name; ``owner``: only this one's."""
    named = {key.owner: key for key in keys.list_all(session)}
    this_month = select(UsageRow.owner).where(UsageRow.day.startswith(_day(now)[:7])).distinct()
    owners = {*session.scalars(this_month), *named} if owner is None else {owner}
    found = [
        KeyUsage(
            key=named[each].name if each in named else "revoked" if each.startswith(OWNER) else "setting",
            limits=named[each].limits if each in named else {},
            **used(session, each, now),
        )
        for each in owners
    ]
    return sorted(found, key=lambda usage: usage.key)


def headers(usage: KeyUsage, now: datetime) -> dict[str, str]:
    """Return the RateLimit fields of a key whose questions are limited (draft-ietf-httpapi-ratelimit-headers-10)."""
    policies, left = [], []
    for period in _PERIODS:
        if (most := usage.limits.get(f"questions_per_{period}")) is not None:
            ends = resets_at(period, now)
            window_s = int((ends - _begins_at(period, now)).total_seconds())
            rest = max(0, int(most) - getattr(usage, period).questions)
            policies.append(f'"{period}";q={int(most)};w={window_s}')
            left.append(f'"{period}";r={rest};t={int((ends - now).total_seconds()) + 1}')
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)} if policies else {}


def resets_at(period: str, now: datetime) -> datetime:
    """Return when the day or month ends."""
    begins = _begins_at(period, now)
    return begins + timedelta(days=1) if period == "day" else (begins + timedelta(days=32)).replace(day=1)


def _begins_at(period: str, now: datetime) -> datetime:
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day if period == "day" else day.replace(day=1)


def _day(now: datetime) -> str:
    return f"{now.astimezone(UTC):%Y-%m-%d}"
