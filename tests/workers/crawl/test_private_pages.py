"""What an ask key had read by naming a site serves that question alone, unless a source covers it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from domain import Candidate, Question, Status
from pipeline.phrases import say
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.pages import pages, refresh_queue
from store.questions import answers, state
from store.questions.new_questions import NewQuestion
from store.sql.tables import CandidateRow, LinkRow, PageRow, PrivateReadRow, QuestionRow
from tests.fakes import HashingEmbedder
from tests.logged_site import LoggedSite, served
from tests.workers.crawl.one_candidate import add, read_one, row_of, work
from text.sentences import quoted
from workers import deletion, indexing
from workers.crawl import read_candidate, seek
from workers.questions import lookup, submit
from workers.services import Services
from workers.settings import load

BUILT = "The lighthouse of Vierburg was built in 1874 by Robert Tallis, and its lamp is lit at dusk every evening."
FACT = '{"@context": "https://schema.org", "@type": "Person", "name": "Robert Tallis", "birthDate": "1831-02-03"}'
PAGE = (
    f"<html lang=en><title>Robert Tallis</title><script type='application/ld+json'>{FACT}</script>"
    f"<main><h1>Vierburg</h1><p>{BUILT}</p><p><a href='/lamp'>The lamp of the lighthouse</a></p></main></html>"
)
QUESTION = "When was the lighthouse of Vierburg built?"


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    with served({"/": PAGE}) as running:
        hosts = (running.origin.removeprefix("http://"),)
        services.__dict__.update(
            embedder=HashingEmbedder(),
            settings=services.settings.model_copy(update={"allow_hosts": hosts, "min_delay_s": 0.0}),
        )
        yield running


def asked(services: Services, site: LoggedSite | None, *, private: bool, path: str = "/") -> Question:
    sites = (f"{site.origin}{path}",) if site else ()
    question, _ = submit.submit(services, NewQuestion(text=QUESTION, sites=sites, private=private, reuse=False))
    return question


def anyone(services: Services) -> Question:
    return asked(services, None, private=False)


def read_for(services: Services, question: Question, site: LoggedSite, path: str = "/") -> int:
    """Read a page for a question, as its crawl would, and embed it."""
    with services.database.write() as session:
        row = state.lock(session, question.id)
        assert row is not None
        state.advance(session, row, Status.READING, services.now())
    return finish(services, add(services, f"{site.origin}{path}", question.id))


def refresh(services: Services, url: str) -> None:
    """Read a page again, as it is due."""
    due = Candidate(url=url, origin=refresh_queue.ORIGIN)
    with services.database.write() as session:
        (id,) = candidates.add(session, None, [due], wave=0, status=CandidateStatus.WAITING, now=services.now())
        page_id = session.scalars(select(PageRow.id).where(PageRow.url == url)).one()
    read_candidate.read(services, id)
    with services.database.read() as session:
        assert session.get(CandidateRow, id) is None
    indexing.embed(services, page_id)


def finish(services: Services, candidate: int) -> int:
    work(services, candidate, until=lambda row: row.status == "SETTLED")
    page_id = row_of(services, candidate).page_id
    assert page_id is not None
    indexing.embed(services, page_id)
    return page_id


def found(services: Services, question: Question) -> set[int]:
    return {hit.passage.page_id for hit in lookup.first_pass(services, question).hits}


def links_seen(services: Services, question: Question) -> list[str]:
    return [known.link.url for known in services.read(seek._known, question, services.now(), ()).links]


def test_page_that_was_read_for_a_named_site_serves_that_question_alone(services: Services, site: LoggedSite) -> None:
    first = asked(services, site, private=True)
    page_id = read_for(services, first, site)
    assert found(services, first) == {page_id}
    assert found(services, anyone(services)) == set()
    assert found(services, asked(services, site, private=True)) == set()
    assert lookup.first_pass(services, first).answer is not None
    assert lookup.first_pass(services, anyone(services)).answer is None
    with services.database.read() as session:
        assert pages.count(session) == 0


def test_another_question_reads_the_page_as_if_it_were_new(services: Services, site: LoggedSite) -> None:
    page_id = read_for(services, asked(services, site, private=True), site)
    second = asked(services, site, private=True)
    assert read_for(services, second, site) == page_id
    assert site.paths(status=200) == ["/", "/"]  # how lately it was read, and that it is unchanged, says who asks what
    (read,) = services.read(candidates.of_question, second.id)
    assert (read.outcome, read.news) == ("read", True)
    assert found(services, second) == {page_id}
    assert found(services, anyone(services)) == set()


@pytest.mark.parametrize("how", ["source", "source later", "operator reads it", "open question", "setting"])
def test_page_serves_everyone_where_more_than_an_ask_key_chose_it(
    services: Services, site: LoggedSite, how: str
) -> None:
    if how == "source":
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
    if how == "setting":
        settings = services.settings.model_copy(update={"named_sites": "everyone"})
        services.__dict__["settings"] = settings
    page_id = read_for(services, asked(services, site, private=True), site)
    if how == "source later":
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
    if how == "operator reads it":
        assert read_one(services, f"{site.origin}/").news
    if how == "open question":
        read_for(services, asked(services, site, private=False), site)
    indexing.embed(services, page_id)
    assert found(services, anyone(services)) == {page_id}
    assert links_seen(services, asked(services, site, private=True)) == [f"{site.origin}/lamp"]
    with services.database.read() as session:
        assert pages.count(session) == 1


def test_public_page_stays_public_when_a_private_question_reads_it(services: Services, site: LoggedSite) -> None:
    page_id = read_for(services, asked(services, site, private=False), site)
    read_for(services, asked(services, site, private=True), site)
    assert found(services, anyone(services)) == {page_id}


@pytest.mark.parametrize("private", [False, True])
def test_page_that_moved_stays_what_it_was(services: Services, site: LoggedSite, private: bool) -> None:
    first = asked(services, site, private=private)
    read_for(services, first, site)
    site.pages["/there"] = PAGE.replace("dusk", "nightfall")
    site.moved["/"] = "/there"
    refresh(services, f"{site.origin}/")
    with services.database.read() as session:
        moved = session.scalars(select(PageRow).where(PageRow.url == f"{site.origin}/there")).one()
    indexing.embed(services, moved.id)
    assert found(services, anyone(services)) == (set() if private else {moved.id})
    assert found(services, first) == {moved.id}


def test_source_covers_no_longer_name(services: Services, site: LoggedSite) -> None:
    site.pages["/library"] = PAGE
    submit.add_source(services, f"{site.origin}/lib", own=True, min_delay_s=0.0)
    first = asked(services, site, private=True, path="/library")
    page_id = read_for(services, first, site, "/library")
    assert found(services, anyone(services)) == set()
    assert found(services, first) == {page_id}


def test_question_still_sees_its_pages_when_it_starts_again(services: Services, site: LoggedSite) -> None:
    first = asked(services, site, private=True)
    page_id = read_for(services, first, site)
    with services.database.write() as session:
        row = state.lock(session, first.id)
        assert row is not None
        state.advance(session, row, Status.FAILED, services.now())
    again = submit.replay(services, first.id)
    with services.database.read() as session:
        assert candidates.of_question(session, first.id) == []
    assert found(services, again) == {page_id}
    assert links_seen(services, again) == [f"{site.origin}/lamp"]


def test_links_and_news_of_a_private_page_steer_no_other_question(services: Services, site: LoggedSite) -> None:
    before = services.now()
    first, second = asked(services, site, private=True), asked(services, site, private=True)
    read_for(services, first, site)
    assert links_seen(services, first) == [f"{site.origin}/lamp"]
    assert links_seen(services, second) == []
    with services.database.read() as session:
        known = {id: seek._known(session, question, services.now(), ()) for id, question in ((1, first), (2, second))}
        news = [answers.read_since(session, before, session.get_one(QuestionRow, id)) for id in (first.id, second.id)]
    assert [f"{site.origin}/" in known[id].seen for id in (1, 2)] == [True, False]
    assert news == [True, False]


def test_sitemap_that_was_read_for_a_private_question_is_read_again_for_another(
    services: Services, site: LoggedSite
) -> None:
    site.pages["/sitemap.xml"] = f"<urlset><url><loc>{site.origin}/keeper</loc></url></urlset>"
    first, second = asked(services, site, private=True), asked(services, site, private=True)
    with services.database.write() as session:
        row = state.lock(session, first.id)
        assert row is not None
        state.advance(session, row, Status.READING, services.now())
        listed = Candidate(url=f"{site.origin}/sitemap.xml", kind="sitemap")
        (id,) = candidates.add(session, first.id, [listed], wave=0, status=CandidateStatus.WAITING, now=services.now())
    work(services, id, until=lambda row: row.status == "SETTLED")
    known = {each.id: services.read(seek._known, each, services.now(), ()) for each in (first, second)}
    assert [link.link.url for link in known[first.id].links] == [f"{site.origin}/keeper"]
    assert (known[second.id].links, known[first.id].sitemaps) == ((), ())
    assert known[second.id].sitemaps == (f"{site.origin}/sitemap.xml",)


def test_facts_and_names_of_a_private_page_lead_its_question_alone(services: Services, site: LoggedSite) -> None:
    first = asked(services, site, private=True)
    read_for(services, first, site)
    graphs = [lookup.tools_for(services, question).graph for question in (first, anyone(services))]
    assert [bool(graph and graph.facts_about(["robert tallis"])) for graph in graphs] == [True, False]
    assert [bool(graph and graph.pages_named(["robert tallis"])) for graph in graphs] == [True, False]


def test_private_page_stands_for_no_other_and_none_for_it(services: Services, site: LoggedSite) -> None:
    site.pages["/a/longer/name"] = PAGE
    first = asked(services, site, private=True)
    private_page = read_for(services, first, site)
    public_page = finish(services, add(services, f"{site.origin}/a/longer/name"))
    assert public_page != private_page
    assert found(services, anyone(services)) == {public_page}
    assert found(services, first) == {public_page, private_page}
    read_one(services, f"{site.origin}/")
    indexing.embed(services, private_page)
    indexing.embed(services, public_page)
    assert found(services, anyone(services)) == {private_page}  # now it is public, and its address the shorter one


def test_equal_private_questions_share_no_answer(services: Services, site: LoggedSite) -> None:
    def ask(private: bool) -> Question:
        new = NewQuestion(text=QUESTION, sites=(f"{site.origin}/",), private=private)
        return submit.submit(services, new)[0]

    assert [ask(True).status for _ in range(2)] == [Status.ASKED, Status.ASKED]
    assert [ask(False).status for _ in range(2)] == [Status.ASKED, Status.FOLLOWING]


def test_question_is_private_if_an_ask_key_names_sites(services: Services, site: LoggedSite) -> None:
    assert not anyone(services).private
    assert not asked(services, None, private=True).private
    assert asked(services, site, private=True).private
    submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
    assert asked(services, site, private=True, path="/docs").private  # a source may lead out of itself
    assert not asked(services, site, private=False, path="/docs").private
    assert load().named_sites == "question"


def test_page_that_a_source_leads_to_is_public_only_if_a_source_covers_it(services: Services, site: LoggedSite) -> None:
    submit.add_source(services, f"{site.origin}/known/", own=True, min_delay_s=0.0)
    site.pages.update({"/lie": PAGE, "/known/tower": PAGE.replace("dusk", "nightfall")})
    site.moved.update({"/known/out": "/lie", "/in": "/known/tower"})
    first = asked(services, site, private=True, path="/")
    lie = read_for(services, first, site, "/known/out")
    assert found(services, anyone(services)) == set()
    assert found(services, first) == {lie}
    second = asked(services, site, private=True, path="/")
    tower = read_for(services, second, site, "/in")
    assert found(services, anyone(services)) == {tower}


@pytest.mark.parametrize("later", [False, True], ids=["was read as a redirect", "became one"])
def test_deleted_page_takes_what_led_to_it_with_it(services: Services, site: LoggedSite, later: bool) -> None:
    first = asked(services, site, private=True)
    site.pages["/there"] = PAGE.replace("dusk", "nightfall")
    if later:
        read_for(services, first, site)
    site.moved["/"] = "/there"
    if later:
        refresh(services, f"{site.origin}/")
    else:
        read_for(services, first, site)
    with services.database.write() as session:
        question = session.get_one(QuestionRow, first.id)
        question.crawl_reason = "Nearest are “Robert Tallis” and others."
        page_id = session.scalars(select(PageRow.id).where(PageRow.url == f"{site.origin}/there")).one()
    assert deletion.delete_pages(services, [page_id]) == 1 + later
    with services.database.read() as session:
        for table in (LinkRow, PrivateReadRow, CandidateRow):
            assert session.scalars(select(table)).all() == []
        assert session.get_one(QuestionRow, first.id).crawl_reason is None
        assert [row.text for row in session.scalars(select(PageRow))] == [""] * (1 + later)


@pytest.mark.parametrize("lang", ["en", "de", "fr"])
def test_deleted_page_is_no_longer_named_as_a_reason_in_any_language(
    services: Services, site: LoggedSite, lang: str
) -> None:
    page_id = read_for(services, asked(services, site, private=True), site)
    other = anyone(services)
    with services.database.write() as session:
        reason = say("near_but", lang, titles=quoted("Robert Tallis", lang))
        session.get_one(QuestionRow, other.id).crawl_reason = reason
    deletion.delete_pages(services, [page_id])
    with services.database.read() as session:
        assert session.get_one(QuestionRow, other.id).crawl_reason is None


def test_deleted_page_leaves_a_page_with_the_same_text_alone(services: Services, site: LoggedSite) -> None:
    twice = PAGE.replace("every evening", "every single evening")
    site.pages.update({"/one": twice, "/two": twice})
    for path in ("/one", "/two"):
        read_for(services, asked(services, site, private=False, path=path), site, path)
    with services.database.read() as session:
        ids = list(session.scalars(select(PageRow.id).order_by(PageRow.id)))
    deletion.delete_pages(services, ids[:1])
    with services.database.read() as session:
        assert {row.from_url for row in session.scalars(select(LinkRow))} == {f"{site.origin}/two"}
        assert session.get_one(PageRow, ids[1]).text
