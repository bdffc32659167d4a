"""Test learning which kinds of variant help which type of question."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Answer, Citation, Hit, Tally, Variant
from pipeline.question.variants import (
    KINDS,
    choose_variants,
    kinds_in_turn,
    order_kinds,
    posterior_mean,
    rewards,
)
from tests.fakes import passage

PARAPHRASE, SHIFT, KEYWORDS = KINDS
SEEDS = [str(at) for at in range(400)]
#: that explores nothing: most seeds do not
SEED = "0"

tallies = st.dictionaries(
    st.sampled_from(KINDS),
    st.integers(0, 50).flatmap(lambda n: st.builds(Tally, tried=st.just(n), rewarded=st.integers(0, n))),
)


def variant(kind: str, text: str) -> Variant:
    return Variant(kind=kind, text=text)  # type: ignore[arg-type]


def hit(page_id: int, *found_by: str) -> Hit:
    return Hit(passage=passage("text", page_id=page_id), score=1.0, scale="minmax", rank=1, found_by=found_by)


def answer(*page_ids: int) -> Answer:
    citations = tuple(
        Citation(marker=at, passage_id=f"{id}-0", page_id=id, url="", title="", quote="text", start=0, end=4)
        for at, id in enumerate(page_ids, start=1)
    )
    return Answer(text="text", sentences=(), citations=citations, confidence=0.9, composer="extractive")


@pytest.mark.parametrize(("tried", "rewarded", "mean"), [(0, 0, 0.5), (8, 8, 0.9), (8, 0, 0.1), (2, 1, 0.5)])
def test_worth_is_the_posterior_mean_of_a_uniform_prior(tried: int, rewarded: int, mean: float) -> None:
    assert posterior_mean(Tally(tried=tried, rewarded=rewarded)) == pytest.approx(mean)


def test_nothing_learned_keeps_the_documents_order() -> None:
    assert order_kinds({}, seed=SEED) == KINDS
    assert kinds_in_turn({}, seed=SEED) == KINDS * 2


def test_the_kind_that_earned_most_comes_first() -> None:
    learned = {PARAPHRASE: Tally(tried=10, rewarded=2), KEYWORDS: Tally(tried=10, rewarded=9)}
    assert order_kinds(learned, seed=SEED) == (KEYWORDS, SHIFT, PARAPHRASE)


def test_about_one_question_in_ten_explores_and_the_same_question_always_does() -> None:
    learned = {PARAPHRASE: Tally(tried=90, rewarded=80), SHIFT: Tally(tried=90), KEYWORDS: Tally(tried=90)}
    firsts = [order_kinds(learned, seed=seed)[0] for seed in SEEDS]
    assert firsts == [order_kinds(learned, seed=seed)[0] for seed in SEEDS]
    strayed = sum(kind != PARAPHRASE for kind in firsts) / len(firsts)
    assert 0.02 < strayed < 0.12  # a tenth explores, a third of that begins with the best all the same


def test_learning_finds_the_best_kind_of_a_simulated_type_of_question() -> None:
    chance, of = random.Random(7), {PARAPHRASE: 0.3, SHIFT: 0.2, KEYWORDS: 0.7}
    learned = dict.fromkeys(KINDS, Tally())
    for at in range(300):
        kind = order_kinds(learned, seed=str(at))[0]
        earned = chance.random() < of[kind]
        learned[kind] = Tally(tried=learned[kind].tried + 1, rewarded=learned[kind].rewarded + earned)
    assert max(learned, key=lambda kind: learned[kind].tried) == KEYWORDS


def test_a_kind_known_to_be_weak_gives_its_turn_up() -> None:
    weak = {PARAPHRASE: Tally(tried=40, rewarded=30), SHIFT: Tally(tried=40, rewarded=1), KEYWORDS: Tally(tried=9)}
    assert kinds_in_turn(weak, seed=SEED)[:3] == (
        PARAPHRASE,
        KEYWORDS,
        PARAPHRASE,
    )  # keywords are not known long enough


@given(tallies, st.text(max_size=8))
def test_every_kind_has_two_turns(learned: dict[str, Tally], seed: str) -> None:
    assert sorted(kinds_in_turn(learned, seed=seed)) == sorted(KINDS * 2)  # type: ignore[arg-type]


def test_variants_are_chosen_by_turn_and_then_as_they_stand() -> None:
    made = [variant(PARAPHRASE, "p1"), variant(SHIFT, "s1"), variant(PARAPHRASE, "p2"), variant(PARAPHRASE, "p3")]
    assert [v.text for v in choose_variants(made, 3, (SHIFT, KEYWORDS, PARAPHRASE))] == ["s1", "p1", "p2"]
    assert [v.text for v in choose_variants(made, 2)] == ["p1", "s1"]
    assert choose_variants(made, 0) == ()


def test_kind_is_rewarded_when_a_cited_passage_is_among_its_first_hits() -> None:
    variants = (variant(PARAPHRASE, "p"), variant(SHIFT, "s"), variant(KEYWORDS, "k"), variant(KEYWORDS, "k2"))
    hits = [hit(1, "question", "p", "k2"), hit(2, "s")]
    assert rewards(variants, hits, answer(1)) == {PARAPHRASE: True, SHIFT: False, KEYWORDS: True}


def test_nothing_is_learned_without_a_citation() -> None:
    variants = (variant(PARAPHRASE, "p"),)
    assert rewards(variants, [hit(1, "p")], answer()) == {}
    assert rewards(variants, [hit(1, "p")], None) == {}
    assert rewards((), [hit(1, "question")], answer(1)) == {}
