"""Test the passes from a question to its result, with fakes of everything external."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray

from domain import Reading, Variant
from pipeline.abstain import abstention
from pipeline.ask import LookupRequest, Tools, final_pass, first_pass, second_pass
from pipeline.documents.judge import document_judge
from pipeline.judging.judge import keep_all
from pipeline.question.analysis import QuestionError
from pipeline.reader import PassageReader
from pipeline.strategies import MAX_K
from tests.fakes import HashingEmbedder, MemorySearch, passage

PAGES = [
    passage(
        "Paris is the capital of France. It lies on the Seine and has 2 million inhabitants.", page_id=1, title="Paris"
    ),
    passage("Berlin is the capital of Germany. The Spree runs through it.", page_id=2, title="Berlin"),
    passage(
        "The decorator functools.lru_cache wraps a function with a memoizing callable. It saves the most recent calls.",
        page_id=3,
        title="functools",
    ),
]


def tools_for(pool: Executor, pages: Sequence[object] = PAGES) -> Tools:
    embedder = HashingEmbedder()
    ticks = count()
    search = MemorySearch(pages, embedder)  # type: ignore[arg-type]
    embedder.batches.clear()
    return Tools(search=search, embedder=embedder, pool=pool, clock=lambda: float(next(ticks)))


def test_answer_in_the_knowledge_base_is_found_at_first_look(pool: Executor) -> None:
    attempt = first_pass(LookupRequest(text="What is the capital of France?"), tools_for(pool))
    assert attempt.verdict.sufficient
    assert attempt.answer is not None
    assert attempt.answer.text.startswith("Paris is the capital of France. [1]")
    assert attempt.queries == ("What is the capital of France?",)
    assert attempt.variants == ()


class Counting:
    """The reader, and how many passages it was given each time."""

    def __init__(self) -> None:
        self._reader, self.given = PassageReader(), list[int]()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading] | None:
        self.given.append(len(passages))
        return self._reader.read(question, passages)


@pytest.mark.parametrize(("asked", "given"), [("Who built the mill of Hagen?", [3]), ("Who sold it?", [3, 6])])
def test_further_hits_are_read_only_where_the_first_three_do_not_suffice(
    pool: Executor, asked: str, given: list[int]
) -> None:
    built = "The mill of Hagen was built by John Crane in 1831."
    pages = [passage(f"{built} It has {number} wheels.", page_id=number, title="Mill") for number in range(1, 7)]
    reader = Counting()
    first_pass(LookupRequest(text=asked), replace(tools_for(pool, pages), reader=reader))
    assert reader.given == given


def test_three_hits_are_read_once_though_they_do_not_suffice(pool: Executor) -> None:
    reader = Counting()
    first_pass(LookupRequest(text="Who sold the mill?"), replace(tools_for(pool), reader=reader))
    assert reader.given == [3]


class Broken:
    """A reader whose file cannot be read."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading] | None:
        return None


class Multilingual(HashingEmbedder):
    """An embedder that compares sentences of any language."""

    def embed_in_any_language(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed(texts)


def test_a_reader_that_cannot_read_leaves_all_hits_to_be_compared(pool: Executor) -> None:
    asked = LookupRequest(text="What is the capital of France?")
    pages = [*PAGES, *(passage(f"What the town {n} is of.", page_id=n, title=f"Town {n}") for n in range(4, 8))]
    tools = replace(tools_for(pool, pages), embedder=Multilingual(), stop=keep_all)
    broken, without = (first_pass(asked, replace(tools, reader=each)) for each in (Broken(), None))
    assert without.verdict.sufficient
    assert broken.verdict == without.verdict
    assert [hit.nearness for hit in broken.hits] == [hit.nearness for hit in without.hits]


@pytest.mark.parametrize("question", ["Who won the 1998 World Cup?", "How do I bake sourdough bread?"])
def test_what_no_page_says_is_insufficient_but_has_a_provisional_answer(pool: Executor, question: str) -> None:
    attempt = first_pass(LookupRequest(text=question), tools_for(pool))
    assert not attempt.verdict.sufficient
    assert attempt.verdict.missing
    assert attempt.answer is not None


def test_empty_knowledge_base_is_never_sufficient(pool: Executor) -> None:
    tools = tools_for(pool, pages=())
    for attempt in (
        first_pass(LookupRequest(text="What is Paris?"), tools),
        second_pass(LookupRequest(text="Paris"), tools),
    ):
        assert not attempt.verdict.sufficient
        assert attempt.verdict.confidence == 0
        assert attempt.answer is None
        assert attempt.hits == ()


def test_second_look_embeds_all_queries_in_one_batch_and_asks_for_more(pool: Executor) -> None:
    many = [passage(f"Paris fact {at} of the capital.", page_id=at, title="Paris") for at in range(30)]
    tools = tools_for(pool, pages=many)
    question = LookupRequest(text="What is the capital of France?")
    first, second = first_pass(question, tools), second_pass(question, tools)
    assert len(second.variants) == 3
    assert second.queries == (question.text, *(variant.text for variant in second.variants))
    assert len(second.hits) == min(MAX_K, 2 * len(first.hits))
    assert tools.embedder.batches == [1, 4]  # type: ignore[attr-defined]
    assert len({hit.passage.id for hit in second.hits}) == len(second.hits)


def test_look_again_uses_the_variants_it_is_given(pool: Executor) -> None:
    variants = (Variant(kind="keyword_focus", text="capital France"),)
    attempt = final_pass(LookupRequest(text="What is the capital of France?"), variants, tools_for(pool))
    assert attempt.variants == variants
    assert attempt.queries[1:] == ("capital France",)


def test_variants_of_a_model_take_the_place_of_those_of_the_rules(pool: Executor) -> None:
    variants = (Variant(kind="paraphrase", text="Which city governs France?"),)
    attempt = second_pass(LookupRequest(text="What is the capital of France?"), tools_for(pool), variants)
    assert attempt.queries[1:] == ("Which city governs France?",)
    assert [found.query for found in attempt.found] == list(attempt.queries)
    assert all(found.best for found in attempt.found)


def test_timings_are_the_clocks(pool: Executor) -> None:
    timings = first_pass(LookupRequest(text="What is the capital of France?"), tools_for(pool)).timings
    assert (timings.embed, timings.search, timings.judge, timings.compose) == (1, 1, 1, 1)


def test_question_without_words_is_refused(pool: Executor) -> None:
    with pytest.raises(QuestionError):
        first_pass(LookupRequest(text=" ?! "), tools_for(pool))


def test_document_judge_can_be_chosen(pool: Executor) -> None:
    tools = replace(tools_for(pool), judge=document_judge())
    attempt = first_pass(LookupRequest(text="What is the capital of France?"), tools)
    assert attempt.verdict.judge == "document"


def test_abstention_says_why_and_what_was_tried(pool: Executor) -> None:
    tools = tools_for(pool)
    question = LookupRequest(text="Who won the 1998 World Cup?")
    answer = abstention(second_pass(question, tools), pages_read=4)
    assert answer.citations == ()
    assert "I do not know" in answer.text
    assert "1998" in answer.text
    assert "“won 1998 World Cup”" in answer.text
    assert "Pages read for it: 4." in answer.text
    assert answer.text == " ".join(sentence.text for sentence in answer.sentences)


def test_abstention_from_an_empty_knowledge_base_names_no_page(pool: Executor) -> None:
    answer = abstention(first_pass(LookupRequest(text="Wer gewann die Wahl?"), tools_for(pool, pages=())))
    assert "Das weiß ich nicht" in answer.text
    assert "Am nächsten" not in answer.text
