"""The whole profile of the design documents on bundled pages, with the bundled embedder and without a model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain import Status
from evals.sets.beir import SHIPPED, read_set
from tests.one_process import Process, one_process

#: pages of the bundled set, each cut after four passages
TITLES = ("Harvard University", "Yuan dynasty", "Force")


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    passages = read_set(SHIPPED / "squad2-part").passages
    texts = {title: [each.text for each in passages if each.title == title] for title in TITLES}
    with one_process(profile="documents") as process:
        process.know({title: "\n\n".join(of_title[:4]) for title, of_title in texts.items()})
        yield process


def test_question_that_the_pages_answer_is_answered_in_phase_one(process: Process) -> None:
    record = process.ask("Who founded the Yuan?")
    look = process.lookups(record)["retrieve"]
    assert record.status == Status.ANSWERED
    assert record.answer.startswith("The dynasty was established by Kublai Khan")
    assert not record.retry_attempted
    assert record.verdict is not None
    assert record.verdict.judge == "document"
    assert record.verdict.confidence >= 0.7
    assert len(look["queries"]) == 3  # multi-query
    assert len(record.context) <= 5
    assert {hit.url for hit in record.context} == {"https://known.example/Yuan-dynasty"}  # merged by title


def test_question_on_a_subject_that_is_known_goes_to_phase_two_and_not_to_the_web_where_that_is_off(
    process: Process,
) -> None:
    record = process.ask("How large is the endowment?", crawl_enabled=False)
    retrieve, retry = process.lookups(record).values()
    assert record.status == Status.ABSTAINED
    assert record.retry_attempted
    assert len(record.paraphrased_queries) == 3
    assert (len(retrieve["queries"]), len(retry["queries"])) == (3, 4)
    assert retrieve["verdict"]["reason"].endswith("2 are needed.")


def test_what_no_page_is_about_is_not_answered(process: Process) -> None:
    record = process.ask("Why do cats purr?", crawl_enabled=False)
    assert record.status == Status.ABSTAINED
    assert record.citations == ()
    assert record.verdict is not None
    assert record.verdict.reason.startswith("0 of")
    assert record.verdict.confidence < 0.5
