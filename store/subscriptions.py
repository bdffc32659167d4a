"""Store subscriptions and their news; the last :data:`MOST_NEWS` of each are kept."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from domain import Schedule
from domain.errors import WellreadError
from domain.flow import FINAL
from domain.record import CitedLine
from domain.site import SiteScope, is_under
from domain.subscription import News, PageNamed, Subscription
from store.sql.rows import delete_rows, to_value
from store.sql.tables import NewsRow, PageRow, PageVersionRow, QuestionRow, SubscriptionRow

MOST_NEWS: Final = 50
#: of one kind in one piece of news
MOST_PAGES: Final = 100
#: of one key, and those that are looked up at a time
MOST_SUBSCRIPTIONS, MOST_DUE = 100, 20


class UnknownSubscription(WellreadError):
    """There is no such subscription, or it is another's."""


class TooManySubscriptions(WellreadError):
    """The key has as many subscriptions as one may have."""


def add(session: Session, values: Mapping[str, Any], schedule: Schedule, now: datetime) -> Subscription:
    """Save a subscription, which is due at once; raises TooManySubscriptions."""
    mine = SubscriptionRow.owner.is_not_distinct_from(values["owner"])
    if (session.scalar(select(func.count()).where(mine)) or 0) >= MOST_SUBSCRIPTIONS:
        raise TooManySubscriptions(
            f"There are {MOST_SUBSCRIPTIONS} subscriptions of this key, as many as one may have."
        )
    row = SubscriptionRow(
        id=secrets.token_hex(16), feed_token=secrets.token_urlsafe(24), next_due=now, created_at=now, **values
    )
    _set_schedule(row, schedule)
    session.add(row)
    session.flush()
    return _to_subscription(row)


def change(
    session: Session, id_: str, values: Mapping[str, Any], schedule: Schedule | None, next_due: datetime | None
) -> Subscription:
    """Change some columns; with a ``schedule`` that, too."""
    row = get(session, id_)
    for name, value in values.items():
        setattr(row, name, value)
    if schedule is not None:
        _set_schedule(row, schedule)
    row.next_due = next_due
    session.flush()
    return _to_subscription(row)


def get(session: Session, id_: str, owner: str | None = None) -> SubscriptionRow:
    """Return a row, locked; raises UnknownSubscription, also for another owner's (None: all)."""
    row = session.get(SubscriptionRow, id_, with_for_update=True, populate_existing=True)
    if row is None or owner not in (None, row.owner):
        raise UnknownSubscription(f"There is no subscription {id_[:40]!r}: GET /api/subscriptions lists them.")
    return row


def find(session: Session, id_: str, owner: str | None = None) -> Subscription:
    """Return a subscription; raises UnknownSubscription, also for another owner's (None: all)."""
    return _to_subscription(get(session, id_, owner))


def list_all(session: Session, owner: str | None = None) -> list[Subscription]:
    """Return the subscriptions of an owner (None: all), oldest first."""
    mine = () if owner is None else (SubscriptionRow.owner == owner,)
    rows = session.scalars(select(SubscriptionRow).where(*mine).order_by(SubscriptionRow.created_at))
    return [_to_subscription(row) for row in rows]


def remove(session: Session, id_: str, owner: str | None = None) -> None:
    """Delete a subscription with its news; raises UnknownSubscription."""
    session.delete(get(session, id_, owner))


def due(session: Session, now: datetime) -> list[str]:
    """Return those that are due and not under way, the longest due first, up to :data:`MOST_DUE`."""
    query = select(SubscriptionRow.id).where(SubscriptionRow.next_due <= now, SubscriptionRow.question_id.is_(None))
    return list(session.scalars(query.order_by(SubscriptionRow.next_due).limit(MOST_DUE)))


def ended(session: Session) -> list[str]:
    """Return those for which a question was asked that has ended, or that is not there."""
    query = select(SubscriptionRow.id).outerjoin(QuestionRow, QuestionRow.id == SubscriptionRow.question_id)
    is_over = QuestionRow.id.is_(None) | QuestionRow.status.in_(FINAL)
    return list(session.scalars(query.where(SubscriptionRow.question_id.is_not(None), is_over)))


