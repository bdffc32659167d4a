"""Values are read from answers, tables, lists and a model's reply where they are clearly said."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given as given_by
from hypothesis import strategies as st

from domain import Answer, Citation, Focus, Sentence
from domain.answer import StructuredAnswer, StructuredField
from pipeline.answering.schema import MAX_ROWS, Leaf, Rows, parse_schema
from pipeline.answering.structured_answer import NOT_GIVEN, field_question, read_value, rows_of, with_given
from pipeline.llm import Given
from pipeline.models.prompts import form_prompt
from pipeline.models.replies import read_form
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


# --- rows


def rows(**kinds: Any) -> Rows:
    fields = tuple(Leaf(path=(name,), kind=kind) for name, kind in kinds.items())
    return Rows(path=("parts",), fields=fields)


def read(of: Rows, text: str, within: tuple[int, int] | None = None, lang: str = "en") -> list[dict[str, Any]]:
    return [row.values for row in rows_of(of, text, within or (0, len(text)), lang)]


PRICED = rows(name="string", price="number")
TABLE = "Part | Price | Weight\nLamp | 4 € | 2 kg\nWick | - | 1 kg"
LAMP, WICK = {"name": "Lamp", "price": 4}, {"name": "Wick"}


@each_row(
    ("of", "text", "found"),
    [
        (PRICED, TABLE, [LAMP, WICK]),  # the first column names the rows
        (PRICED, f"Prices:\n\n{TABLE}\n\nThat is all.", [LAMP, WICK]),
        (PRICED, "Price | Name\n4 | Lamp\n5 | Oil", [LAMP, {"name": "Oil", "price": 5}]),
        (rows(name="string", unitPrice="number"), "Part | Unit price\nLamp | 4", [{"name": "Lamp", "unitPrice": 4}]),
        (PRICED, "Part | Price\nLamp | 4\nspare parts\n", [LAMP]),
        (PRICED, "Part | Price\nLamp | 4 | new\nOil | 5", [{"name": "Oil", "price": 5}]),  # merged: which is which?
        (PRICED, "Part | Height\nLamp | 4\nOil | 5", []),  # another table
        (rows(a="string", b="string", c="string", price="number"), TABLE, [{"a": "Lamp", "price": 4}, {"a": "Wick"}]),
        (rows(a="number", b="number", price="number"), TABLE, []),  # most of the fields are not there
        (rows(name="string", inStock="boolean"), "Part | In stock\nLamp | ✓\nOil | ✗",
         [{"name": "Lamp", "inStock": True}, {"name": "Oil", "inStock": False}]),
        (PRICED, f"A | B\nx | y\n\n{TABLE}", [LAMP, WICK]),  # of two, the one with the fields
        (rows(step="string"), "Do this:\n\n1. Light it.\n2. Wait.\n", [{"step": "Light it"}, {"step": "Wait"}]),
        (PRICED, "- Lamp: 4 €\n- Oil – 5 €", [LAMP, {"name": "Oil", "price": 5}]),
        (PRICED, "- Lamp: 4 €\n- Oil", []),  # not every item has both
        (PRICED, "- Lamp: cheap\n- Oil: dear", []),
        (rows(a="string", b="string", c="string"), "- Lamp: 4\n- Oil: 5", []),
        (PRICED, "No table.", []),
        (PRICED, "cat a | b\ncat c | d", []),
    ],
)  # fmt: skip
def test_rows_are_read(of: Rows, text: str, found: list[dict[str, Any]]) -> None:
    assert read(of, text) == found


def test_table_that_goes_on_beyond_what_was_found_is_read_as_a_whole() -> None:
    text = f"{TABLE}\n\nElse.\n\nPart | Price\nOil | 5"
    assert read(PRICED, text, (TABLE.index("Lamp"), TABLE.index("Lamp") + 4)) == [LAMP, WICK]


def test_long_table_is_cut() -> None:
    text = "Part | Price\n" + "\n".join(f"Lamp {at} | {at}" for at in range(100))
    assert len(read(PRICED, text)) == MAX_ROWS


@given_by(st.text(alphabet=st.sampled_from("Part Price|-\n1.: "), max_size=120), st.data())
def test_every_row_is_a_line_of_the_page_that_says_its_values(text: str, at: st.DataObject) -> None:
    start = at.draw(st.integers(0, len(text)))
    for row in rows_of(PRICED, text, (start, len(text)), "en"):
        line = text[row.start : row.end]
        assert line
        assert "\n" not in line
        assert str(row.values.get("name", "")) in " ".join(line.split())


# --- what a model gives


QUOTE = Citation(
    marker=1,
    passage_id="1-0",
    page_id=1,
    url="https://example.org/",
    title="Prices",
    quote="Anna Berg sells 1,200 lamps a year for 4.50 euros each, in red and blue; no lamp is out of stock.",
    start=0,
    end=97,
)
RULES = StructuredAnswer(value={}, fields=(StructuredField(path="/x", value="by a rule", citation=QUOTE),))


@each_row(
    ("schema", "texts", "expected"),
    [
        ({"type": "integer"}, ["1,200"], 1200),
        ({"type": "integer"}, ["1200"], 1200),
        ({"type": "integer"}, ["1300"], None),  # not in the quote
        ({"type": "integer", "maximum": 100}, ["1200"], None),  # not in the schema's bounds
        ({"type": "number"}, ["4.5"], 4.5),
        ({"type": "number"}, ["45"], None),
        ({"type": "string"}, ["Anna Berg"], "Anna Berg"),
        ({"type": "string"}, ["Anna Bergmann"], None),
        ({"type": "string"}, [""], None),
        ({"enum": ["red", "green"]}, ["red"], "red"),
        ({"enum": ["red", "green"]}, ["green"], None),
        ({"enum": ["red", "green"]}, ["blue"], None),
        ({"type": "boolean"}, ["no"], False),
        ({"type": "boolean"}, ["perhaps"], None),
        ({"type": "array", "items": {"type": "string"}}, ["red", "blue", "green"], ("red", "blue")),
    ],
)
def test_value_is_taken_if_it_stands_in_its_quote(
    schema: dict[str, object], texts: list[str], expected: object
) -> None:
    form = parse_schema({"properties": {"x": schema}})
    given = [Given(path="/x", text=text, citation=QUOTE) for text in texts]
    (field,) = with_given(form, RULES, given, confidence=0.9).fields
    assert field.value == expected
    assert (field.citation, field.reason) == ((QUOTE, "") if expected is not None else (None, NOT_GIVEN))


def test_rows_of_the_rules_stay_where_the_model_gives_fewer_values() -> None:
    rows = {"type": "array", "items": {"properties": {"name": {"type": "string"}, "count": {"type": "integer"}}}}
    form = parse_schema({"properties": {"rows": rows}})
    (name, count) = (
        {"path": f"/rows/0/{field}", "value": text} for field, text in (("name", "lamps"), ("count", "1200"))
    )
    given = read_form({"values": [{**name, "quote": 1}, {**count, "quote": 1}, {"path": 3}, "x"]}, [QUOTE])
    assert with_given(form, RULES, given, confidence=0.9).value == {"rows": [{"name": "lamps", "count": 1200}]}
    known = with_given(form, RULES, given, confidence=0.5)
    assert with_given(form, known, given[:1], confidence=0.9) == known


def test_model_is_told_each_field_with_its_path_and_choices() -> None:
    rows = {"type": "array", "description": "Lamps", "items": {"properties": {"colour": {"enum": ["red"]}}}}
    form = parse_schema(
        {
            "properties": {
                "made/by": {"type": "string"},
                "sizes": {"type": "array", "items": {"type": "number"}},
                "lamps": rows,
            }
        }
    )
    (told,) = form_prompt("Which lamps are there?", form, [QUOTE]).texts
    assert json.loads(told)["fields"] == [
        {"path": "/made~1by", "type": "string", "about": "made by"},
        {"path": "/sizes", "type": "list of number", "about": "sizes"},
        {"path": "/lamps/*/colour", "type": "string", "about": "Lamps colour", "choices": ["red"]},
    ]
