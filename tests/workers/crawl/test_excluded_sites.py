"""A site that is left out gets no request, whatever leads there: a redirect, a robots.txt, or a link found before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.options import Overrides
from store.sql.tables import QuestionRow
from tests.logged_site import LoggedSite, article, served
from tests.workers.crawl.one_candidate import add, row_of
from workers.crawl import read_candidate
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def sites(services: Services) -> Iterator[tuple[LoggedSite, LoggedSite]]:
    """A site, and one that it leads to."""
    with served({"/lamp": article(1)}) as first, served({"/lamp": article(2)}) as second:
        for site in (first, second):
            submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        yield first, second


def leave_out(services: Services, site: LoggedSite) -> None:
    services.settings = services.settings.model_copy(update={"exclude_sites": (f"{site.origin}/",)})


@pytest.mark.parametrize(
    "path", ["//hr/pay", "/hr%2fpay", "/hr%5Cpay", "/%68r/pay", "/x/%2e%2e/hr/pay", "/x/..%2fhr/pay"]
)
@pytest.mark.parametrize("how", ["asked for", "redirect"])
def test_what_is_left_out_is_so_however_it_is_written(
    services: Services, sites: tuple[LoggedSite, LoggedSite], path: str, how: str
) -> None:
    first, second = sites
    services.settings = services.settings.model_copy(update={"exclude_sites": (f"{second.origin}/hr/",)})
    first.moved["/lamp"] = f"{second.origin}{path}"
    candidate_id = add(services, f"{second.origin}{path}" if how == "asked for" else f"{first.origin}/lamp")
    read_candidate.read(services, candidate_id)
    assert second.log == []


@pytest.mark.parametrize("is_left_out", [False, True])
def test_redirect_stops_before_the_request(
    services: Services, sites: tuple[LoggedSite, LoggedSite], is_left_out: bool
) -> None:
    first, second = sites
    first.moved["/lamp"] = f"{second.origin}/lamp"
    if is_left_out:
        leave_out(services, second)
    candidate_id = add(services, f"{first.origin}/lamp")
    read_candidate.read(services, candidate_id)
    row = row_of(services, candidate_id)
    assert (row.outcome, bool(second.log)) == (("blocked", False) if is_left_out else ("read", True))
    assert ("is on an excluded site" in (row.reason or "")) is is_left_out


def test_question_keeps_its_own_reading_off_a_site(services: Services, sites: tuple[LoggedSite, LoggedSite]) -> None:
    first, second = sites
    first.moved["/lamp"] = f"{second.origin}/lamp"
    own = Overrides(exclude_sites=(f"{second.origin}/",))
    question, _ = submit.submit(services, submit.NewQuestion(text="What burns?", overrides=own))
    with services.database.write() as session:
        session.get_one(QuestionRow, question.id).status = "READING"
    candidate_id = add(services, f"{first.origin}/lamp", question.id)
    read_candidate.read(services, candidate_id)
    assert (row_of(services, candidate_id).outcome, second.log) == ("blocked", [])


def test_robots_file_is_not_asked_for_there_either(services: Services, sites: tuple[LoggedSite, LoggedSite]) -> None:
    first, second = sites
    first.moved["/robots.txt"] = f"{second.origin}/robots.txt"
    leave_out(services, second)
    candidate_id = add(services, f"{first.origin}/lamp")
    read_candidate.read(services, candidate_id)
    assert (row_of(services, candidate_id).outcome, second.log) == ("blocked", [])


def test_page_that_was_found_before_its_site_was_left_out_is_not_read(
    services: Services, sites: tuple[LoggedSite, LoggedSite]
) -> None:
    site = sites[0]
    candidate_id = add(services, f"{site.origin}/lamp")
    leave_out(services, site)
    read_candidate.read(services, candidate_id)
    assert (row_of(services, candidate_id).outcome, site.log) == ("blocked", [])
