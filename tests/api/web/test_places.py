"""The web page's places in a real browser: sources and their schedules, pages, files, and what an operator looks at."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from domain import Status
from domain.site import SiteReadStatus
from store.crawl import sources
from store.questions.state import Changes, Move, find
from store.sql.tables import PageRow
from tests.api import walk
from tests.api.web.browser import Tab, opened
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services

pytestmark = pytest.mark.live

PDF = base64.b64encode(b"# Rules\n\nThe lighthouse opens at nine.").decode()


@pytest.fixture
def tab(app: FastAPI, services: Services) -> Iterator[Tab]:
    with opened(app) as tab:
        tab.resize(1280, 860)
        yield tab
        assert [each for each in tab.complaints if "/readyz" not in each] == []  # no worker lives here: it says 503


def _open(tab: Tab, place: str) -> None:
    tab.run(f"location.hash = '{place}'")
    tab.wait("document.querySelector('#place h2')")


def test_a_schedule_is_changed_and_ended_and_a_site_read_paused(tab: Tab, services: Services) -> None:
    submit.add_source(services, "https://site.example/", own=False, min_delay_s=None)
    sites.start(services, "https://site.example/")
    _open(tab, "sources")
    tab.wait("document.querySelector('#sources td input')")
    tab.run("document.querySelector('#sources td input').value = '0 3 * * *'")
    tab.click("Save", "#sources")
    tab.wait("document.querySelector('#sources time')")
    with services.database.read() as session:
        (kept,) = sources.list_all(session)
    assert kept.schedule is not None
    assert kept.schedule.cron == "0 3 * * *"
    tab.click("Pause", "#sources")
    tab.wait("document.querySelector('#sources').textContent.includes('each page by itself')")
    tab.click("Pause", "#site-reads")
    tab.wait("document.querySelector('#site-reads').textContent.includes('paused')")
    assert sites.latest(services)[0].status is SiteReadStatus.PAUSED


def test_a_source_is_added_read_and_deleted(tab: Tab, services: Services) -> None:
    _open(tab, "sources")
    tab.run("document.querySelector('#add-source input').value = 'site.example/docs'")
    tab.click("Add", "#add-source")
    tab.wait("document.querySelector('#sources a')")
    assert tab.text("#sources a") == "https://site.example/docs"
    tab.wait("document.querySelector('#site-reads td')")  # it is asked for after the source is kept
    assert sites.latest(services)[0].status is SiteReadStatus.RUNNING
    tab.click("Delete", "#sources")
    tab.click("Really delete?", "#sources")
    tab.wait("document.querySelector('#sources').textContent.includes('None yet')")
    with services.database.read() as session:
        assert sources.list_all(session) == []


def test_a_file_is_uploaded_into_a_folder(tab: Tab) -> None:
    _open(tab, "files")
    tab.wait("document.querySelector('#files p')")
    tab.run(
        f"{{ const transfer = new DataTransfer();"
        f"transfer.items.add(new File([atob('{PDF}')], 'rules.md', {{ type: 'text/markdown' }}));"
        f"document.querySelector('#upload input[type=file]').files = transfer.files;"
        f"document.querySelectorAll('#upload input')[1].value = 'travel'; }}"
    )
    tab.click("Upload", "#upload")
    tab.wait("document.querySelector('#files td')")
    assert tab.text("#files td span") == "travel/rules.md"
    assert "being read" in tab.text("#files")


def test_a_page_is_searched_looked_at_and_deleted(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    _open(tab, "pages")
    tab.wait("document.querySelector('#page-list td button')")
    tab.run("document.querySelector('#place input[type=search]').value = 'harbour'")
    tab.run("document.querySelector('#place input[type=search]').dispatchEvent(new Event('input'))")
    tab.wait("!document.querySelector('#page-list td button')")
    tab.run("document.querySelector('#place input[type=search]').value = 'TOWER'")
    tab.run("document.querySelector('#place input[type=search]').dispatchEvent(new Event('input'))")
    tab.click("The tower", "#page-list")
    tab.wait("document.querySelector('#page-detail blockquote')")
    assert tab.text("#page-detail blockquote") == walk.TEXT
    tab.click("Delete", "#page-detail")
    tab.click("Really delete?", "#page-detail")
    tab.wait("!document.querySelector('#page-list td button')")
    with services.database.read() as session:
        row = session.get(PageRow, page_id)
    assert row is None or row.text == ""


def test_an_operator_sees_what_failed_and_starts_it_again(tab: Tab, services: Services) -> None:
    walk.move(services, walk.ask(services, "When was it built?").id, walk.answered(walk.keep_page(services)))
    asked = walk.ask(services)
    walk.move(services, asked.id, Move(to=Status.FAILED, outcome="failed", changes=Changes(error="the disk is full")))
    _open(tab, "operations")
    tab.wait("document.querySelector('#operations-dead td')")
    assert "the disk is full" in tab.text("#operations-dead")
    assert tab.run("document.querySelectorAll('#operations-plots svg').length") == 4
    assert tab.run("document.querySelectorAll('#operations-plots rect.series-0').length") >= 2
    assert "none" in tab.text("#operations-queues")
    tab.click("Start again", "#operations-dead")
    tab.wait("document.querySelector('#operations-dead').textContent.includes('None')")
    with services.database.read() as session:
        assert find(session, asked.id).status is Status.ASKED
