"""The form that was asked for is filled from the stored pages once a question has ended, each value cited or null."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from domain import Status
from domain.answer import StructuredAnswer, StructuredField
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from tests.openai_double import OpenAIDouble, model_at
from tests.workers.questions.test_lookup import put
from tests.workers.questions.test_lookup import reading as reading
from workers.questions import lookup, structured, transitions
from workers.services import Services

PAGE = "The lighthouse of Vierburg was built in 1874. Anna Berg built the lighthouse of Vierburg."
SCHEMA = {
    "properties": {
        "year": {"type": "integer", "description": "When was the lighthouse of Vierburg built?"},
        "keeper": {"type": "string", "description": "Which cheese does the moon eat for breakfast?"},
    }
}


def ended(services: Services, schema: dict[str, Any] | None) -> tuple[structured.Move, structured.Move]:
    new = NewQuestion(text="When was the lighthouse of Vierburg built?", crawl_enabled=False, answer_schema=schema)
    question, _ = services.write(new_questions.ask, new, services.now())
    move = transitions.after_second_pass(question, lookup.second_pass(services, question))
    return move, structured.with_form(services, question, move)


def test_values_are_cited_and_what_no_page_says_is_null(reading: Services) -> None:
    page_id = put(reading, PAGE)
    _, move = ended(reading, SCHEMA)
    assert move.to in (Status.ANSWERED, Status.ABSTAINED)
    assert move.answer is not None
    form = move.answer.structured
    assert form is not None
    assert form.value == {"year": 1874, "keeper": None}
    year, keeper = form.fields
    assert year.citation is not None
    assert (year.path, year.citation.page_id, PAGE[year.citation.start : year.citation.end]) == (
        "/year",
        page_id,
        year.citation.quote,
    )
    assert (keeper.value, keeper.citation, keeper.confidence) == (None, None, 0.0)


def test_list_is_stored_and_read_back_with_one_citation(reading: Services) -> None:
    put(reading, "The tools that the lighthouse of Vierburg needs are a torch, a rope and a lamp.")
    colours = {"type": "array", "items": {"enum": ["torch", "rope", "ladder"]}}
    tools = colours | {"description": "What are the tools that the lighthouse of Vierburg needs?"}
    _, move = ended(reading, {"properties": {"tools": tools}})
    assert move.answer is not None
    assert move.answer.structured is not None
    (field,) = move.answer.structured.fields
    assert field.value == ("torch", "rope")
    assert field.citation is not None
    assert read_back(move.answer.structured).fields == (field,)


def read_back(form: StructuredAnswer) -> StructuredAnswer:
    """A form as it comes out of the database."""
    kind = TypeAdapter(StructuredAnswer)
    return kind.validate_python(json.loads(kind.dump_json(form)))


def test_whole_number_is_one_when_it_is_read_back() -> None:
    values = (1874, 31.5, True, "1874", (1, 2.5, "x"))
    form = StructuredAnswer(value={}, fields=tuple(StructuredField(path="/x", value=value) for value in values))
    assert repr(read_back(form)) == repr(form)


TABLE = (
    "Parts\n\nThe parts of the lighthouse of Vierburg cost this:\n\n"
    "Part | Price in euros | In stock\nLamp | 40 | yes\nWick | 1.5 | no\nMirror | on request | yes\n"
)
PARTS = {
    "type": "array",
    "description": "What do the parts of the lighthouse of Vierburg cost?",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}, "inStock": {"type": "boolean"}},
        "required": ["name"],
    },
}


def test_rows_of_a_table_are_objects_each_value_with_its_row(reading: Services) -> None:
    page_id = put(reading, TABLE)
    _, move = ended(reading, {"properties": {"parts": PARTS}})
    assert move.answer is not None
    form = move.answer.structured
    assert form is not None
    assert form.value == {
        "parts": [
            {"name": "Lamp", "price": 40, "inStock": True},
            {"name": "Wick", "price": 1.5, "inStock": False},
            {"name": "Mirror", "price": None, "inStock": True},
        ]
    }
    fields = {field.path: field for field in form.fields}
    assert len(fields) == 9
    cited = fields["/parts/1/price"].citation
    assert cited is not None
    assert (cited.page_id, cited.quote, TABLE[cited.start : cited.end]) == (page_id, *["Wick | 1.5 | no"] * 2)
    assert (fields["/parts/2/price"].citation, fields["/parts/2/price"].reason) == (None, structured.NOT_READ)
    assert read_back(form) == form


def test_form_may_be_a_list_of_objects_itself(reading: Services) -> None:
    put(reading, TABLE)
    _, move = ended(reading, PARTS)
    assert move.answer is not None
    form = move.answer.structured
    assert form is not None
    assert form.value == [
        {"name": "Lamp", "price": 40, "inStock": True},
        {"name": "Wick", "price": 1.5, "inStock": False},
        {"name": "Mirror", "price": None, "inStock": True},
    ]
    assert form.fields[0].path == "/0/name"
    assert read_back(form) == form
    _, move = ended(reading, PARTS | {"description": "Which cheeses does the moon eat for breakfast?"})
    assert move.answer is not None
    assert move.answer.structured is not None
    assert move.answer.structured.value == []


def test_rows_that_no_page_gives_are_none_and_say_why(reading: Services) -> None:
    put(reading, PAGE)
    cheeses = PARTS | {"description": "Which cheeses does the moon eat for breakfast?"}
    _, move = ended(reading, {"properties": {"parts": PARTS, "cheeses": cheeses}})
    assert move.answer is not None
    form = move.answer.structured
    assert form is not None
    assert form.value == {"parts": [], "cheeses": []}
    assert {field.value for field in form.fields} == {None}
    assert all(field.reason in (structured.NO_ROWS, structured.NOT_SAID) for field in form.fields)


def test_lookup_asks_no_model_for_the_values(reading: Services) -> None:
    put(reading, PAGE)
    with OpenAIDouble() as server:
        reading.__dict__["model"] = model = model_at(server.url)
        _, move = ended(reading, SCHEMA)
        model.close()
        asked = [request.user for request in server.received]
    assert move.answer is not None
    assert move.answer.structured is not None
    assert move.answer.structured.value == {"year": 1874, "keeper": None}
    assert not [said for said in asked if "cheese" in said]


def test_question_without_a_form_ends_as_it_did(reading: Services) -> None:
    put(reading, PAGE)
    move, formed = ended(reading, None)
    assert formed is move


def test_form_is_all_null_where_nothing_was_read(reading: Services) -> None:
    _, move = ended(reading, SCHEMA)
    assert move.answer is not None
    assert move.answer.structured is not None
    assert move.answer.structured.value == {"year": None, "keeper": None}
