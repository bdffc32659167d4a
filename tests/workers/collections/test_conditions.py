"""Sites that are left out, dates, lengths and languages: what is asked for holds in what is quoted and what is read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from domain import Question, Status
from domain.options import Overrides, SearchRequest
from store.crawl import sources
from store.sql.tables import PageRow, QuestionRow
from tests.workers.collections.two import QUESTION, ask, store_page
from workers import indexing as embedding
from workers.crawl.seek import _known, queries_for, recency
from workers.questions import search as passages
from workers.questions import submit
from workers.questions.conditions import BadExclusion, clean_sites, left_out
from workers.services import Services
from workers.services import collections as kept

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SITE, FORUM = "https://vardholm.example/", "https://vardholm.example/forum/"


def asked(services: Services, **own: Any) -> Any:
    return ask(services, overrides=Overrides(**own), reuse=False)


def test_excluded_site_is_not_quoted(main: Services) -> None:
    store_page(main, "Alma Rasmussen", url=f"{SITE}lighthouse")
    store_page(main, "Bruno Lindqvist", url=f"{FORUM}gossip")
    record = asked(main, exclude_sites=(FORUM,))
    assert "Alma" in str(record.answer)
    assert not [hit for hit in record.context if hit.url.startswith(FORUM)]
    assert asked(main, exclude_sites=(SITE,)).context == ()
    found = passages.search(main, SearchRequest(query=QUESTION, exclude_sites=[FORUM]))
    assert {passage.url for passage in found} == {f"{SITE}lighthouse"}


def test_site_left_out_for_good_is_neither_quoted_nor_taken(main: Services) -> None:
    kept.add(main, "strict", exclude_sites=(FORUM,))
    strict = main.of("strict")
    store_page(strict, "Bruno Lindqvist", url=f"{FORUM}gossip")
    assert asked(strict).status == Status.ABSTAINED
    assert passages.search(strict, SearchRequest(query=QUESTION)) == []
    with pytest.raises(submit.BadSite, match="is excluded by"):
        submit.add_source(strict, f"{FORUM}a", own=False, min_delay_s=None)
    with pytest.raises(submit.BadSite, match="is excluded by"):
        submit.read_url(strict, f"{FORUM}a")
    submit.read_url(main, f"{FORUM}a")
    main.settings = main.settings.model_copy(update={"exclude_sites": (SITE,)})
    assert left_out(main) == (SITE,)
    with pytest.raises(submit.BadSite, match="is excluded by"):
        submit.read_url(main, f"{SITE}a")


def test_excluded_site_is_no_candidate_of_the_crawl(main: Services) -> None:
    with main.database.write() as session:
        for url in (SITE, "https://forum.example/"):
            sources.add(session, url, own=False, min_delay_s=None, now=main.now())
    question, _ = submit.submit(main, submit.NewQuestion(text=QUESTION))
    with main.database.read() as session:
        every = _known(session, question, main.now(), ()).sites
        known = _known(session, question, main.now(), ("https://forum.example/",))
    assert [site.starts for site in every] == [(SITE,), ("https://forum.example/",)]
    assert [site.starts for site in known.sites] == [(SITE,)]
    assert known.sitemaps == (f"{SITE}sitemap.xml",)


def test_only_pages_published_later_are_quoted(main: Services) -> None:
    page_id = store_page(main, "Alma Rasmussen")
    since = (NOW - timedelta(days=10)).isoformat()
    assert asked(main, published_after=since).status == Status.ABSTAINED  # it says no date
    for published, status in ((NOW - timedelta(days=20), Status.ABSTAINED), (NOW, Status.ANSWERED)):
        with main.database.write() as session:
            values = {"published": published, "state": "FETCHED", "due_at": main.now(), "attempts": 0}
            session.execute(update(PageRow).where(PageRow.id == page_id).values(values))
        embedding.embed(main, page_id)
        assert asked(main, published_after=since).status == status


@pytest.mark.parametrize(
    ("days", "span"), [(0, "day"), (3, "week"), (20, "month"), (200, "year"), (800, None), (None, None)]
)
def test_engines_are_asked_for_the_smallest_span_that_reaches_back(days: int | None, span: str | None) -> None:
    since = None if days is None else (NOW - timedelta(days=days)).isoformat()
    assert recency(Overrides(published_after=since), NOW) == span


def test_date_of_the_question_goes_before_the_words_in_it() -> None:
    queries = queries_for(["a"], lang="en", question="the latest news", today=NOW.date(), recency="week")
    assert [query.recency for query in queries] == ["week"]


def test_length_is_the_number_of_quotes(main: Services) -> None:
    store_page(main, "Alma Rasmussen")
    store_page(main, "Alma Rasmussen the younger", url=f"{SITE}younger")
    short, usual, long = (len(asked(main, length=each).citations) for each in ("short", "normal", "long"))
    assert short == 1
    assert short <= usual <= long


def test_without_a_model_pages_in_the_language_answer(main: Services) -> None:
    store_page(main, "Alma Rasmussen")
    assert asked(main, answer_language="en").status == Status.ANSWERED
    assert asked(main, answer_language="de").status == Status.ABSTAINED


def test_conditions_are_stored_with_the_question_and_tell_equal_ones_apart(main: Services) -> None:
    own = Overrides(exclude_sites=(FORUM,), published_after=NOW.isoformat(), length="long", answer_language="de")
    question, _ = submit.submit(main, submit.NewQuestion(text=QUESTION, overrides=own))
    assert isinstance(question, Question)
    assert question.overrides == own
    other, _ = submit.submit(main, submit.NewQuestion(text=QUESTION))
    with main.database.read() as session:
        keys = {session.get_one(QuestionRow, each.id).equal_key for each in (question, other)}
    assert len(keys) == 2


@pytest.mark.parametrize("site", ["", "ftp://x.example/", "http://", "\x00"])
def test_site_to_leave_out_must_be_one(site: str) -> None:
    with pytest.raises(BadExclusion, match="leave out"):
        clean_sites([site])
