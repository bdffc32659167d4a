"""Read the JSON schema that an answer is to have: an object or a list of objects, whose values are looked up."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal

from domain.answer import Form
from domain.errors import WellreadError

Kind = Literal["string", "number", "integer", "boolean"]

MAX_CHARACTERS: Final = 16_384
MAX_FIELDS: Final = 20
MAX_DEPTH: Final = 4
#: of a list of objects, and of the fields of its objects
MAX_ROWS, MAX_COLUMNS = 50, 10
_KINDS: Final = ("string", "number", "integer", "boolean")
#: what may be in a schema and changes nothing here
_NOTES: Final = frozenset(
    ("title", "default", "examples", "$schema", "$id", "$comment", "$defs", "definitions", "format")
)
_OF_OBJECT: Final = frozenset(("type", "properties", "required", "additionalProperties", "description"))
_OF_VALUE: Final = frozenset(("type", "enum", "minimum", "maximum", "description"))
_OF_LIST: Final = frozenset(("type", "items", "description"))
_LONGEST_DESCRIPTION: Final = 300
_CAMEL: Final = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_\-./\s]+")


class BadSchema(WellreadError):
    """The answer's schema cannot be filled; the message says which part and why."""


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A value of the schema, or a list of such values."""

    path: tuple[str, ...]  #: the names of the properties that lead to it
    kind: Kind
    is_list: bool = False
    description: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    @property
    def pointer(self) -> str:
        """Return the path as a JSON pointer."""
        return pointer_of(*self.path)

    @property
    def label(self) -> str:
        """Return what it is in words: its description, or the words of its name."""
        return self.description or self.words

    @property
    def words(self) -> str:
        """Return the words of its name."""
        return " ".join(filter(None, _CAMEL.split(self.path[-1]))).lower()


@dataclass(frozen=True, kw_only=True)
class Rows:
    """A list of objects with values."""

    path: tuple[str, ...]  #: empty for a schema that is the list itself
    fields: tuple[Leaf, ...]  #: of each object; their paths are their names
    description: str = ""

    @property
    def pointer(self) -> str:
        """Return the path as a JSON pointer."""
        return pointer_of(*self.path)


def pointer_of(*names: object) -> str:
    """Return the JSON pointer of a path."""
    return "".join(f"/{str(name).replace('~', '~0').replace('/', '~1')}" for name in names)


def parse_schema(schema: Mapping[str, Any]) -> tuple[Leaf | Rows, ...]:
    """Return the values of a schema in order; raises BadSchema for one that nobody could fill."""
    size = len(json.dumps(schema, ensure_ascii=False))
    if size > MAX_CHARACTERS:
        raise BadSchema(
            f"The schema has {size:,} characters and the limit is {MAX_CHARACTERS:,}: ask for fewer fields."
        )
    part = _plain(schema, schema, where := "answer_schema")
    found = _list_of_objects(part, schema, where) if "array" in _kinds(part) else _of_object(part, schema, (), where)
    leaves = tuple(islice(found, MAX_FIELDS + 1))  # references can unfold to millions
    if sum(len(leaf.fields) if isinstance(leaf, Rows) else 1 for leaf in leaves) > MAX_FIELDS:
        raise BadSchema(f"The schema has more than {MAX_FIELDS} fields: ask for the others apart.")
    return leaves


def filled(leaves: Sequence[Leaf | Rows], values: Mapping[str, Any]) -> Form:
    """Return what the schema describes, with the values by pointer; null for those that are missing.

    A list of objects has one for each number from 0 on that some value's pointer has.
    """
    whole: dict[str, Any] = {}
    for leaf in leaves:
        if isinstance(leaf, Rows) and not leaf.path:
            return _objects(leaf, values)
        place = whole
        for name in leaf.path[:-1]:
            place = place.setdefault(name, {})
        place[leaf.path[-1]] = _objects(leaf, values) if isinstance(leaf, Rows) else values.get(leaf.pointer)
    return whole


def _objects(rows: Rows, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    made = [
        {leaf.path[0]: values.get(pointer_of(*rows.path, at, *leaf.path)) for leaf in rows.fields}
        for at in range(MAX_ROWS)
    ]
    return [each for each in made if any(value is not None for value in each.values())]


def _of_object(
    part: Mapping[str, Any], whole: Mapping[str, Any], path: tuple[str, ...], where: str, *, in_list: bool = False
) -> Iterator[Leaf | Rows]:
    _only(part, _OF_OBJECT, where)
    if part.get("type", "object") != "object" or not isinstance(properties := part.get("properties", {}), dict):
        raise BadSchema(f"{where} must be an object with `properties`.")
    if len(path) >= MAX_DEPTH:
        raise BadSchema(f"{where} is nested deeper than {MAX_DEPTH} objects: name its fields further up.")
    required = part.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) and name in properties for name in required):
        raise BadSchema(f"{where}/required names a property that is not there.")
    if not properties:  # each object has a field, so that whoever counts fields counts all that is looked at
        raise BadSchema(f'{where} has no field: give `properties`, such as {{"year": {{"type": "integer"}}}}.')
    for name, given in properties.items():
        inner = _plain(given, whole, f"{where}/{name}")
        if not name.strip():
            raise BadSchema(f"{where} has a property without a name.")
        if in_list and not {"object", "array"}.isdisjoint((*_kinds(inner), "object" if "properties" in inner else "")):
            raise BadSchema(f"{where}/{name}: the objects of a list have values only, no lists or objects.")
        if inner.get("type") == "object" or "properties" in inner:
            yield from _of_object(inner, whole, (*path, name), f"{where}/{name}")
        elif "array" in _kinds(inner):
            yield _list(inner, whole, (*path, name), f"{where}/{name}")
        else:
            yield _leaf(inner, (*path, name), f"{where}/{name}")


def _list_of_objects(part: Mapping[str, Any], whole: Mapping[str, Any], where: str) -> Iterator[Rows]:
    listed = _list(part, whole, ("",), where)
    if not isinstance(listed, Rows):
        raise BadSchema(f"{where}/items must be an object: name a list of values by a field, of an object.")
    yield replace(listed, path=())


def _list(part: Mapping[str, Any], whole: Mapping[str, Any], path: tuple[str, ...], where: str) -> Leaf | Rows:
    _only(part, _OF_LIST, where)
    if _kinds(part) != ["array"]:
        raise BadSchema(f"{where}/type must be one kind of value.")
    described, where = _description(part, where), f"{where}/items"
    items = _plain(part.get("items"), whole, where)
    if items.get("type") == "object" or "properties" in items:
        fields = tuple(islice(_of_object(items, whole, (), where, in_list=True), MAX_COLUMNS + 1))
        if len(fields) > MAX_COLUMNS:
            raise BadSchema(f"{where} has more than {MAX_COLUMNS} fields.")
        return Rows(path=path, fields=tuple(each for each in fields if isinstance(each, Leaf)), description=described)
    item = _leaf(items, path, where)
    if item.kind == "boolean":
        raise BadSchema(f"{where}/type is boolean: ask for each by a field of its own.")
    return replace(item, is_list=True, description=described or item.description)


def _kinds(part: Mapping[str, Any]) -> list[Any]:
    """Return the kinds of value that a part names, without null."""
    kinds = part.get("type", "string" if "enum" in part else None)
    return [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind != "null"]


def _leaf(part: Mapping[str, Any], path: tuple[str, ...], where: str) -> Leaf:
    _only(part, _OF_VALUE, where)
    choices = part.get("enum", [])
    named = _kinds(part)
    if len(named) != 1 or named[0] not in _KINDS:
        raise BadSchema(f"{where}/type must be one of {', '.join(_KINDS)}, an object, or a list of such values.")
    texts: list[Any] = [choice for choice in choices if choice is not None] if isinstance(choices, list) else [None]
    if not all(isinstance(choice, str) for choice in texts) or ("enum" in part and not texts):
        raise BadSchema(f"{where}/enum must be a list of texts, with one at least.")
    minimum, maximum = (part.get(name) for name in ("minimum", "maximum"))
    for bound in (minimum, maximum):
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
            raise BadSchema(f"{where}: minimum and maximum must be numbers.")
    if minimum is not None and maximum is not None and minimum > maximum:
        raise BadSchema(f"{where}: no number is at least {minimum} and at most {maximum}.")
    return Leaf(
        path=path,
        kind=named[0],
        description=_description(part, where),
        choices=tuple(texts),
        minimum=minimum,
        maximum=maximum,
    )


def _description(part: Mapping[str, Any], where: str) -> str:
    described = part.get("description", "")
    if not isinstance(described, str):
        raise BadSchema(f"{where}/description must be text.")
    return described.strip()[:_LONGEST_DESCRIPTION]


def _plain(part: Any, whole: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return a part without what says that it may be null, and what a reference names."""
    for _ in range(MAX_DEPTH):
        if not isinstance(part, dict):
            raise BadSchema(f"{where} must be an object that describes a value.")
        if isinstance(either := part.get("anyOf"), list):
            real = [each for each in either if each != {"type": "null"}]
            if len(real) != 1 or not isinstance(real[0], dict):
                raise BadSchema(f"{where}/anyOf may only name one kind of value, and null.")
            part = {**real[0], **{name: value for name, value in part.items() if name != "anyOf"}}
        elif "$ref" in part:
            named = _named(part["$ref"], whole, where)
            part = {**named, **{name: value for name, value in part.items() if name != "$ref"}}
        else:
            return part
    raise BadSchema(f"{where} refers to itself, or too far.")


def _named(reference: Any, whole: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    found: Any = whole
    steps = reference[2:].split("/") if isinstance(reference, str) and reference.startswith("#/") else [""]
    for name in steps:
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise BadSchema(f"{where}/$ref names nothing in this schema.")
    return found


def _only(part: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    if others := sorted(part.keys() - known - _NOTES):
        raise BadSchema(f"{where}: {others[0]!r} is not taken: there are {', '.join(sorted(known))}.")
