"""The web page shows the sites with their schedules, changes these, and pauses the reading of a whole site."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from domain.site import SiteReadStatus
from store.crawl import sources
from tests.api.web.browser import Tab, opened
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services

pytestmark = pytest.mark.live


@pytest.fixture
def tab(app: FastAPI, services: Services) -> Iterator[Tab]:
    submit.add_source(services, "https://site.example/", own=False, min_delay_s=None)
    sites.start(services, "https://site.example/")
    with opened(app) as tab:
        tab.run("document.getElementById('sites').open = true")
        yield tab


def test_a_schedule_is_changed_and_a_site_read_paused(tab: Tab, services: Services) -> None:
    tab.wait("document.querySelectorAll('#sources li').length === 1")
    tab.run("document.querySelector('#sources input').value = '0 3 * * *'")
    tab.run("document.querySelector('#sources button').click()")
    tab.wait("document.querySelector('#sources').textContent.includes('next')")
    with services.database.read() as session:
        (kept,) = sources.list_all(session)
    assert kept.schedule is not None
    assert kept.schedule.cron == "0 3 * * *"
    tab.run("[...document.querySelectorAll('#site-reads button')].find((b) => b.textContent === 'pause').click()")
    tab.wait("document.querySelector('#site-reads').textContent.includes('paused')")
    assert sites.latest(services)[0].status is SiteReadStatus.PAUSED
