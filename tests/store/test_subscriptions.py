"""What pages of subscribers said before, and which of them are new, on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session

from domain import PageText
from domain.site import SiteScope
from evals.knowledge.stored import save_page
from store import subscriptions
from store.pages import pages
from store.sql.database import Database
from store.sql.tables import PageRow

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def know(session: Session, title: str, text: str, hour: int) -> int:
    now = NOW + timedelta(hours=hour)
    page_id = save_page(session, PageText(title=title, text=text, lang="en"), f"https://a.example/{title}", now)
    session.execute(update(PageRow).where(PageRow.id == page_id).values(indexed_at=now))
    return page_id


def test_text_whose_earlier_version_is_not_kept_is_compared_with_the_oldest_that_is(database: Database) -> None:
    with database.write() as session:
        for hour in range(10):
            old = know(session, "Tides", f"The tide was {hour} m.", hour)
        new, _ = (know(session, "Ebb", f"The ebb was {hour} m.", hour) for hour in (3, 4))
        same = know(session, "Same", "It was the same.", 0)
        since = NOW + timedelta(hours=2)
        assert subscriptions.texts_before(session, {old, new, same}, since) == {old: "The tide was 4 m.", new: ""}
        later = NOW + timedelta(hours=6)
        assert subscriptions.texts_before(session, {old, new, same}, later) == {old: "The tide was 6 m."}


def test_pages_are_new_changed_or_gone_once(database: Database) -> None:
    with database.write() as session:
        know(session, "Changed", "It was one.", 0)
        gone = know(session, "Gone", "It was here.", 0)
        for title, hour in (("Changed", 3), ("Added", 3), ("Left", 3)):
            know(session, title, f"It was {hour}.", hour)
        pages.mark_gone(session, gone, NOW + timedelta(hours=3))
        for since, expected in ((2, ["Added", "Changed", "Gone"]), (4, [])):
            session.execute(update(PageRow).where(PageRow.id == gone).values(indexed_at=NOW + timedelta(hours=5)))
            found = subscriptions.pages_since(
                session,
                [SiteScope.of("https://a.example/")],
                NOW + timedelta(hours=since),
                ["https://a.example/Left"],
                ["en"],
            )
            assert [each["title"] for kind in ("added", "changed", "removed") for each in found[kind]] == expected
