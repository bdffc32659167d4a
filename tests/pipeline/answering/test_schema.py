"""A schema is read as the values and lists to look up; one that nobody could fill is refused with the reason."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from pipeline.answering.schema import MAX_COLUMNS, MAX_FIELDS, BadSchema, Rows, filled, parse_schema
from tests.tables import each_row


class Height(BaseModel):
    metres: float | None = Field(None, description="height in metres")


class Tower(BaseModel):
    builder: str
    built: int | None = None
    size: Height


def test_schema_of_a_pydantic_model_is_read_with_its_references() -> None:
    leaves = parse_schema(Tower.model_json_schema())
    assert [(leaf.pointer, leaf.kind, leaf.label) for leaf in leaves] == [
        ("/builder", "string", "builder"),
        ("/built", "integer", "built"),
        ("/size/metres", "number", "height in metres"),
    ]
    assert filled(leaves, {"/size/metres": 31.5, "/built": 1871}) == {
        "builder": None,
        "built": 1871,
        "size": {"metres": 31.5},
    }


def test_list_is_looked_up_as_one() -> None:
    named = {"$defs": {"colour": {"enum": ["red", "white"]}}}
    schema = {
        "properties": {
            "keepers": {"type": "array", "items": {"type": "string", "description": "a keeper"}},
            "heights": {"type": ["array", "null"], "items": {"type": "number", "minimum": 1}, "description": "heights"},
            "colours": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/colour"}}, {"type": "null"}]},
        }
    }
    leaves = parse_schema(schema | named)
    assert [(leaf.pointer, leaf.kind, leaf.is_list, leaf.label) for leaf in leaves] == [
        ("/keepers", "string", True, "a keeper"),
        ("/heights", "number", True, "heights"),
        ("/colours", "string", True, "colours"),
    ]
    assert (leaves[1].minimum, leaves[2].choices) == (1, ("red", "white"))


MANY = {f"f{n}": {"type": "string"} for n in range(MAX_COLUMNS + 1)}
LISTED = {"type": "array", "items": {"properties": {"name": {"type": "string"}, "price": {"type": "number"}}}}


def test_list_of_objects_has_the_fields_of_each() -> None:
    (rows,) = parse_schema({"properties": {"parts": {**LISTED, "description": "What do they cost?"}}})
    assert isinstance(rows, Rows)
    assert (rows.pointer, rows.description) == ("/parts", "What do they cost?")
    assert [(leaf.path, leaf.kind) for leaf in rows.fields] == [(("name",), "string"), (("price",), "number")]
    values = {"/parts/0/name": "Lamp", "/parts/0/price": 4, "/parts/1/name": "Wick", "/parts/2/name": None}
    assert filled([rows], values) == {"parts": [{"name": "Lamp", "price": 4}, {"name": "Wick", "price": None}]}
    assert filled([rows], {"/parts": None}) == {"parts": []}


def test_schema_may_be_a_list_of_objects_itself() -> None:
    (rows,) = parse_schema({**LISTED, "description": "What do the parts cost?"})
    assert isinstance(rows, Rows)
    assert (rows.pointer, rows.description, len(rows.fields)) == ("", "What do the parts cost?", 2)
    assert filled([rows], {"/0/name": "Lamp", "/1/price": 4}) == [
        {"name": "Lamp", "price": None},
        {"name": None, "price": 4},
    ]
    assert filled([rows], {"": None}) == []


def of(**part: Any) -> dict[str, Any]:
    return {"properties": {"x": part}}


@each_row(
    ("schema", "why"),
    [
        ({}, "no field"),
        ({"type": "string"}, "must be an object"),
        ({"properties": []}, "must be an object"),
        ({"type": "array", "items": {"type": "string"}}, "answer_schema/items must be an object"),
        ({"type": "array"}, "answer_schema/items must be an object"),
        ({"properties": {"x": 1}}, "must be an object that describes"),
        ({"properties": {"x": {"type": "string"}}, "required": ["y"]}, "names a property that is not there"),
        (of(type="array"), "x/items must be an object"),
        (of(type="array", items={"type": "boolean"}), "items/type is boolean"),
        (of(type="array", items={"type": "array", "items": {"type": "string"}}), "'items' is not taken"),
        (of(type="array", items=of(type="array", items={"type": "string"})), "x/items/x: the objects of a list have"),
        (
            of(type="array", items=of(type="object", properties=of()["properties"])),
            "x/items/x: the objects of a list have",
        ),
        (of(type="array", items=of(**of(type="string"))), "x/items/x: the objects of a list have values only"),
        (of(type="array", items={"type": "object"}), "x/items has no field"),
        (of(type="array", items={"properties": MANY}), "has more than 10 fields"),
        ({"properties": {f"l{n}": LISTED for n in range(11)}}, "more than 20 fields"),
        (of(type="array", items={"type": "string"}, minItems=1), "'minItems' is not taken"),
        (of(type=["array", "string"], items={"type": "string"}), "one kind"),
        (of(type="array", items={"type": "string"}, description=1), "must be text"),
        (of(type="null"), "must be one of"),
        (of(), "must be one of"),
        (of(type=["string", "number"]), "must be one of"),
        (of(type="string", pattern="(a+)+$"), "'pattern' is not taken"),
        (of(enum=[]), "one at least"),
        (of(enum=[1]), "list of texts"),
        (of(type="number", minimum=3, maximum=2), "no number"),
        (of(type="number", minimum="3"), "must be numbers"),
        (of(**{"$ref": "#/$defs/none"}), "names nothing"),
        (of(**{"$ref": "https://example.org/schema"}), "names nothing"),
        (of(**{"$ref": "#/properties/x"}), "refers to itself"),
        (of(anyOf=[{"type": "string"}, {"type": "number"}]), "only name one kind"),
        ({"properties": {f"f{n}": {"type": "string"} for n in range(MAX_FIELDS + 1)}}, "more than 20 fields"),
        (of(type="string", description="x" * 20_000), "characters and the limit is"),
        (of(properties={"a": of(properties={"b": of(properties={"c": of(type="string")})})}), "nested deeper"),
        ({"properties": {"": {"type": "string"}}}, "without a name"),
    ],
)
def test_schema_that_nobody_could_fill_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(BadSchema, match=why):
        parse_schema(schema)


def unfolding(width: int, last: Any, *, items: bool = False) -> dict[str, Any]:
    """A schema whose references name each other: ``width`` properties at each of four depths."""
    named = [{"$ref": f"#/$defs/{depth}"} for depth in range(3)]
    depths = [
        {"properties": {f"p{n}": inner for n in range(width)}}
        for inner in (*named[1:], {"type": "array", "items": last} if items else last)
    ]
    return {"properties": {f"p{n}": named[0] for n in range(width)}, "$defs": dict(zip("012", depths, strict=True))}


_TEXT = {"type": "string"}


@each_row(
    ("schema", "why"),
    [
        (unfolding(100, _TEXT), "more than 20 fields"),
        (unfolding(100, _TEXT, items=True), "more than 20 fields"),
        (unfolding(100, {"type": "object"}), "nested deeper"),
        (unfolding(100, {"properties": {}}, items=True), "items has no field"),
        (of(type="array", items=unfolding(100, _TEXT)["properties"]["p0"]) | unfolding(100, _TEXT), "more than 20"),
        (of(type="array", items={"$ref": "#"}), "names nothing"),
        (
            of(type="array", items={"$ref": "#/$defs/a"})
            | {"$defs": {"a": of(type="array", items={"$ref": "#/$defs/a"})}},
            "the objects of a list have values only",
        ),
    ],
)
def test_references_are_counted_while_they_unfold(schema: dict[str, Any], why: str) -> None:
    began = time.process_time()
    with pytest.raises(BadSchema, match=why):
        parse_schema(schema)
    assert time.process_time() - began < 0.2


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "items", "$ref", "anyOf", "enum", "required", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["type", "properties", "$ref", "anyOf", "required", "$defs"]), _JSON, max_size=4)
)
def test_no_json_breaks_it(schema: dict[str, Any]) -> None:
    with suppress(BadSchema):
        assert parse_schema(schema)
