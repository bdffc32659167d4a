"""Phase 2 of the design document on retry and crawl: ``python tests/test_paraphrasing.py``.

Paraphrases are made, twice the hits are asked for, and repeated URLs go. The bundled embedder and the rules that make
paraphrases without a model do the work. Run as a script, it prints what happened.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # else tests/pipeline hides the real pipeline

from domain import Status
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import make_variants
from tests.one_process import one_process
from tests.test_rag_chat import HEADQUARTERS, KNOWN, SETTINGS, run, show

#: of the document, with what each of its paraphrases is about
EXAMPLES = {
    HEADQUARTERS: ("main office", "headquarters"),
    "Who is the CEO of XYZ Startup founded yesterday?": ("which person", "ceo xyz startup"),
}


def test_two_to_three_paraphrases_are_made_of_the_documents_questions() -> None:
    for question, about in EXAMPLES.items():
        made = [variant.text for variant in make_variants(analyse_question(question))]
        print(f"\n{question}", *(f"  {text}" for text in made), sep="\n")
        assert 2 <= len(made) <= 3
        assert question not in made
        for words in about:
            assert any(words in text.casefold() for text in made)


def test_paraphrases_find_what_the_question_does_not_and_each_url_once() -> None:
    with one_process(**SETTINGS) as process:
        process.know(KNOWN)
        record = process.ask(HEADQUARTERS)
        retrieve, retry = process.lookups(record).values()
    show("The retry asks in other words", record)
    found = {each["query"]: each["hits"] for each in retry["before_fusion"]}
    print(*(f"  {hits} hits       {query}" for query, hits in found.items()), sep="\n")
    print(f"  {sum(found.values())} hits of {len(found)} queries → {retry['kept']['found']} unique URLs")
    assert list(found) == [HEADQUARTERS, *record.paraphrased_queries]
    assert sum(found.values()) == 4 * len(KNOWN)
    assert retry["kept"]["found"] == len(KNOWN)
    assert retrieve["verdict"]["reason"].startswith("1 of 4")
    assert retry["verdict"]["reason"].startswith("2 of 4")


def test_retry_asks_for_twice_as_many_hits() -> None:
    pages = {f"Note {at}": f"Note {at} is about lamps of lighthouse number {at}." for at in range(25)}
    with one_process(**SETTINGS) as process:
        process.know(pages)
        for task, first, second in (("general", 5, 10), ("debugging", 8, 16)):
            record = process.ask("Which lighthouse has bananas?", crawl_enabled=False, strategy=task)
            kept = {step: look["kept"]["found"] for step, look in process.lookups(record).items()}
            print(f"\n{task}: {kept}")
            assert record.status == Status.ABSTAINED
            assert kept == {"retrieve": first, "retry": second}


if __name__ == "__main__":
    run(
        test_two_to_three_paraphrases_are_made_of_the_documents_questions,
        test_paraphrases_find_what_the_question_does_not_and_each_url_once,
        test_retry_asks_for_twice_as_many_hits,
    )
