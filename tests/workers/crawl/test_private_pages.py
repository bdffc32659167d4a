"""Where the setting says so, what an ask key had read by naming a site serves that question alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain import Question, Status
from store.questions import state
from store.questions.new_questions import NewQuestion
from tests.fakes import HashingEmbedder
from tests.logged_site import LoggedSite, served
from tests.workers.crawl.one_candidate import add, read_one, row_of, work
from workers.indexing import embed
from workers.questions import lookup, submit
from workers.services import Services
from workers.settings import load

BUILT = "The lighthouse of Vierburg was built in 1874 by Robert Tallis, and its lamp is lit at dusk every evening."
PAGE = f"<html lang=en><title>Vierburg</title><main><h1>Vierburg</h1><p>{BUILT}</p></main></html>"
QUESTION = "When was the lighthouse of Vierburg built?"


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    with served({"/": PAGE}) as running:
        hosts = (running.origin.removeprefix("http://"),)
        services.__dict__.update(
            embedder=HashingEmbedder(),
            settings=services.settings.model_copy(
                update={"allow_hosts": hosts, "min_delay_s": 0.0, "named_sites": "question"}
            ),
        )
        yield running


def asked(services: Services, site: LoggedSite | None, *, private: bool, text: str = QUESTION) -> Question:
    sites = (f"{site.origin}/",) if site else ()
    question, _ = submit.submit(services, NewQuestion(text=text, sites=sites, private=private, reuse=False))
    return question


def read_for(services: Services, question: Question, site: LoggedSite) -> int:
    """Read the site's page for a question, as its crawl would, and embed it."""
    with services.database.write() as session:
        row = state.lock(session, question.id)
        assert row is not None
        state.advance(session, row, Status.READING, services.now())
    candidate = add(services, f"{site.origin}/", question.id)
    work(services, candidate, until=lambda row: row.status == "SETTLED")
    page_id = row_of(services, candidate).page_id
    assert page_id is not None
    embed.embed(services, page_id)
    return page_id


def found(services: Services, question: Question) -> set[int]:
    return {hit.passage.page_id for hit in lookup.first_pass(services, question).hits}


def test_page_that_was_read_for_a_named_site_serves_that_question_alone(services: Services, site: LoggedSite) -> None:
    first = asked(services, site, private=True)
    page_id = read_for(services, first, site)
    assert found(services, first) == {page_id}
    assert found(services, asked(services, None, private=False)) == set()
    assert found(services, asked(services, site, private=True)) == set()


def test_another_question_that_names_the_site_has_it_read_for_itself(services: Services, site: LoggedSite) -> None:
    page_id = read_for(services, asked(services, site, private=True), site)
    second = asked(services, site, private=True)
    assert read_for(services, second, site) == page_id  # fresh: not fetched again
    assert found(services, second) == {page_id}
    assert found(services, asked(services, None, private=False)) == set()


@pytest.mark.parametrize("how", ["source", "operator reads it", "open question", "setting"])
def test_page_serves_everyone_where_more_than_an_ask_key_chose_it(
    services: Services, site: LoggedSite, how: str
) -> None:
    if how == "source":
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
    if how == "setting":
        settings = services.settings.model_copy(update={"named_sites": "everyone"})
        services.__dict__["settings"] = settings
    page_id = read_for(services, asked(services, site, private=True), site)
    if how == "operator reads it":
        read_one(services, f"{site.origin}/")
    if how == "open question":
        read_for(services, asked(services, site, private=False), site)
    assert found(services, asked(services, None, private=False)) == {page_id}


def test_public_page_stays_public_when_a_private_question_reads_it(services: Services, site: LoggedSite) -> None:
    page_id = read_for(services, asked(services, site, private=False), site)
    read_for(services, asked(services, site, private=True), site)
    assert found(services, asked(services, None, private=False)) == {page_id}


def test_question_without_a_named_site_is_not_private(services: Services, site: LoggedSite) -> None:
    assert not asked(services, None, private=True).private
    assert asked(services, site, private=True).private
    assert load().named_sites == "everyone"
