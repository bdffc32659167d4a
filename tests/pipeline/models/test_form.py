"""A value that a model reads for a form is taken if it stands in the quote that it names."""

from __future__ import annotations

from domain import Citation
from domain.answer import StructuredAnswer, StructuredField
from pipeline.answering.structured.schema import parse_schema
from pipeline.llm import Given
from pipeline.models.form import NOT_GIVEN, described, read_form, with_given
from tests.tables import each_row

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
    assert list(described(form)) == [
        {"path": "/made~1by", "type": "string", "about": "made by"},
        {"path": "/sizes", "type": "list of number", "about": "sizes"},
        {"path": "/lamps/*/colour", "type": "string", "about": "Lamps colour", "choices": ("red",)},
    ]
