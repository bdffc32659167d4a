"""Writes the API's types in TypeScript from its OpenAPI description, and the options of the Python client's questions.

``make docs`` writes them; a test holds them equal. It knows the kinds of JSON schema that the description uses.
"""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from api.schemas.requests import FolderRequest, SourceChanges
from domain.errors import WellreadError
from domain.options import Asked, Option, QuestionFilter, QuestionRequest, SearchRequest, options_of

ROOT = Path(__file__).parent.parent
PLACE = ROOT / "clients/typescript/types.ts"
#: of the Python client's types
OPTIONS = ROOT / "wellread/options.py"

_HEAD = "// Written by `make docs` from the API's OpenAPI description: do not edit.\n"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_OPTIONS_HEAD = '''"""The options of the client. Written by ``make docs`` from the API's bodies."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
'''
_PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_NAME = re.compile(r"[A-Za-z_]\w*")


class UnknownSchema(WellreadError):
    """The description has a schema of a kind that cannot be written as a type."""


def typescript(openapi: Mapping[str, Any]) -> str:
    """Return the types of an OpenAPI description. Raise UnknownSchema where one has a kind that is not known here."""
    schemas = openapi["components"]["schemas"]
    parts = [_HEAD, *(_declaration(name, schema) for name, schema in schemas.items()), "\n".join(_routes(openapi))]
    return "\n".join(parts) + "\n"


def python_options() -> str:
    """Return the module with the options that the Python client takes."""
    common = {option.name for option in options_of(Asked)}
    further = [option for option in options_of(QuestionRequest) if option.name not in common]
    options = _typed_dict("Options(TypedDict", "How a question is to be asked and answered.", options_of(Asked))
    terms = _typed_dict("Terms(Options", "Further options of a question that nobody waits for.", further)
    filters = [option for option in options_of(SearchRequest) if option.name != "query"]
    found = _typed_dict("Filters(TypedDict", "What a search is bound to.", filters)
    settings = _typed_dict("SourceOptions(TypedDict", "What is set of a source.", options_of(SourceChanges), null=True)
    asked = _typed_dict("QuestionFilters(TypedDict", "Which questions are meant.", options_of(QuestionFilter))
    watched = [option for option in options_of(FolderRequest) if option.name not in ("url", "collection")]
    folder = _typed_dict("FolderOptions(TypedDict", "How a folder elsewhere is watched.", watched)
    return "\n\n".join((_OPTIONS_HEAD, options, terms, found, asked, settings, folder))


def type_of(schema: Mapping[str, Any]) -> str:
    """Return a schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(choice) for choice in schema["anyOf"]))
    match schema.get("type"):
        case None:
            return "unknown"
        case "array":
            return f"Array<{type_of(schema.get('items', {}))}>"
        case "object" if "properties" in schema:
            return "{ " + "; ".join(_members(schema)) + " }"
        case "object":
            extra = schema.get("additionalProperties", True)
            return f"Record<string, {'unknown' if isinstance(extra, bool) else type_of(extra)}>"
        case str(kind) if kind in _PLAIN:
            return _PLAIN[kind]
    raise UnknownSchema(
        f"{json.dumps(schema)[:200]} cannot be written as a type: teach docs/generate_types.py its kind."
    )


def _typed_dict(head: str, docstring: str, options: Iterable[Option], *, null: bool = False) -> str:
    """Return options as a type; ``null``: each that has no other default may be None, which takes it back."""
    lines = [f"class {head}, total=False):", f'    """{docstring}"""', ""]
    for option in options:
        may_be_none = " | None" if null and option.field.default is None else ""
        line = f"    {option.name}: {_python_type(option.schema)}{may_be_none}"
        if len(f"{line}  # {option.description}") <= 120:
            lines.append(f"{line}  # {option.description}")
        else:
            wrapped = textwrap.wrap(option.description, 120, initial_indent="    # ", subsequent_indent="    # ")
            lines += [*wrapped, line]
    return "\n".join(lines) + "\n"


def _python_type(schema: Mapping[str, Any]) -> str:
    """Return a schema as a type: a choice as the type of what can be chosen, so that any text or number is taken."""
    if schema["type"] == "array":
        return f"Sequence[{_python_type(schema['items'])}]"
    if schema["type"] == "object":
        return "Mapping[str, Any]"
    return _PYTHON[schema["type"]]


def _declaration(name: str, schema: Mapping[str, Any]) -> str:
    if "properties" not in schema:
        return f"{_comment(schema)}export type {name} = {type_of(schema)};\n"
    needed = schema.get("required", ())
    lines = [
        f"{_comment(field, '  ')}  {_key(key)}{'' if key in needed else '?'}: {type_of(field)};"
        for key, field in schema["properties"].items()
    ]
    return f"{_comment(schema)}export interface {name} {{\n" + "\n".join(lines) + "\n}\n"


def _members(schema: Mapping[str, Any]) -> Iterator[str]:
    needed = schema.get("required", ())
    for key, field in schema["properties"].items():
        yield f"{_key(key)}{'' if key in needed else '?'}: {type_of(field)}"


def _routes(openapi: Mapping[str, Any]) -> Iterator[str]:
    yield "/** What each route takes in its path, query and body, and the JSON that it answers with. */"
    yield "export interface Routes {"
    for path, operations in openapi["paths"].items():
        for method, operation in operations.items():
            yield f"{_comment(operation, '  ')}  {json.dumps(f'{method.upper()} {path}')}: {{ {_route(operation)} }};"
    yield "}"


def _route(operation: Mapping[str, Any]) -> str:
    parts = []
    for place in ("path", "query"):
        taken = [given for given in operation.get("parameters", ()) if given["in"] == place]
        if taken:
            needed = any(given.get("required") for given in taken)
            parts.append(f"{place}{'' if needed else '?'}: {{ {'; '.join(map(_parameter, taken))} }}")
    if body := operation.get("requestBody"):
        parts.append(f"body: {_content(body['content'])}")
    answers = [
        _content(answer["content"]) for code, answer in operation["responses"].items() if _is_answer(code, answer)
    ]
    parts.append(f"answer: {' | '.join(dict.fromkeys(answers)) or 'void'}")
    return "; ".join(parts)


def _parameter(given: Mapping[str, Any]) -> str:
    return f"{_key(given['name'])}{'' if given.get('required') else '?'}: {type_of(given['schema'])}"


def _is_answer(code: str, answer: Mapping[str, Any]) -> bool:
    return code.startswith("2") and bool(answer.get("content"))


def _content(content: Mapping[str, Any]) -> str:
    """Return the type of a body: what its JSON holds, a form, or its plain text."""
    if "application/json" in content:
        return type_of(content["application/json"].get("schema", {}))
    return "FormData" if "multipart/form-data" in content else "string"


def _key(name: str) -> str:
    return name if _NAME.fullmatch(name) else json.dumps(name)


def _comment(schema: Mapping[str, Any], indent: str = "") -> str:
    said = " ".join(str(schema.get("description", "")).partition("\n\n")[0].split()).replace("*/", "* /")
    return f"{indent}/** {said} */\n" if said else ""
