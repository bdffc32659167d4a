"""What is chosen to be read for a question: what it has not read, and what was read too long ago for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from domain import Link, PageText, Question, ReadOutcome, Status, Validators
from domain.site import SiteScope
from store.pages import links, pages
from store.pages.links import KnownLink
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import CandidateRow, PageRow, QuestionRow
from tests.workers.crawl.one_candidate import add
from workers.crawl.claim import claim, needs_no_fetch
from workers.crawl.seek import Known, choose, seek
from workers.questions import submit
from workers.questions.step import step
from workers.services import Services

SITE = "http://site.example/"
LAMP = f"{SITE}lamp"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
QUESTION = Question(
    id="q", text="Which oil does the lamp burn?", lang="en", status=Status.SEEKING, created_at=NOW, deadline=NOW
)


def _page(services: Services, url: str, *, age_s: float) -> int:
    page_id, _ = services.write(
        pages.save,
        url=url,
        host=SITE.rstrip("/"),
        page=PageText(title="Lamp", text=f"{url} burns whale oil.", lang="en"),
        content_hash=url,
        validators=Validators(),
        depth=0,
        now=services.now() - timedelta(seconds=age_s),
    )
    return page_id


def _ask(services: Services, status: Status, *, max_age_s: int | None = None, crawled_s: float | None = None) -> str:
    with services.database.write() as session:
        question, _ = new_questions.ask(
            session, NewQuestion(text="Which oil does the lamp burn?", max_age_s=max_age_s), services.now()
        )
        row = session.get_one(QuestionRow, question.id)
        row.status, row.lang = status, "en"
        if crawled_s is not None:
            row.crawl_started_at = services.now() - timedelta(seconds=crawled_s)
    return question.id


def _chosen(services: Services, question_id: str) -> set[str]:
    with step(services, question_id, Status.SEEKING) as work:
        assert work is not None
        seek(services, work)
    with services.database.read() as session:
        rows = session.scalars(select(CandidateRow).where(CandidateRow.question_id == question_id))
        return {row.url for row in rows if row.kind == "page"}


@pytest.mark.parametrize(
    ("max_age_s", "expected"),
    [
        (None, set[str]()),
        (86_400, set[str]()),
        (60, {SITE, LAMP}),
    ],
)
def test_page_read_too_long_ago_for_the_question_is_read_again(
    services: Services, max_age_s: int | None, expected: set[str]
) -> None:
    submit.add_source(services, SITE, own=True, min_delay_s=0.0)
    for url in (SITE, LAMP):
        _page(services, url, age_s=3_600)
    with services.database.write() as session:
        link = [Link(url=LAMP, text="The lamp and its oil")]
        links.save(session, site=SITE.rstrip("/"), from_url=SITE, links=link, depth=1, now=services.now())
    assert _chosen(services, _ask(services, Status.SEEKING, max_age_s=max_age_s)) == expected


def test_site_is_bounded_by_its_folder_whatever_its_query_says(services: Services) -> None:
    front = f"{SITE}?path=lamps/oil"
    submit.add_source(services, front, own=True, min_delay_s=0.0)
    with services.database.write() as session:
        link = [Link(url=LAMP, text="The lamp and its oil")]
        links.save(session, site=SITE.rstrip("/"), from_url=front, links=link, depth=1, now=services.now())
    assert _chosen(services, _ask(services, Status.SEEKING)) == {front, LAMP}


def test_link_near_in_meaning_is_read_before_one_that_shares_a_word(services: Services) -> None:
    submit.add_source(services, SITE, own=True, min_delay_s=0.0)
    _page(services, SITE, age_s=60)
    others = "Opening hours/Staff/Boat trips/Contact/Press/School classes/Café/Postcards/Parking/Weather".split("/")
    texts = ["Lamp post on the market", "What fuels the lantern", *others]
    shown = [Link(url=f"{SITE}{at}", text=text) for at, text in enumerate(texts)]
    services.write(links.save, site=SITE.rstrip("/"), from_url=SITE, links=shown, depth=1, now=services.now())
    assert _chosen(services, _ask(services, Status.SEEKING)) == {shown[1].url}


@pytest.mark.parametrize(
    ("age_s", "max_age_s", "crawled_s", "is_known"),
    [
        (120, None, None, True),
        (120, 3_600, None, True),
        (120, 60, None, False),  # too long ago for this question
        (120, 60, 100, True),  # not when its crawl began
        (3_600, 86_400, None, False),  # another question's reading stands for so long only
    ],
)
def test_page_looked_at_a_moment_ago_is_known_if_that_is_recent_enough_for_the_question(
    services: Services, age_s: float, max_age_s: int | None, crawled_s: float | None, *, is_known: bool
) -> None:
    _page(services, LAMP, age_s=age_s)
    question_id = _ask(services, Status.READING, max_age_s=max_age_s, crawled_s=crawled_s)
    mine = claim(services, add(services, LAMP, question_id))
    assert mine is not None
    outcome = needs_no_fetch(mine, services.now())
    assert (outcome is not None and outcome.outcome == "known") is is_known


@pytest.mark.parametrize("is_gone", [True, False])
def test_page_found_gone_or_missed_a_moment_ago_is_not_known(services: Services, *, is_gone: bool) -> None:
    page_id, now = _page(services, LAMP, age_s=120), services.now()
    with services.database.write() as session:
        if is_gone:
            pages.mark_gone(session, page_id, now)
        else:
            pages.mark_missed(session, page_id, now, ReadOutcome.GONE, due_at=None)
        assert (session.get_one(PageRow, page_id).gone_at is not None) is is_gone
    mine = claim(services, add(services, LAMP, _ask(services, Status.READING)))
    assert mine is not None
    assert needs_no_fetch(mine, services.now()) is None


@pytest.mark.parametrize(("cycle", "pages_read"), [(0, 1), (1, 2), (3, 4), (5, 5)])
def test_each_wave_reads_one_page_more_as_what_was_read_ranks_the_others(cycle: int, pages_read: int) -> None:
    shown = [KnownLink(link=Link(url=f"{SITE}{at}", text=f"Lamp {at}"), depth=1) for at in range(9)]
    question = replace(QUESTION, cycle=cycle)
    wave, _ = choose(question, Known(sites=(SiteScope.of(SITE),), links=shown, seen=frozenset({SITE})), (), most=5)
    assert len([candidate for candidate in wave if candidate.kind == "page"]) == pages_read


def test_pages_that_an_engine_found_are_all_read_at_once() -> None:
    found = [Link(url=f"{SITE}{at}", text=f"Lamp {at}", origin="engine:searxng") for at in range(9)]
    wave, later = choose(QUESTION, Known(), found, most=5)
    assert (len(wave), len(later)) == (5, 4)
