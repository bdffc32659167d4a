"""Where markers stand in an answer's text, and which questions stand for themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from api.openai.completions import text_of, url_citations
from api.openai.requests import Message, conversation_of
from domain import Sentence
from domain.record import Record
from pipeline.answering.citations import render
from pipeline.question.follow_up import understand
from tests.api.records import citation, record_json
from wellread.responses import to_value

RECORD = to_value(Record, record_json(citations=[citation(), citation(marker=2, url="http://127.0.0.1/b", title="")]))


def test_every_marker_is_cited_where_it_stands_and_quoted_brackets_are_not() -> None:
    sentences = (
        Sentence(text="Take items[1] of the list.", markers=(2,)),
        Sentence(text="In short:"),
        Sentence(text="It is so.", markers=(1, 2)),
    )
    text = "Take items[1] of the list. [2] In short: It is so. [1] [2]"
    record = replace(RECORD, answer=text, sentences=sentences, notice="Old [1].")
    found = [entry["url_citation"] for entry in url_citations(record)]
    whole = text_of(record, list_sources=True)
    assert [(each["start_index"], whole[each["start_index"] : each["end_index"]]) for each in found] == [
        (text.index("[2]"), "[2]"),
        (text.rindex("[1]"), "[1]"),
        (text.rindex("[2]"), "[2]"),
    ]
    assert found[0]["title"] == "http://127.0.0.1/b"
    assert whole.endswith(
        "Old [1].\n\nSources:\n[1] Energy: http://127.0.0.1/energy.html\n[2] http://127.0.0.1/b: http://127.0.0.1/b"
    )


def test_markers_of_lists_tables_and_code_are_cited_where_they_stand() -> None:
    sentences = (
        Sentence(text="Take it.", markers=(1,), block="step"),
        Sentence(text="items[1]", markers=(2,), block="code"),
        Sentence(text="Part | Price", block="row"),
        Sentence(text="Lamp | 4 €", markers=(1,), block="row"),
    )
    record = replace(RECORD, answer=render(sentences), sentences=sentences, notice="")
    found = [entry["url_citation"] for entry in url_citations(record)]
    text = text_of(record, list_sources=False)
    assert text == "1. Take it. [1]\n\n```\nitems[1]\n```\n[2]\n\n| Part | Price |\n| --- | --- |\n| Lamp | 4 € [1] |"
    starts = [text.index("[1]"), text.index("[2]"), text.rindex("[1]")]
    assert [each["start_index"] for each in found] == starts


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("And why?", "Who built the lighthouse? Why?"),
        ("What about its height?", "The lighthouse's height?"),
        ("And who built Hanging Rock?", "And who built Hanging Rock?"),  # names something
        ("How tall are lighthouses?", "How tall are lighthouses?"),
        ("Why is it " + "so " * 1_329 + "?", "Why is it " + "so " * 1_329 + "?"),  # completed it would be too long
    ],
)
def test_question_is_understood_from_the_turns_before_it(question: str, understood: str) -> None:
    earlier = [Message(role="user", content="Who built\nthe lighthouse?"), Message(role="assistant", content="Tallis.")]
    asked, turns = conversation_of([*earlier, Message(role="user", content=question)]).question()
    assert (asked, understand(asked, turns)) == (" ".join(question.split()), " ".join(understood.split()))


def test_turn_is_understood_from_all_before_it() -> None:
    said = ["What is nginx?", "A server.", "How do I install it?", "So.", "And on Windows?"]
    messages = [Message(role="user" if at % 2 == 0 else "assistant", content=text) for at, text in enumerate(said)]
    assert understand(*conversation_of(messages).question()) == "How do I install nginx on Windows?"
