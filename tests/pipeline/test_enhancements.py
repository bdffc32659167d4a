"""Test what each enhancement changes in a pass."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace

import pytest

from domain import Hit, SolvedQuestion, Variant
from pipeline.ask import LookupRequest, Tools, first_pass, second_pass
from pipeline.enhancements import ALL, DEFAULT, Enhancement
from pipeline.judging.judge import keep_all
from tests.claude_double import KEY, ClaudeDouble, claude_at
from tests.fakes import passage
from tests.pipeline.models.asking import answered
from tests.pipeline.test_ask import PAGES, tools_for

FRANCE = LookupRequest(text="What is the capital of France?")


def with_(tools: Tools, *names: Enhancement) -> Tools:
    return replace(tools, enhancements=tools.enhancements | set(names))


def test_first_look_asks_only_the_question_and_with_multi_query_two_other_wordings(pool: Executor) -> None:
    tools = tools_for(pool)
    assert first_pass(FRANCE, tools).queries == (FRANCE.text,)
    assert len(first_pass(FRANCE, with_(tools, "multi_query")).queries) == 3
    of_a_model = (Variant(kind="paraphrase", text="Which city governs France?"),)
    assert first_pass(FRANCE, with_(tools, "multi_query"), of_a_model).variants == of_a_model
    assert first_pass(FRANCE, with_(tools, "multi_query"), ()).queries == (FRANCE.text,)  # the model failed


def test_merged_by_title_each_title_stands_once(pool: Executor) -> None:
    pages = [passage(f"Paris, note {at} on the capital of France.", page_id=at, title="Paris") for at in range(9)]
    tools = replace(tools_for(pool, pages=[*pages, *PAGES]), stop=keep_all)
    fused, merged = (second_pass(FRANCE, each) for each in (tools, with_(tools, "by_title")))
    titles = [hit.passage.title for hit in merged.hits]
    assert len(titles) == len(set(titles))
    assert len(fused.hits) > len(merged.hits)
    assert {hit.scale for hit in merged.hits} == {"similarity"}


def test_with_quality_short_passages_are_composed_from_the_whole_page_and_cite_it(pool: Executor) -> None:
    page = f"Before. {PAGES[0].text} After it there is more."
    short = [replace(PAGES[0], start=8, end=8 + len(PAGES[0].text))]
    asked: list[Sequence[int]] = []

    def page_texts(ids: Sequence[int]) -> dict[int, str]:
        asked.append(ids)
        return {1: page}

    tools = replace(tools_for(pool, pages=short), page_texts=page_texts)
    assert first_pass(FRANCE, tools).answer is not None
    assert asked == []
    answer = first_pass(FRANCE, with_(tools, "quality")).answer
    assert asked == [[1]]
    assert answer is not None
    for citation in answer.citations:
        assert page[citation.start : citation.end] == citation.quote


@pytest.mark.parametrize("on", [frozenset(), DEFAULT, ALL])
def test_question_is_answered_with_all_switches_on_and_with_all_off(pool: Executor, on: frozenset[Enhancement]) -> None:
    attempt = first_pass(FRANCE, replace(tools_for(pool), enhancements=on))
    assert attempt.verdict.sufficient
    assert attempt.answer is not None
    assert attempt.answer.text.startswith("Paris is the capital of France. [1]")


class Kept:
    """One confirmed answer."""

    def like(self, question: str, *, lang: str, at_most: int) -> Sequence[SolvedQuestion]:
        return [SolvedQuestion(question="What is the capital of Italy?", answer="Rome. [1]", lang="en")]


def test_claude_is_given_examples_as_data_before_the_question_and_nothing_of_them_can_be_cited(pool: Executor) -> None:
    with ClaudeDouble() as server:
        claude = claude_at(api_key=KEY, base_url=server.url)
        hits = [Hit(passage=PAGES[0], score=1.0, scale="minmax", rank=1, similarity=0.9)]
        answered(claude, FRANCE.text, hits, examples="Answer: Rome.")
        answered(claude, FRANCE.text, hits)
        claude.close()
    shown, plain = ([block.get("text") for block in _content(each.body)] for each in server.received)
    assert shown[-2:] == ["Answer: Rome.", f"Question: {FRANCE.text}"]
    assert plain[-1] == f"Question: {FRANCE.text}"
    assert "Answer: Rome." not in plain
    assert "Rome" not in str(server.received[0].body["system"])


def _content(body: dict[str, object]) -> list[dict[str, object]]:
    return body["messages"][0]["content"]  # type: ignore[index,no-any-return]
