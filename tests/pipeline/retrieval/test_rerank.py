"""The learned reranker: what it sees, and what it makes of it."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Hit
from pipeline.retrieval.rerank import Signals, rerank_learned, signals, weighted_mean, weights
from tests.fakes import passage


def hit(text: str, *, id: int = 1, title: str = "", similarity: float = 0.5, bm25: float = 10.0) -> Hit:
    item = passage(text, page_id=id, title=title)
    return Hit(passage=item, score=0.5, scale="minmax", rank=id, similarity=similarity, bm25=bm25)


def order(question: str, *hits: Hit, lang: str = "en") -> list[int]:
    return [each.passage.page_id for each in rerank_learned(question, lang, hits)]


def test_words_in_one_sentence_say_more_than_the_same_words_apart() -> None:
    apart = hit("The bridge is old. Nobody lives here. Rain is common. It was painted red.", id=1)
    together = hit("The bridge was painted red. Nobody lives here. Rain is common. It is old.", id=2)
    assert order("Which bridge was painted red?", apart, together) == [2, 1]


def test_title_that_names_the_subject_counts() -> None:
    other = hit("It has 300 rooms.", id=1, title="Castle Rock")
    named = hit("It has 300 rooms.", id=2, title="Hotel Bellevue")
    assert order("How many rooms does Hotel Bellevue have?", other, named) == [2, 1]


def test_word_stands_for_the_compound_it_is_part_of() -> None:
    other = hit("Die Gemälde hängen im ersten Stock.", id=1)
    compound = hit("Die Kostümsammlung hängt im ersten Stock.", id=2)
    assert order("Wo hängt die Sammlung?", other, compound, lang="de") == [2, 1]


def test_of_two_hits_one_is_not_nothing_for_being_a_little_less_similar() -> None:
    [one, other] = signals("anything", [hit("x", id=1, similarity=0.52), hit("y", id=2, similarity=0.49)], lang="en")
    assert one.similarity == 1
    assert other.similarity == pytest.approx(0.9)


def test_hit_that_one_leg_did_not_find_has_nothing_of_its_score() -> None:
    found = Hit(passage=passage("red bridge"), score=1, scale="minmax", rank=1)
    [each] = signals("red bridge", [found], lang="en")
    assert (each.bm25, each.similarity) == (0.0, 0.0)


def test_weights_are_a_mean_and_none_speaks_against_its_signal() -> None:
    assert sum(weights().values()) == pytest.approx(1, abs=0.001)
    assert weights().keys() == {field.name for field in fields(Signals)}
    assert min(weights().values()) >= 0


@given(
    st.lists(
        st.tuples(
            st.text("abcde fgh.\n", max_size=60), st.text("ab cd", max_size=8), st.floats(-1, 1), st.floats(0, 40)
        ),
        max_size=5,
    ),
    st.text("abcde fgh?", max_size=30),
    st.sampled_from(["en", "de", "zh", "und"]),
)
@settings(deadline=None)  # the first call reads the tables of words
def test_signals_and_their_mean_are_shares(
    found: list[tuple[str, str, float, float]], question: str, lang: str
) -> None:
    hits = [
        hit(text, id=id, title=title, similarity=similarity, bm25=bm25)
        for id, (text, title, similarity, bm25) in enumerate(found, start=1)
    ]
    for each in signals(question, hits, lang=lang):
        assert all(-1e-9 <= getattr(each, field.name) <= 1 + 1e-9 for field in fields(Signals))
        assert 0 <= weighted_mean(each, weights()) <= 1 + 1e-9
