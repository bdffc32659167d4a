"""Test that Claude's answer is published sentence by sentence, each complete and checked."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from domain import Answer
from evals.model.wire import BreakOff, Cite, FailInside, Held, Say
from pipeline.models.answer import MAX_UPDATES, AnswerStream
from pipeline.models.model import LanguageModel
from pipeline.models.passages import cut_into_blocks
from pipeline.models.provider import CitedText, PassageSpan
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.asking import answered, brief
from tests.pipeline.models.claude.lighthouse import FIRST, QUESTION, all_stand, hits

BUILT, BROKE, WEEK = (
    [Cite(result=0, start=0, end=1)],
    [Cite(result=1, start=0, end=1)],
    [Cite(result=1, start=0, end=1)],
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


def test_sentences_are_published_while_the_rest_is_still_to_come(double: ClaudeDouble, claude: LanguageModel) -> None:
    go_on, received = threading.Event(), list[Answer]()
    double.script(Held(THREE, go_on))

    def receive(answer: Answer) -> None:
        received.append(answer)
        go_on.set()

    answer = answered(claude, QUESTION, hits(), on_answer=receive)
    assert [each.text for each in received] == [
        "It was built in 1874. [1]",
        "It was built in 1874. [1] The lamp broke in 1921. [2]",
    ]
    assert answer.text == "It was built in 1874. [1] The lamp broke in 1921. [2] It was mended within a week. [3]"
    assert all(all_stand(each, hits()) for each in received)


def test_bug_of_the_caller_is_no_bad_reply(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(THREE)

    def publish(answer: Answer) -> None:
        raise KeyError("publish")

    with pytest.raises(KeyError, match="publish"):
        answered(claude, QUESTION, hits(), on_answer=publish)
    assert len(double.received) == 1


@pytest.mark.parametrize(
    "said",
    [
        ("It is 41 m tall. ", [Cite(result=0, start=0, end=1, text="It is 41 km tall.")]),  # a quote of its own
        "Everyone knows that it is tall. ",
    ],
)
def test_sentences_without_citation_are_not_published(
    double: ClaudeDouble, claude: LanguageModel, said: object
) -> None:
    received: list[Answer] = []
    double.script(Say([said, ("It was built in 1874.", BUILT), " ", ("It was mended.", WEEK)]))  # type: ignore[list-item]
    answered(claude, QUESTION, hits(), on_answer=received.append)
    assert [answer.text for answer in received] == ["It was built in 1874. [1]"]


def test_sentence_with_an_address_of_its_own_is_published_as_its_quote(
    double: ClaudeDouble, claude: LanguageModel
) -> None:
    received: list[Answer] = []
    away = ("It is 41 m tall, see https://collector.example/?q=1. ", [Cite(result=0, start=0, end=1)])
    double.script(Say([away, ("It was built in 1874.", BUILT), " ", ("It was mended.", WEEK)]))
    answered(claude, QUESTION, hits(), on_answer=received.append)
    assert [answer.text for answer in received][:1] == [f"{FIRST} [1]"]
    assert received[0].sentences[0].origin == "quoted"


@pytest.mark.parametrize("broken", [BreakOff(), BreakOff(events=8), FailInside("overloaded_error")])
def test_broken_attempt_publishes_no_more_than_was_checked(
    double: ClaudeDouble, claude: LanguageModel, broken: object
) -> None:
    received: list[Answer] = []
    double.script(broken, THREE)  # type: ignore[arg-type]
    answer = answered(claude, QUESTION, hits(), on_answer=received.append)
    assert len(received) == 2
    assert all(answer.text.startswith(each.text) for each in received)


@pytest.mark.parametrize("count", [0, 1, 2, MAX_UPDATES + 5])
def test_answer_is_published_a_bounded_number_of_times_and_only_grows(count: int) -> None:
    received: list[Answer] = []
    passages = cut_into_blocks([hit.passage for hit in hits()])
    writing = AnswerStream(received.append, passages, brief(QUESTION, hits()), composer="m")
    citations = (PassageSpan(passage=passages[0].passage, start=31, end=76),)
    said = [
        CitedText(text=f"The lighthouse of Vierburg was built in 1874, {'so ' * at}they say. ", citations=citations)
        for at in range(count)
    ]
    for end in range(1, count + 1):
        writing(said[:end])
    assert len(received) == max(0, count - 1) if count < MAX_UPDATES else 5 < len(received) <= MAX_UPDATES
    assert all(later.text.startswith(earlier.text) for earlier, later in pairwise(received))
