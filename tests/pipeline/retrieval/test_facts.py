"""A fact answers where its subject and its predicate stand in the question."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from domain import Fact, StatedFact
from pipeline.question.analysis import analyse_question
from pipeline.retrieval.multi_hop import MAX_FACTS, find_facts
from tests.tables import each_row
from text.names import name_key


class MemoryFacts:
    def __init__(self, *facts: Fact) -> None:
        self.facts = facts

    def facts_about(self, names: Collection[str]) -> Sequence[StatedFact]:
        return [StatedFact(fact=fact, page_id=1) for fact in self.facts if name_key(fact.subject) in names]


FACTS = MemoryFacts(
    Fact(subject="Ada Lovelace", predicate="Born", object="10 December 1815"),
    Fact(subject="Ada Lovelace", predicate="date published", object="1843"),
    Fact(subject="Ada Lovelace", predicate="Occupation", object="mathematician"),
    Fact(subject="ticket", predicate="Price", object="9 €"),
    Fact(subject="lru_cache", predicate="definition", object="Wraps a function with a memoizing callable."),
)


@each_row(
    ("question", "objects"),
    [
        ("When was Ada Lovelace born?", ["10 December 1815"]),
        ("What was the occupation of Ada Lovelace?", ["mathematician"]),
        ("When was Ada Lovelace's paper published?", ["1843"]),  # half of the predicate's words
        ("What is the price of a ticket?", ["9 €"]),  # a subject in lower case
        ("How much does a ticket cost?", ["9 €"]),  # a predicate in other words
        ("What is lru_cache?", ["Wraps a function with a memoizing callable."]),
        ("How fast is lru_cache?", []),  # asked for no definition
        ("Where did Ada Lovelace live?", []),  # nothing is stated of that
        ("When was Charles Babbage born?", []),  # stated of someone else
    ],
)
def test_a_fact_answers_when_its_subject_and_predicate_are_asked_for(question: str, objects: list[str]) -> None:
    assert [stated.fact.object for stated in find_facts(analyse_question(question, "en"), FACTS)] == objects


def test_no_question_gets_more_facts_than_it_can_use() -> None:
    many = MemoryFacts(*(Fact(subject="Ada", predicate="Born", object=str(at)) for at in range(20)))
    assert len(find_facts(analyse_question("When was Ada born?", "en"), many)) == MAX_FACTS
