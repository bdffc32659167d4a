"""A schema is read as the values and lists to look up; one that nobody could fill is refused with the reason."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from pipeline.answering.structured.schema import MAX_FIELDS, BadSchema, filled, parse_schema
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


def of(**part: Any) -> dict[str, Any]:
    return {"properties": {"x": part}}


@each_row(
    ("schema", "why"),
    [
        ({}, "no field"),
        ({"type": "string"}, "must be an object"),
        ({"properties": []}, "must be an object"),
        ({"properties": {"x": 1}}, "must be an object that describes"),
        ({"properties": {"x": {"type": "string"}}, "required": ["y"]}, "names a property that is not there"),
        (of(type="array"), "x/items must be an object"),
        (of(type="array", items={"type": "boolean"}), "items/type is boolean"),
        (of(type="array", items={"type": "array", "items": {"type": "string"}}), "'items' is not taken"),
        (of(type="array", items=of(type="string")), "'properties' is not taken"),
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
        ({"properties": {f"f{n}": {"type": "string"} for n in range(MAX_FIELDS + 1)}}, "fields and the limit is"),
        (of(type="string", description="x" * 20_000), "characters and the limit is"),
        (of(properties={"a": of(properties={"b": of(properties={"c": of(type="string")})})}), "nested deeper"),
        ({"properties": {"": {"type": "string"}}}, "without a name"),
    ],
)
def test_schema_that_nobody_could_fill_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(BadSchema, match=why):
        parse_schema(schema)


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
