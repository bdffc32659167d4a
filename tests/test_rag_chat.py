"""Run the scenarios of the design document on retry and crawl: ``python tests/test_rag_chat.py``.

Every phase runs in this process with the document's settings and the bundled embedder; the web is on loopback and there
is no model. Run as a script, it prints what happened.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import structlog

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # else tests/pipeline hides the real pipeline

from domain import Status
from domain.record import Record
from tests.one_process import one_process

#: document 1 has neither multi-query nor merging by title
SETTINGS = {"profile": "documents", "enhancements": "-multi_query,-by_title"}
HEADQUARTERS = "What is Microsoft's headquarters?"
STARTUP = "Who is the CEO of XYZ Startup founded yesterday?"
#: the bus is near enough to a paraphrase, not to the question
KNOWN = {
    "Microsoft's main office": "Microsoft's main office is located at One Microsoft Way, Redmond, Washington.",
    "Bus 545": "The bus ends at One Microsoft Way, in front of the main office.",
    "Rye bread": "A dough of rye rests overnight before it is baked.",
    "Lighthouses": "The keeper of the lighthouse trims the wick every evening.",
}
STARTUP_SITE = {
    "/about": "<html lang=en><title>XYZ Startup</title><p>XYZ Startup was founded yesterday and makes lamps. The CEO "
    "of XYZ Startup is Ada Brandt.</p></html>",
    "/team": "<html lang=en><title>The team of XYZ Startup</title><p>XYZ Startup has a team of three: Ada Brandt, who "
    "founded it yesterday, Bo Lind and Cy Moor.</p></html>",
}


def test_question_that_two_good_hits_answer_ends_in_phase_one() -> None:
    with one_process(**SETTINGS) as process:
        process.know(KNOWN | {"Microsoft's address": "The address of Microsoft's headquarters is One Microsoft Way."})
        record = process.ask(HEADQUARTERS)
    show("Phase 1: two passages reach .7", record)
    assert record.status == Status.ANSWERED
    assert not record.retry_attempted
    assert record.paraphrased_queries == ()


def test_scenario_one_the_retry_succeeds_without_crawling() -> None:
    with one_process(**SETTINGS) as process:
        process.know(KNOWN)
        record = process.ask(HEADQUARTERS)
    show("Scenario 1: one passage reaches .7, and a paraphrase finds another", record)
    assert record.status == Status.ANSWERED
    assert record.retry_attempted
    assert len(record.paraphrased_queries) == 3
    assert not record.online_search_triggered
    assert "One Microsoft Way, Redmond" in record.answer


def test_scenario_two_a_page_on_the_web_is_read_and_answers() -> None:
    with one_process(STARTUP_SITE, **SETTINGS) as process:
        process.know(KNOWN)
        record = process.ask(STARTUP)
    show("Scenario 2: nothing is near; the web is read", record)
    assert record.status == Status.ANSWERED
    assert record.retry_attempted
    assert record.online_search_triggered
    assert record.crawl_reason
    assert "Ada Brandt" in record.answer


def test_with_crawling_off_what_no_page_says_is_not_answered() -> None:
    with one_process(STARTUP_SITE, **SETTINGS) as process:
        process.know(KNOWN)
        record = process.ask(STARTUP, crawl_enabled=False)
    show("Scenario 2 with crawling off", record)
    assert record.status == Status.ABSTAINED
    assert not record.online_search_triggered


def show(scenario: str, record: Record) -> None:
    """Print what happened to a question."""
    steps = [f"{timing.step} {timing.seconds:.2f} s" for timing in record.timings]
    lines = {
        "question": record.question,
        "phases": " → ".join(steps),
        "paraphrases": "; ".join(record.paraphrased_queries) or "none",
        "crawl": record.crawl_reason or "none",
        "verdict": record.verdict.reason if record.verdict else "none",
        record.status: record.answer,
    }
    print(f"\n{scenario}", *(f"  {name:12} {said}" for name, said in lines.items()), sep="\n")


def run(*scenarios: Callable[[], None]) -> None:
    """Run the scenarios one after the other; an error stops them."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    for scenario in scenarios:
        scenario()
    print(f"\n{len(scenarios)} scenarios went as expected.")


if __name__ == "__main__":
    run(
        test_question_that_two_good_hits_answer_ends_in_phase_one,
        test_scenario_one_the_retry_succeeds_without_crawling,
        test_scenario_two_a_page_on_the_web_is_read_and_answers,
        test_with_crawling_off_what_no_page_says_is_not_answered,
    )
