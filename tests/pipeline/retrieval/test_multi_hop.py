"""Names lead from the question and its hits to other pages [_graph_retrieve, _build_expansion_queries].

The design document names the two methods and says that its expansion queries are narrow and use plain retrieval; it
gives no formula. Built and held here: a name is looked up, what the question still lacks chooses among the passages it
leads to, and a name that is everywhere leads nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Fact, Hit, KnownName, Passage, Scope, StatedFact
from pipeline.question.analysis import analyse_question
from pipeline.retrieval.multi_hop import (
    AGREED,
    BACK,
    MAX_FACTS,
    NAMED,
    PER_NAME,
    Graph,
    expand,
    find_facts,
    specificity,
)
from pipeline.retrieval.retrieve import Vectors
from tests.fakes import HashingEmbedder, passage
from tests.tables import each_row
from text.names import name_key, names_of, proper_nouns
from text.terms import stop_words

EMBEDDER = HashingEmbedder()
FILM = passage(
    "Maximum Overdrive is a film. It was written by Stephen King.", page_id=1, title="Maximum Overdrive (film)"
)
KING = passage("He was born in Portland and directed it himself.", page_id=2, title="Stephen King")
TRUCK = passage("A truck film of the time: a film about trucks.", page_id=3, title="Trucks")
SHOOT = passage("Leland is a town where Maximum Overdrive was shot.", page_id=4, title="Leland, North Carolina")
OTHER = passage("Bread is baked in ovens.", page_id=5, title="Bread")
PAGES = (FILM, KING, TRUCK, SHOOT, OTHER)


@dataclass(frozen=True, kw_only=True)
class MemoryGraph:
    """A graph of a few passages, each a page of its own."""

    pages: Sequence[Passage] = PAGES
    mentions: int = 1
    asked: list[Scope] = field(default_factory=list)

    def pages_named(self, names: Collection[str]) -> Sequence[KnownName]:
        return [self._named(name) for name in sorted(self._names(names))]

    def mentioned_in(self, passage_ids: Collection[str]) -> Mapping[str, Sequence[KnownName]]:
        found = {}
        for page in self.pages:
            if page.id in passage_ids:
                named = [self._named(name) for name in sorted(self._names(_nouns(page)) - set(names_of(page.title)))]
                found[page.id] = named
        return found

    def mentioning(self, page_ids: Collection[int], *, most: int) -> Mapping[int, Sequence[KnownName]]:
        found: dict[int, list[KnownName]] = {}
        for page in self.pages:
            for name in names_of(page.title) if page.page_id in page_ids and self.mentions <= most else ():
                others = tuple(other.id for other in self.pages if other is not page and name in _nouns(other))
                if others:
                    found.setdefault(page.page_id, []).append(replace(self._named(name), passages=others))
        return found

    def nearest(
        self, vectors: Vectors, *, page_ids: Collection[int], ids: Collection[str], k: int, scope: Scope
    ) -> list[Hit]:
        self.asked.append(scope)
        named = [page for page in self.pages if page.page_id in page_ids or page.id in ids]
        return sorted((hit_on(page, vectors) for page in named), key=lambda hit: -hit.score)[:k]

    def _names(self, names: Collection[str]) -> set[str]:
        return {name for page in self.pages for name in names_of(page.title) if name in names}

    def _named(self, name: str) -> KnownName:
        pages = tuple(page.page_id for page in self.pages if name in names_of(page.title))
        return KnownName(name=name, pages=pages, mentions=self.mentions, among=1000)


def _nouns(page: Passage) -> tuple[str, ...]:
    return proper_nouns(page.text, empty=stop_words("en"))


def hit_on(page: Passage, vectors: Vectors, score: float | None = None, rank: int = 1) -> Hit:
    similarity = float(EMBEDDER.embed([f"{page.title}\n{page.text}"])[0] @ vectors[0])
    return Hit(
        passage=page, score=similarity if score is None else score, scale="minmax", rank=rank, similarity=similarity
    )


def follow(
    question: str,
    found: Sequence[tuple[Passage, float]],
    *,
    graph: Graph | None = None,
    facts: Sequence[StatedFact] = (),
) -> list[Hit]:
    memory = graph or MemoryGraph()
    vectors = EMBEDDER.embed([question])
    hits = [hit_on(page, vectors, score, rank) for rank, (page, score) in enumerate(found, start=1)]
    return expand(
        analyse_question(question, "en"),
        vectors,
        hits,
        graph=memory,
        passages=memory,  # type: ignore[arg-type]
        scope=Scope(),
        facts=facts,
    )


def ids(hits: Sequence[Hit]) -> list[int]:
    return [hit.passage.page_id for hit in hits]


def test_a_page_that_the_best_hit_names_is_pulled_in() -> None:
    hits = follow("Where was the writer of Maximum Overdrive born?", [(FILM, 1.0), (OTHER, 0.4)])
    assert ids(hits)[:2] == [1, 2]
    assert hits[1].via == "graph"
    assert hits[1].scale == "minmax"


def test_a_page_that_the_question_names_is_pulled_in() -> None:
    hits = follow("Are Stephen King and Leland, North Carolina related?", [(OTHER, 0.9)])
    assert set(ids(hits)) >= {2, 4, 5}


def test_a_passage_that_names_the_best_hits_page_is_pulled_in_for_less() -> None:
    hits = follow("In which town was it shot?", [(FILM, 1.0)])
    back = next(hit for hit in hits if hit.passage is SHOOT)
    assert NAMED * BACK <= back.score <= BACK


def test_a_question_of_three_pages_takes_two_steps() -> None:
    hits = follow("Where was the writer of the film shot in Leland, North Carolina born?", [(SHOOT, 1.0)])
    assert ids(hits)[0] == 4
    assert {1, 2} <= set(ids(hits))


def test_the_first_hit_stays_first_and_none_is_scored_above_it() -> None:
    hits = follow("Who is Stephen King?", [(OTHER, 0.5), (KING, 0.5), (FILM, 0.49)])
    assert ids(hits)[0] == 5
    assert all(hit.score <= hits[0].score for hit in hits)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_a_hit_that_nothing_names_keeps_its_score() -> None:
    hits = follow("Who is Stephen King?", [(KING, 1.0), (OTHER, 0.37), (TRUCK, 0.2)])
    assert {hit.passage.page_id: hit.score for hit in hits if hit.via == ""} == {2: 1.0, 5: 0.37, 3: 0.2}


def test_both_scores_of_a_passage_add_up_to_the_larger_and_a_fifth_of_the_smaller() -> None:
    alone = follow("Where was the writer of Maximum Overdrive born?", [(FILM, 1.0)])
    both = follow("Where was the writer of Maximum Overdrive born?", [(FILM, 1.0), (KING, 0.3)])
    score = {hit.passage.page_id: hit.score for hit in alone}[2]
    assert {hit.passage.page_id: hit.score for hit in both}[2] == pytest.approx(min(1.0, score + AGREED * 0.3))


def test_a_name_mentioned_everywhere_counts_little() -> None:
    rare = follow("Where was its writer born?", [(FILM, 1.0)], graph=MemoryGraph(mentions=1))
    common = follow("Where was its writer born?", [(FILM, 1.0)], graph=MemoryGraph(mentions=1000))
    assert {h.passage.page_id: h.score for h in common}[2] < 0.4 * {h.passage.page_id: h.score for h in rare}[2]


def test_spread_is_the_root_of_the_idf_as_a_share_of_a_hapax() -> None:
    named = KnownName(name="x", pages=(1,), mentions=1, among=1000)
    assert specificity(named) == 1
    assert specificity(replace(named, mentions=1000)) == pytest.approx((np.log(2) / np.log(1001)) ** 0.5)
    assert specificity(replace(named, among=0)) <= 1


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(0, 10**6))
def test_more_mentions_never_count_for_more(one: int, other: int, among: int) -> None:
    low, high = sorted((one, other))
    spreads = [specificity(KnownName(name="x", pages=(1,), mentions=count, among=among)) for count in (high, low)]
    assert 0 <= spreads[0] <= spreads[1] <= 1


def test_of_a_names_many_passages_only_those_that_say_most_are_pulled_in() -> None:
    kings = [passage(f"Passage {at} of a long page.", page_id=10 + at, title="Stephen King") for at in range(6)]
    born = passage("The writer was born in Portland.", page_id=20, title="Stephen King")
    hits = follow("Where was its writer born?", [(FILM, 1.0)], graph=MemoryGraph(pages=(FILM, *kings, born)))
    assert len(hits) == 1 + PER_NAME
    assert ids(hits)[1] == 20


def test_a_name_within_a_longer_one_does_not_lead() -> None:
    long, short = (
        passage("A town.", page_id=4, title="Leland, North Carolina"),
        passage("A name.", page_id=6, title="Leland"),
    )
    hits = follow("What of Leland, North Carolina?", [(OTHER, 1.0)], graph=MemoryGraph(pages=(OTHER, long, short)))
    assert 4 in ids(hits)
    assert 6 not in ids(hits)


def test_without_a_hit_there_is_nothing_to_follow() -> None:
    assert follow("Who is Stephen King?", []) == []


def test_the_scope_of_the_question_holds_for_what_is_pulled_in() -> None:
    graph, scope = MemoryGraph(), Scope(sites=("https://example.org",))
    vectors = EMBEDDER.embed(["Stephen King"])
    expand(
        analyse_question("Who is Stephen King?", "en"),
        vectors,
        [hit_on(FILM, vectors, 1.0)],
        graph=graph,
        passages=graph,
        scope=scope,
    )
    assert set(graph.asked) == {scope}


def test_a_passage_that_states_a_fact_is_pulled_in_behind_the_first_hit() -> None:
    fact = Fact(subject="Bread", predicate="baked in", object="ovens", start=18, end=23)
    hits = follow("What is it?", [(TRUCK, 0.8), (FILM, 0.7)], facts=[StatedFact(fact=fact, page_id=5)])
    assert ids(hits)[:2] == [3, 5]
    assert hits[1].via == "fact"


def test_a_fact_without_a_span_is_pulled_in_by_its_object_and_one_stated_elsewhere_is_not() -> None:
    there = StatedFact(fact=Fact(subject="Bread", predicate="baked in", object="ovens"), page_id=5)
    elsewhere = StatedFact(fact=Fact(subject="Bread", predicate="costs", object="9 €"), page_id=5)
    assert ids(follow("What is it?", [(TRUCK, 0.8)], facts=[there])) == [3, 5]
    assert ids(follow("What is it?", [(TRUCK, 0.8)], facts=[elsewhere])) == [3]


def test_names_compare_as_the_store_keeps_them() -> None:
    assert name_key("Maximum Overdrive") in names_of(FILM.title)


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
