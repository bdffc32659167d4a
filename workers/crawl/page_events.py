"""Tells a source's receiver (``callback_url``) which of its pages are new, changed or removed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import unified_diff
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain.site import Source
from store.questions import webhooks
from store.sql.tables import PageRow

#: bytes of a difference, and characters and lines of a text that are compared: the time grows with their square
MOST_BYTES: Final = 20_000
_COMPARED, _LINES = 200_000, 1_000


def before(session: Session, sources: Sequence[Source], url: str, *, private: bool) -> str | None:
    """Return what a page says before it is read; "" for one that is new or gone, None where nobody is to be told."""
    if private or not any(_receivers(sources, url)):
        return None
    row = session.scalar(select(PageRow).where(PageRow.url == url))
    return "" if row is None or row.gone_at is not None else row.text


def saved(session: Session, sources: Sequence[Source], url: str, former: str | None, now: datetime) -> None:
    """Have the receivers be told of a page that was just saved, if it says something else than before."""
    row = session.scalar(select(PageRow).where(PageRow.url == url)) if former is not None else None
    if row is None or row.private or row.text == former:
        return
    if former:
        _tell(session, sources, row, "page.changed", now, diff=difference(former, row.text))
    else:
        _tell(session, sources, row, "page.added", now)


def removed(session: Session, sources: Sequence[Source], page_id: int, now: datetime) -> None:
    """Have the receivers be told of a page that was just found to be gone."""
    row = session.get_one(PageRow, page_id)
    if row.gone_at == now and not row.private:
        _tell(session, sources, row, "page.removed", now)


def difference(one: str, other: str) -> str:
    """Return the difference of two texts as a unified diff, at most 20 kB of it."""
    former, latter = (text[:_COMPARED].splitlines()[:_LINES] for text in (one, other))
    size, kept = 0, list[str]()
    for line in unified_diff(former, latter, "before", "after", lineterm=""):
        size += len(line.encode()) + 1
        if size > MOST_BYTES:
            kept.append("…")
            break
        kept.append(line)
    return "\n".join(kept)


def _tell(session: Session, sources: Sequence[Source], row: PageRow, event: str, now: datetime, **more: Any) -> None:
    page = {"id": row.id, "url": row.url, "title": row.title, "at": now.isoformat(), **more}
    for source in _receivers(sources, row.url):
        body = {"source": {"id": source.id, "url": source.url}, "page": page}
        webhooks.add_event(session, event, body, now, url=source.callback_url or "")


def _receivers(sources: Sequence[Source], url: str) -> Iterator[Source]:
    return (source for source in sources if source.callback_url and source.scope.covers(url))
