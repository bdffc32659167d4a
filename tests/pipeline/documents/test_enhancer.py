"""The design document of the RAG enhancer: analysis, overlap, context, advice, and the workflow of them together."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

import pytest

from domain import Hit
from pipeline.ask import LookupRequest, first_pass
from pipeline.documents.rerank import MAX_FEATURES, WEIGHTS, keyword_jaccard, tfidf_cosines
from pipeline.judging.judge import keep_all
from pipeline.question.analysis import analyse_question, complexity_of, find_entities, question_type_of
from pipeline.retrieval.context import (
    LONG_ABOVE,
    MAX_CONTEXT_CHARACTERS,
    POOR_BELOW,
    REDUNDANT_ABOVE,
    SHORT_BELOW,
    advise_on_context,
    build_context,
    select_diverse,
    select_for_answer,
)
from tests.fakes import passage
from tests.pipeline.test_ask import tools_for
from text.terms import jaccard

JWT = "How do I implement authentication in a React application using JWT tokens?"


def hit(text: str, score: float, *, id: int) -> Hit:
    return Hit(passage=passage(text, page_id=id), score=score, scale="minmax", rank=id, similarity=score)


def test_weights_and_features_of_reranking_are_the_documents() -> None:
    assert WEIGHTS == (0.5, 0.3, 0.2)  # similarity, TF-IDF, keyword overlap
    assert MAX_FEATURES == 1000


def test_tfidf_leaves_english_stop_words_out_and_counts_pairs_of_words() -> None:
    assert tfidf_cosines("the of and", ["the of and"]) == [0.0]
    in_order, turned_round = tfidf_cosines("virtual environment", ["virtual environment", "environment virtual"])
    assert in_order > turned_round > 0


def test_keyword_overlap_is_intersection_over_union() -> None:
    assert keyword_jaccard("python decorators work", ["decorators in Python", "bananas"]) == [2 / 4, 0.0]


def test_documents_own_example_scores_point_eight_by_its_own_factors_not_point_seven_three() -> None:
    """12 words, 2 entities, a question mark: (1 + .4 + 1) / 3. The factors are built; the example's .73 fits none.

    The example's 65 characters are 74. Type, entities and suggested_k come out as it says.
    """
    analysis = analyse_question(JWT)
    assert analysis.complexity == pytest.approx(0.8)
    assert analysis.complexity == complexity_of(12, 2, True)
    assert (analysis.question_type, analysis.entities, analysis.suggested_k) == ("procedural", ("React", "JWT"), 10)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What does entropy mean?", "definition"),
        ("How can you bake bread?", "procedural"),
        ("Why do cats purr?", "causal"),
        ("When does the shop open?", "temporal"),
        ("Where do penguins live?", "spatial"),
        ("Compare TCP and UDP", "comparative"),
        ("How does React's virtual DOM differ from the real DOM?", "comparative"),
        ("Tell me a story", "general"),
    ],
)
def test_every_question_type_of_the_document_is_detected(question: str, kind: str) -> None:
    assert question_type_of(question) == kind


def test_entities_are_capitalised_words_numbers_and_terms_in_single_or_double_quotes_once_each() -> None:
    found = find_entities("""Did Ada read 'lost letters' and "new letters" by Ada in 1843?""")
    assert set(found) == {"Ada", "1843", "lost letters", "new letters"}
    assert len(found) == len(set(found))


def test_context_bounds_are_the_documents() -> None:
    assert MAX_CONTEXT_CHARACTERS == 10_000
    assert REDUNDANT_ABOVE == 0.8
    assert (SHORT_BELOW, LONG_ABOVE, POOR_BELOW) == (500, 3000, 0.5)


def test_context_has_the_documents_format() -> None:
    found = [
        hit("This is the most relevant chunk of information that directly answers the query...", 0.92, id=1),
        hit("This is the second most relevant chunk that provides additional context...", 0.78, id=2),
    ]
    assert build_context(found) == (
        "[Relevance: 0.92] This is the most relevant chunk of information that directly answers the query...\n\n"
        "[Relevance: 0.78] This is the second most relevant chunk that provides additional context..."
    )


def test_passage_is_redundant_above_four_fifths_not_at_four_fifths() -> None:
    base = [f"w{at}" for at in range(9)]
    at_bound, above = " ".join([*base[:8], "new"][:9]), " ".join([*base, "new"])
    assert jaccard(set(base), {*base[:8]}) == pytest.approx(8 / 9)
    first = hit(" ".join(base), 0.9, id=1)
    assert jaccard(set(base[:8]), {*base[:8], "a", "b"}) == pytest.approx(0.8)
    kept = select_diverse([hit(" ".join(base[:8]), 0.9, id=1), hit(" ".join([*base[:8], "a", "b"]), 0.8, id=2)])
    assert len(kept) == 2
    assert len(select_diverse([first, hit(above, 0.8, id=2)])) == 1
    assert len(select_diverse([first, hit(at_bound, 0.8, id=2)])) == 2


def test_poor_answer_suggests_another_query_and_a_good_one_does_not() -> None:
    context = "Python can create a virtual environment. " * 1 + "x" * 500
    asked = analyse_question("How do I create a virtual environment in Python?", "en")
    expand = "Consider expanding search criteria or adjusting query"
    assert expand in advise_on_context(asked, context, answer_quality=0.49).suggestions
    assert expand not in advise_on_context(asked, context, answer_quality=0.5).suggestions
    assert expand in advise_on_context(asked, context).suggestions  # answer_quality is 0.0 by default


def test_documents_workflow_analysis_then_search_then_context_then_advice(pool: Executor) -> None:
    tools = replace(tools_for(pool), stop=keep_all)
    answered, unanswered = (
        first_pass(LookupRequest(text=text), tools)
        for text in ("What is the capital of France?", "Who won the 1998 World Cup in France?")
    )
    assert answered.cutoff is not None
    assert answered.cutoff.found <= max(answered.analysis.suggested_k, answered.strategy.max_k)
    assert "[Relevance: " in build_context(answered.hits)
    assert answered.advice is None  # nothing is to be improved
    assert unanswered.advice is not None
    assert unanswered.advice.missing_keywords == ("won", "1998", "World", "Cup")


def test_what_is_composed_from_is_diverse_unless_that_is_switched_off() -> None:
    twice = [hit("the same words in both of them", 0.9, id=1), hit("the same words in both of them", 0.8, id=2)]
    analysis = analyse_question(JWT)
    assert len(select_for_answer(analysis, twice, frozenset({"diverse"}))) == 1
    assert len(select_for_answer(analysis, twice, frozenset())) == 2
