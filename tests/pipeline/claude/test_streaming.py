"""An answer that Claude writes is told of sentence by sentence, each complete and checked, never in raw pieces."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from domain import Answer, Verdict
from pipeline.claude.answer import BlockCitation, CitedText
from pipeline.claude.model import Claude
from pipeline.claude.passages import cut_into_blocks
from pipeline.claude.streaming import MAX_UPDATES, AnswerStream
from pipeline.fallback import compose_answer
from pipeline.question.analysis import analyse_question
from tests.claude_double import ClaudeDouble
from tests.claude_wire import BreakOff, Cite, FailInside, Held, Say
from tests.pipeline.claude.lighthouse import QUESTION, all_stand, hits

BUILT, BROKE, WEEK = (
    [Cite(result=0, start=1, end=2)],
    [Cite(result=1, start=0, end=1)],
    [Cite(result=1, start=1, end=2)],
)
THREE = Say(
    [
        ("It was built in 1874.", BUILT),
        " What a tower! ",
        ("The lamp broke in 1921", BROKE),
        ". ",
        ("It was mended within a week.", WEEK),
    ],
    thinks=True,
)


def test_sentences_are_told_while_the_rest_is_still_to_come(double: ClaudeDouble, claude: Claude) -> None:
    go_on, told = threading.Event(), list[Answer]()
    double.script(Held(THREE, go_on))

    def tell(answer: Answer) -> None:
        told.append(answer)
        go_on.set()

    answer = claude.compose(QUESTION, hits(), on_answer=tell)
    assert [each.text for each in told] == [
        "It was built in 1874. [1]",
        "It was built in 1874. [1] The lamp broke in 1921. [2]",
    ]
    assert answer.text == "It was built in 1874. [1] The lamp broke in 1921. [2] It was mended within a week. [3]"
    assert all(all_stand(each, hits()) for each in told)


@pytest.mark.parametrize(
    "said",
    [
        ("It is 99 m tall. ", [Cite(result=0, start=2, end=3)]),  # a number of its own
        ("It is 41 m tall. ", [Cite(result=0, start=2, end=3, text="It is 41 km tall.")]),  # a quote of its own
        ("See https://collector.example/?q=1 for it. ", [Cite(result=0, start=2, end=3)]),  # an address of its own
        "Everyone knows that it is tall. ",
    ],
)
def test_what_does_not_stand_is_not_told(double: ClaudeDouble, claude: Claude, said: object) -> None:
    told: list[Answer] = []
    double.script(Say([said, ("It was built in 1874.", BUILT), " ", ("It was mended.", WEEK)]))  # type: ignore[list-item]
    claude.compose(QUESTION, hits(), on_answer=told.append)
    assert [answer.text for answer in told] == ["It was built in 1874. [1]"]


@pytest.mark.parametrize("broken", [BreakOff(), BreakOff(events=8), FailInside("overloaded_error")])
def test_attempt_that_breaks_off_is_told_of_no_further_than_it_was_checked(
    double: ClaudeDouble, claude: Claude, broken: object
) -> None:
    told: list[Answer] = []
    double.script(broken, THREE)  # type: ignore[arg-type]
    answer = claude.compose(QUESTION, hits(), on_answer=told.append)
    assert len(told) == 2
    assert all(answer.text.startswith(each.text) for each in told)


def test_reply_that_reads_as_a_refusal_is_not_told(double: ClaudeDouble, claude: Claude) -> None:
    told: list[Answer] = []
    double.script(Say([("I cannot answer this question.", BUILT), " ", ("Sorry.", BUILT)]))
    enough = Verdict(sufficient=True, confidence=0.9, reason="")
    compose_answer(analyse_question(QUESTION), hits(), enough, model=claude, on_answer=told.append)
    assert told == []


@pytest.mark.parametrize("count", [0, 1, 2, MAX_UPDATES + 5])
def test_it_is_told_of_a_bounded_number_of_times_and_only_grows(count: int) -> None:
    told: list[Answer] = []
    passages = cut_into_blocks(hits())
    quote = "".join(passages[0].blocks()[1:2])
    writing = AnswerStream(on_answer=told.append, passages=passages, composer="m", question=QUESTION, lang="en")
    citations = (BlockCitation(result=0, start=1, end=2, text=quote),)
    said = [
        CitedText(text=f"The lighthouse of Vierburg was built in 1874, {'so ' * at}they say. ", citations=citations)
        for at in range(count)
    ]
    for end in range(1, count + 1):
        writing(said[:end])
    assert len(told) == min(max(0, count - 1), MAX_UPDATES)
    assert all(later.text.startswith(earlier.text) for earlier, later in pairwise(told))
