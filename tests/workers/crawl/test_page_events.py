"""The receiver of a source is told of its pages: what is new, changed and removed."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from domain import PageText
from evals.knowledge.stored import save_page
from store.crawl import sources
from store.pages import pages
from store.sql.tables import PageRow, WebhookRow
from workers.crawl import page_events, sites
from workers.questions import submit
from workers.questions.callbacks import BadCallback
from workers.services import Services


def test_receiver_of_a_source_is_told_of_new_changed_and_removed_pages(services: Services) -> None:
    url = "https://told.example/docs/a"
    with services.database.write() as session:
        source = sources.add(
            session, "https://told.example/docs/", own=False, now=services.now(), callback_url="https://hook.example/"
        )

    def read(text: str, at: str = url) -> None:
        now = services.now()
        with services.database.write() as session:
            before = page_events.before(session, [source], at, private=False)
            save_page(session, PageText(title="A", text=text, lang="en"), at, now)
            page_events.saved(session, [source], at, before, now)

    read("One.\nTwo.")
    read("One.\nTwo.")
    read("One.\nThree.")
    read("Elsewhere.", at="https://told.example/other")
    with services.database.write() as session:
        now = services.now()
        page_id = session.scalars(select(PageRow.id).where(PageRow.url == url)).one()
        pages.mark_gone(session, page_id, now)
        page_events.removed(session, [source], page_id, now)
    with services.database.read() as session:
        told = session.scalars(select(WebhookRow).order_by(WebhookRow.id)).all()
    assert [row.event for row in told] == ["page.added", "page.changed", "page.removed"]
    body = told[1].body or {}
    assert body["page"]["diff"] == "--- before\n+++ after\n@@ -1,2 +1,2 @@\n One.\n-Two.\n+Three."
    assert body["source"] == {"id": source.id, "url": "https://told.example/docs/"}


def test_difference_of_long_texts_is_cut_at_20_kb() -> None:
    cut = page_events.difference("", "word " * 9 + "\n" + "a line of the manual\n" * 20_000)
    assert 19_000 < len(cut.encode()) <= page_events.MOST_BYTES + 10
    assert cut.endswith("…")


def test_nobody_is_told_of_a_private_page(services: Services) -> None:
    with services.database.write() as session:
        source = sources.add(
            session, "https://told.example/", own=False, now=services.now(), callback_url="https://hook.example/"
        )
        assert page_events.before(session, [source], "https://told.example/a", private=True) is None


def test_receiver_that_may_not_be_told_is_refused_when_a_source_is_added_or_changed(services: Services) -> None:
    with pytest.raises(BadCallback):
        submit.add_source(services, "https://told.example/", own=False, callback_url="http://10.0.0.1/")
    source = submit.add_source(services, "https://told.example/", own=False)
    with pytest.raises(BadCallback):
        sites.change(services, source.id, {"callback_url": "http://10.0.0.1/"})
    changed = sites.change(services, source.id, {"callback_url": "https://hook.example/?token=1"})
    assert changed
    assert changed.callback_url == "https://hook.example/?token=1"
    assert sites.change(services, source.id, {"callback_url": None}).callback_url is None  # type: ignore[union-attr]
