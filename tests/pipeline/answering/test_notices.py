"""Test what an answer says of the age of its pages, and of documents that were read in part."""

from dataclasses import replace
from datetime import UTC, datetime

from domain import Answer, CitedPage, Hit
from pipeline.answering.compose import compose
from pipeline.answering.notices import outdated_notice, partly_read_notice
from pipeline.question.analysis import analyse_question
from tests.fakes import passage


def answer_of(published: datetime | None = None) -> Answer:
    of_one_page = replace(passage("The lighthouse of Vierburg was built in 1874."), published=published)
    hit = Hit(passage=of_one_page, score=0.9, scale="rerank", rank=1)
    answer = compose(analyse_question("When was the lighthouse of Vierburg built?"), [hit], confidence=0.8)
    assert answer is not None
    return answer


def test_answer_of_pages_older_than_asked_says_so() -> None:
    answer = answer_of(datetime(2011, 4, 1, tzinfo=UTC))
    assert outdated_notice(answer, datetime(2020, 1, 1, tzinfo=UTC), "en") == (
        "Older than asked for: [1] (published 2011-04-01)."
    )
    assert outdated_notice(answer, datetime(2020, 1, 1, tzinfo=UTC), "de").startswith("Älter als gewünscht: [1]")
    assert outdated_notice(answer, datetime(2010, 1, 1, tzinfo=UTC), "en") == ""
    assert outdated_notice(answer, None, "en") == ""


def test_answer_of_a_document_that_was_read_in_part_says_so() -> None:
    answer = answer_of()
    page = CitedPage(title="", headings=(), places=(), published=None, modified=None, seen_at=datetime.now(UTC))
    cited = {answer.citations[0].page_id: replace(page, missing=("2 charts", "pages 501 to 700"))}
    assert partly_read_notice(answer, cited, "en") == "Read only in part: [1] (− 2 charts, pages 501 to 700)."
    assert partly_read_notice(answer, cited, "de").startswith("Nur zum Teil gelesen: [1]")
    assert partly_read_notice(answer, dict.fromkeys(cited, page), "en") == ""
