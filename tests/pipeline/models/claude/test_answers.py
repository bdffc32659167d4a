"""Answers that Claude writes, through the real SDK: every sentence with the page's words."""

from __future__ import annotations

from datetime import date
from typing import get_args

from domain.options import Length
from evals.model.wire import Cite, Say
from pipeline.llm import Brief
from pipeline.models.model import LanguageModel
from pipeline.phrases import say
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.asking import answered, judged
from tests.pipeline.models.claude.lighthouse import QUESTION, SECOND, all_stand, hits


def test_answer_cites_the_sentence_of_the_page_that_says_it(double: ClaudeDouble, claude: LanguageModel) -> None:
    answer = answered(claude, QUESTION, hits())
    assert answer.text == "The lighthouse of Vierburg was built in 1874. [1]"
    (citation,) = answer.citations
    assert citation.quote == "The lighthouse of Vierburg was built in 1874."
    assert (citation.page_id, citation.start, citation.end) == (1, 131, 176)
    assert all_stand(answer, hits())
    assert (answer.composer, answer.confidence, answer.notice) == ("claude-sonnet-5-5", 1.0, "")


def test_streamed_citations_of_several_passages_are_numbered_in_the_order_of_use(
    double: ClaudeDouble, claude: LanguageModel
) -> None:
    double.script(
        Say(
            [
                ("The lamp broke in 1921", [Cite(result=1, start=0, end=1)]),
                ", and ",
                ("the lighthouse is of 1874", [Cite(result=0, start=0, end=1), Cite(result=1, start=0, end=1)]),
                ". ",
                ("All of it was mended.", [Cite(result=1, start=0, end=1)]),
                " What a tower!",
            ],
            thinks=True,
        )
    )
    answer = answered(claude, QUESTION, hits())
    assert answer.text == (
        "The lamp broke in 1921, and the lighthouse is of 1874. [1] [2] [3] All of it was mended. [4]"
    )
    assert [citation.quote for citation in answer.citations] == [
        "A storm broke the lamp in 1921.",
        "The lighthouse of Vierburg was built in 1874.",
        SECOND,  # which says nothing of that
        "It was mended within a week.",
    ]
    assert all_stand(answer, hits())
    assert answer.notice == "1 sentence(s) cited nothing and were left out."


def test_question_the_passages_do_not_answer_gets_no_answer(claude: LanguageModel) -> None:
    answer = answered(claude, "Who composed the opera Fidelio?", hits())
    assert (answer.text, answer.confidence, answer.notice) == ("", 0.0, say("not_found", "en"))


def test_without_passages_nothing_is_asked(double: ClaudeDouble, claude: LanguageModel) -> None:
    assert answered(claude, QUESTION, []).text == ""
    assert not judged(claude, QUESTION, hits("  \n")).value.sufficient
    assert double.received == []


def test_quote_that_is_not_the_pages_supports_nothing(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(Say([("It is 99 m tall.", [Cite(result=0, start=0, end=1, text="It is 99 m tall.")])]))
    assert answered(claude, QUESTION, hits()).text == ""


def test_answer_cut_off_at_the_token_limit_says_so(double: ClaudeDouble, claude: LanguageModel) -> None:
    cite = [Cite(result=0, start=0, end=1)]
    double.script(Say([("Built in 1874. Later it wa", cite)], stop_reason="max_tokens"))
    answer = answered(claude, QUESTION, hits())
    assert answer.text == "Built in 1874. [1]"
    assert "cut off" in answer.notice


def test_report_may_be_twice_as_long(double: ClaudeDouble, claude: LanguageModel) -> None:
    sections = tuple(hit.passage for hit in hits())
    for length in get_args(Length):
        claude.write(Brief(question=QUESTION, sections=sections, today=date(2026, 5, 1), length=length))
    assert [received.body["max_tokens"] for received in double.received] == [4096, 4096, 4096, 8192]


def test_answer_language_and_notes_are_instructions_of_the_system_prompt(
    double: ClaudeDouble, claude: LanguageModel
) -> None:
    answered(claude, QUESTION, hits(), lang="de", notes=("Mention the year first.",))
    answered(claude, QUESTION, hits())
    first, second = ([block["text"] for block in received.body["system"]] for received in double.received)
    assert "“de”" in first[1]
    assert first[1].startswith("Today is 20")
    assert first[3] == "Mention the year first."
    assert "Reply in the language of the question" in second[1]
    assert first[0] == second[0]  # what never changes comes first: it can be cached