def schedule_of(row: SubscriptionRow) -> Schedule:
    """Return when it is looked up."""
    return Schedule(every_s=row.every_s, cron=row.cron or "", zone=row.zone)


def add_news(session: Session, row: SubscriptionRow, now: datetime, **values: Any) -> News:
    """Add a piece of news; the oldest goes where there are too many."""
    new = NewsRow(subscription_id=row.id, created_at=now, first=row.state is None, **values)
    session.add(new)
    session.flush()
    mine = NewsRow.subscription_id == row.id
    kept = select(NewsRow.id).where(mine).order_by(NewsRow.id.desc()).limit(MOST_NEWS)
    delete_rows(session, NewsRow, mine, NewsRow.id.not_in(list(session.scalars(kept))))
    return _to_news(new)


def news_of(session: Session, id_: str) -> list[News]:
    """Return what was new, the latest first."""
    query = select(NewsRow).where(NewsRow.subscription_id == id_).order_by(NewsRow.id.desc())
    return [_to_news(row) for row in session.scalars(query)]


def pages_since(
    session: Session, sites: Sequence[SiteScope], since: datetime, excluded: Sequence[str], langs: Sequence[str]
) -> dict[str, list[dict[str, str]]]:
    """Return the pages of sites, in these languages if any are given, that are new, changed or gone since then."""
    found: dict[str, list[dict[str, str]]] = {"added": [], "changed": [], "removed": []}
    shown = (PageRow.private.is_(False), PageRow.deleted_at.is_(None), PageRow.duplicate_of.is_(None))
    query = select(PageRow.url, PageRow.title, PageRow.generation, PageRow.gone_at)
    query = query.where(_is_new(since) | (PageRow.gone_at > since), *shown)
    query = query.where(PageRow.lang.in_(langs)) if langs else query
    for row in session.execute(query.order_by(PageRow.url)):
        kind = "removed" if row.gone_at else "added" if row.generation == 1 else "changed"
        is_meant = any(site.covers(row.url) for site in sites) and not is_under(row.url, excluded)
        if is_meant and len(found[kind]) < MOST_PAGES:
            found[kind].append({"url": row.url, "title": row.title})
    return found


def texts_before(session: Session, page_ids: Collection[int], since: datetime) -> dict[int, str]:
    """Return what those of these pages said before that have another text since then; "" for one that is new.

    That is the last text of that time or, where none so old is kept, the oldest.
    """
    new = session.scalars(select(PageRow.id).where(PageRow.id.in_(page_ids), _is_new(since))).all()
    said: dict[int, str] = dict.fromkeys(new, "")
    kept = select(PageVersionRow).where(PageVersionRow.page_id.in_(new)).order_by(PageVersionRow.number)
    for version in session.scalars(kept):
        if version.read_at <= since or (version.number > 1 and not said[version.page_id]):
            said[version.page_id] = version.text
    return said


def _is_new(since: datetime) -> ColumnElement[bool]:
    """Return whether the knowledge base took a page's text since then; other metadata is no other text."""
    kept = select(func.max(PageVersionRow.number)).where(PageVersionRow.page_id == PageRow.id)
    is_first = PageRow.generation == func.coalesce(kept.scalar_subquery(), 0) + 1
    return PageRow.gone_at.is_(None) & (PageRow.indexed_at > since) & ((PageRow.read_at > since) | is_first)


def _set_schedule(row: SubscriptionRow, schedule: Schedule) -> None:
    row.every_s, row.cron, row.zone = schedule.every_s, schedule.cron or None, schedule.zone


def _to_subscription(row: SubscriptionRow) -> Subscription:
    asks = {"question": None, "subject": row.text} if row.is_subject else {"question": row.text, "subject": None}
    return to_value(Subscription, row, schedule=schedule_of(row), **asks)


def _to_news(row: NewsRow) -> News:
    pages = {kind: tuple(PageNamed(**each) for each in row.pages.get(kind, ())) for kind in _KINDS}
    return to_value(News, row, citations=tuple(CitedLine(**each) for each in row.citations), **pages)


_KINDS: Final = ("added", "changed", "removed")
