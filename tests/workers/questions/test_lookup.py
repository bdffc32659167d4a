"""What a look lets out: how old its pages may be, and of when they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from domain import PageText, Question, Status, Validators
from pipeline.abstain import abstention
from store.pages import index_queue, pages
from store.questions import answers, new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import PageRow
from tests.fakes import HashingEmbedder
from workers import indexing
from workers.questions import lookup, transitions
from workers.questions.transitions import context_of
from workers.services import Services

TEXT = "When was the lighthouse of Vierburg built?"
BUILT = "The lighthouse of Vierburg was built in {}."
OLD, NEW = datetime(2011, 4, 1, tzinfo=UTC), datetime(2023, 9, 1, tzinfo=UTC)
DAY_S = 86_400


@pytest.fixture
def reading(services: Services) -> Services:
    services.__dict__["embedder"] = HashingEmbedder()
    return services


def put(
    services: Services,
    text: str,
    *,
    at: datetime | None = None,
    published: datetime | None = None,
    modified: datetime | None = None,
) -> int:
    page = PageText(title="Vierburg", text=text, lang="en", published=published, modified=modified)
    page_id, _ = services.write(
        pages.save,
        url=f"https://e.org/{abs(hash(text))}",
        host="https://e.org",
        page=page,
        content_hash=text,
        validators=Validators(),
        depth=0,
        now=at or services.now(),
    )
    indexing.embed(services, page_id)
    return page_id


def ask(
    services: Services, *, max_age_s: int | None = None, sites: tuple[str, ...] = (), langs: tuple[str, ...] = ()
) -> Question:
    new = NewQuestion(text=TEXT, max_age_s=max_age_s, sites=sites, langs=langs)
    question, _ = services.write(new_questions.ask, new, services.now())
    return question


@pytest.mark.parametrize(
    ("sites", "langs", "found"),
    [
        (("https://e.org/",), (), True),
        (("http://e.org/",), (), True),  # the one led to the other
        (("https://other.org/",), (), False),
        ((), ("en", "de"), True),
        ((), ("de",), False),
    ],
)
def test_answer_comes_from_the_sites_and_languages_that_were_asked_for(
    reading: Services, sites: tuple[str, ...], langs: tuple[str, ...], *, found: bool
) -> None:
    put(reading, BUILT.format(1874))
    assert bool(lookup.first_pass(reading, ask(reading, sites=sites, langs=langs)).hits) is found


def test_abstention_says_how_many_pages_of_which_sites_were_searched_and_how_many_wait(reading: Services) -> None:
    page_id = put(reading, BUILT.format(1874))

    def said(site: str, *langs: str) -> str:
        return abstention(lookup.first_pass(reading, ask(reading, sites=(site,), langs=langs))).text

    assert "Pages searched: 0. No passage" in said("https://e.org/", "de")
    assert "Pages searched: 0. No passage" in said("https://other.org/")
    searched = reading.read(index_queue.searched, "")
    assert (searched.pages, searched.hosts) == (1, ("e.org",))
    with reading.database.write() as session:
        session.get_one(PageRow, page_id).state = "FETCHED"
    assert "Pages that still wait to be indexed: 1; ask again soon." in said("https://e.org/", "de")
    assert "wait to be indexed" not in said("https://other.org/")


def test_page_read_too_long_ago_does_not_count_until_it_is_seen_to_say_the_same(reading: Services) -> None:
    now = reading.now()
    page_id = put(reading, BUILT.format(1874), at=now - timedelta(days=7))
    question = ask(reading, max_age_s=DAY_S)
    assert lookup.first_pass(reading, question).hits == ()
    assert lookup.first_pass(reading, ask(reading)).hits
    reading.write(pages.mark_unchanged, page_id, now)
    answer = lookup.first_pass(reading, question).answer
    assert answer is not None
    assert answer.citations[0].read_at == now


def test_page_that_the_questions_own_crawl_read_counts_to_its_end(reading: Services) -> None:
    now = reading.now()
    put(reading, BUILT.format(1874), at=now - timedelta(seconds=90))
    question = ask(reading, max_age_s=60)
    assert lookup.final_pass(reading, question).hits == ()
    assert lookup.final_pass(reading, replace(question, crawl_started_at=now - timedelta(seconds=100))).hits


def test_citation_says_when_its_page_was_published_changed_and_seen(reading: Services) -> None:
    put(reading, BUILT.format(1874), published=OLD, modified=NEW)
    answer = lookup.first_pass(reading, ask(reading)).answer
    assert answer is not None
    (citation,) = answer.citations
    assert (citation.published, citation.modified) == (OLD, NEW)
    assert citation.read_at is not None


def test_answer_of_a_page_published_before_what_was_asked_for_says_so(reading: Services) -> None:
    put(reading, BUILT.format(1874), published=OLD)
    recent, whenever = (lookup.first_pass(reading, ask(reading, max_age_s=age)).answer for age in (DAY_S, None))
    assert recent is not None
    assert recent.notice == "Older than asked for: [1] (published 2011-04-01)."
    assert whenever is not None
    assert whenever.notice == ""


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("Which enzyme unwinds DNA during replication?", False),
        ("What is the capital of Mongolia?", False),
        ("Who designed the lighthouse of Vierburg?", True),
        ("Wie hoch ist der Leuchtturm von Vierburg?", True),
    ],
)
def test_provisional_answer_quotes_a_page_on_the_subject_alone(
    services: Services, question: str, is_shown: bool
) -> None:
    put(services, BUILT.format(1874))
    asked = replace(ask(services), text=question)
    move = transitions.after_second_pass(asked, lookup.second_pass(services, asked))
    assert move.to is Status.SEEKING
    assert move.answer is not None
    assert ("1874" in move.answer.text) == bool(move.answer.citations) == is_shown


def test_provisional_answer_counts_while_its_pages_still_say_it(reading: Services) -> None:
    page_id = put(reading, BUILT.format(1874))
    question = ask(reading)
    assert lookup.earlier_answer(reading, question) is None
    result = lookup.first_pass(reading, question)
    assert result.answer is not None
    with reading.database.write() as session:
        context = context_of(result.context)
        answers.add(
            session,
            question.id,
            result.answer,
            verdict=result.verdict,
            context=context,
            final=False,
            now=reading.now(),
        )
    earlier = lookup.earlier_answer(reading, question)
    assert earlier is not None
    assert (earlier.answer.text, earlier.verdict, earlier.context) == (
        result.answer.text,
        result.verdict,
        tuple(context),
    )
    with reading.database.write() as session:
        session.get_one(PageRow, page_id).text = "The lighthouse is gone."
    assert lookup.earlier_answer(reading, question) is None


def test_citation_names_the_heading_above_its_quote_where_a_passage_holds_several(reading: Services) -> None:
    heads = ("Boats", "Lighthouse", "Crane")
    said = ("Two boats wait in the harbour.", BUILT.format(1874), "The crane was sold.")
    text = "\n\n".join(f"{head}\n\n{sentence}" for head, sentence in zip(heads, said, strict=True))
    page = PageText(title="Vierburg", text=text, lang="en", headings=tuple((text.index(head), head) for head in heads))
    with reading.database.write() as session:
        page_id, _ = pages.save(
            session, url="https://e.org/v", host="h", page=page, content_hash=text, validators=Validators(), depth=0,
            now=reading.now(),
        )  # fmt: skip
    indexing.embed(reading, page_id)

    found = lookup.first_pass(reading, ask(reading))
    assert [hit.passage.title for hit in found.context] == ["Vierburg › Crane"]  # one passage holds all three
    assert found.answer is not None
    (cited,) = [cited for cited in found.answer.citations if "1874" in cited.quote]
    assert (cited.quote, cited.title) == (said[1], "Vierburg › Lighthouse")


def test_each_lookup_logs_its_figures_and_no_words(reading: Services) -> None:
    put(reading, BUILT.format(1874))
    question = ask(reading)
    for look_up in (lookup.first_pass, lookup.second_pass, lookup.final_pass):
        with structlog.testing.capture_logs() as logged:
            result = look_up(reading, question)
        (line,) = [each for each in logged if each["event"] == "looked_up"]
        assert result.cutoff is not None
        assert (line["log_level"], line["question"]) == ("info", question.id)
        assert (line["chunks_retrieved"], line["stop_reason"]) == (len(result.hits), result.cutoff.stop_reason)
        assert (line["sufficient"], line["confidence"]) == (True, round(result.verdict.confidence, 3))
        assert line["seconds"] > 0
        assert not [word for word in ("lighthouse", "Vierburg", "1874") if word in str(line)]
