"""Each value of a schema is asked for by itself and read out of what is cited; nothing is made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from domain import Answer, Citation, Focus, Sentence
from pipeline.answering.structured.fill import field_question, read_value
from pipeline.answering.structured.schema import Leaf
from tests.tables import each_row

CITED = Citation(marker=1, passage_id="1-0", page_id=1, url="https://example.org/", title="", quote="x", start=0, end=1)


def leaf(kind: Any = "string", **others: Any) -> Leaf:
    return Leaf(path=("builtIn",), kind=kind, **others)


def answer(text: str, short: str = "", *, says: str = "", markers: tuple[int, ...] = (1,)) -> Answer:
    at = text.find(short)
    focus = Focus(start=at, end=at + len(short), confidence=0.9) if short else None
    sentence = Sentence(text=text, markers=markers, focus=focus, says=says)
    return Answer(text=text, sentences=(sentence,), citations=(CITED,), confidence=0.8, composer="extractive")


@pytest.mark.parametrize(
    ("described", "question", "lang", "asked"),
    [
        ("", "What is the lighthouse of Skagen like?", "en", "What is the built in of Skagen?"),
        ("height in metres", "What is the lighthouse of Skagen like?", "en", "What is the height in metres of Skagen?"),
        ("Who built it?", "What is nginx?", "en", "Who built nginx?"),
        ("the age of Skagen", "What is the lighthouse of Skagen like?", "en", "What is the age of Skagen?"),
        ("Höhe in Metern", "Was ist nginx?", "de", "Was ist Höhe in Metern von nginx?"),
    ],
)
def test_value_is_asked_for_by_its_description(described: str, question: str, lang: str, asked: str) -> None:
    assert field_question(leaf(description=described), question, lang) == asked


@each_row(
    ("of", "given", "value"),
    [
        (leaf(), answer("Robert Tallis built it.", "Robert Tallis"), "Robert Tallis"),
        (leaf(), answer("It is grey."), "It is grey."),  # the sentence where no few words say it
        (leaf(), answer("x" * 301), None),
        (leaf("integer"), answer("It was built in 1871 with 176 steps.", "1871"), 1871),
        (leaf("integer"), answer("It was built in 1871 with 176 steps."), None),  # which of them?
        (leaf("integer"), answer("It is 31.5 m high."), None),
        (leaf("number"), answer("It costs 1,250.50 crowns."), 1250.5),
        (leaf("number", minimum=1900), answer("It was built in 1871."), None),
        (leaf("boolean"), answer("It is open.", says="Yes"), True),
        (leaf("boolean"), answer("Er ist nicht offen.", says="Nein"), False),
        (leaf("boolean"), answer("It is open."), None),
        (leaf(choices=("grey", "red")), answer("The tower is Grey all over."), "grey"),
        (leaf(choices=("grey", "red")), answer("It is grey and red."), None),
        (leaf(), answer("Robert Tallis built it.", "Robert Tallis", markers=()), None),  # nothing is cited
    ],
)
def test_value_is_what_the_cited_sentence_says(of: Leaf, given: Answer, value: object) -> None:
    found = read_value(of, given)
    assert found == (None if value is None else (value, CITED))


def with_quote(given: Answer, quote: str) -> Answer:
    return replace(given, citations=(replace(CITED, quote=quote),))


KEPT = "It was kept by Anna Berg, Otto Lind and Ida Holm."
STEPS = "You need:\n\n- a torch\n- a rope,\n- a torch\n"


@each_row(
    ("of", "given", "quote", "value"),
    [
        (
            leaf(is_list=True),
            answer(KEPT, "Anna Berg, Otto Lind and Ida Holm"),
            KEPT,
            ("Anna Berg", "Otto Lind", "Ida Holm"),
        ),
        (leaf(is_list=True), answer(KEPT, "Anna Berg"), KEPT, ("Anna Berg",)),
        (leaf(is_list=True), answer(KEPT), KEPT, None),  # which of its words?
        (leaf(is_list=True), answer("You need:", "You"), STEPS, ("a torch", "a rope")),
        (leaf(is_list=True), answer("Do this.", "this"), "1. Light it.\n2) Wait.", ("Light it", "Wait")),
        (leaf(is_list=True), answer("Das sind Öl und Docht.", "Öl und Docht"), "x", ("Öl", "Docht")),
        (leaf(is_list=True), answer("油、灯芯です", "油、灯芯"), "x", ("油", "灯芯")),
        (leaf(is_list=True), answer(KEPT, KEPT, markers=()), KEPT, None),
        (
            leaf("integer", is_list=True),
            answer("In 1871, 1890 and 1911.", "1871, 1890 and 1911"),
            "x",
            (1871, 1890, 1911),
        ),
        (leaf("integer", is_list=True), answer("In 1871 and later.", "1871 and later"), "x", None),
        (leaf("number", is_list=True, maximum=10), answer("It is 3 and 31 m.", "3 and 31"), "x", None),
        (leaf(is_list=True, choices=("red", "white", "blue")), answer("It is White and red."), "x", ("red", "white")),
        (leaf(is_list=True, choices=("red",)), answer("It is reddish."), "x", None),
    ],
)
def test_list_is_the_one_in_the_quote_or_what_the_sentence_enumerates(
    of: Leaf, given: Answer, quote: str, value: object
) -> None:
    found = read_value(of, with_quote(given, quote))
    assert (found[0] if found else None) == value
