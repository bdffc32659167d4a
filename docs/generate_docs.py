"""Writes what docs/ holds of the code: settings, command line, routes, bodies, tasks; the clients' types; flow.js.

``make docs`` writes them; a test holds them equal. Everything but :func:`main` is pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel, TypeAdapter

from crawler.file_kinds import BY_SUFFIX, KINDS, NAMES
from docs import generate_types
from domain.errors import WellreadError
from domain.flow import STEPS, TASKS, WORKERS, QuestionTask
from domain.options import QuestionFilter, without_null

_PART = re.compile(r"(<!-- generated: (?P<name>[a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_KINDS = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "true or false",
    "array": "list", "object": "object", "password": "secret", "path": "folder",
}  # fmt: skip
_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
#: columns of a terminal
_WIDTH = 100
_ROOT = Path(__file__).parent.parent
#: the flow as the web page has it
FLOW_SCRIPT = _ROOT / "api/web/flow.js"


class UnknownPart(WellreadError):
    """A page names a generated part that does not exist."""


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Return the page with the text between ``<!-- generated: NAME -->`` and ``<!-- end -->`` written anew."""

    def write(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in parts:
            raise UnknownPart(f"No generated part is called {name!r}: there are {', '.join(parts)}.")
        return f"{match[1]}{parts[name]}\n{match[3]}"

    return _PART.sub(write, page)


def settings_table(settings: type[BaseModel]) -> str:
    """Return a row for each setting: its environment variable, what it takes, its default, its meaning."""
    prefix = str(settings.model_config.get("env_prefix", ""))
    return _fields("variable", settings.model_json_schema(), lambda name: prefix + name.upper())


def fields_table(body: type[BaseModel]) -> str:
    """Return a row for each field of a request's body: name, what it takes, its default, its meaning."""
    return _fields("field", body.model_json_schema(), str)


def answer_table(body: type) -> str:
    """Return a row for each field of an answer: name, what it holds, its meaning."""
    schema = TypeAdapter(body).json_schema(mode="serialization")
    rows = [
        (f"`{name}`", _takes(field, schema.get("$defs", {})), _meaning(field))
        for name, field in schema["properties"].items()
    ]
    return _table(("field", "holds", "meaning"), rows)


def routes_table(openapi: Mapping[str, Any]) -> str:
    """Return a row for each route: method and path, what it does."""
    rows = [
        (f"`{method.upper()} {path}`", _first_paragraph(operation["description"]))
        for path, operations in openapi["paths"].items()
        for method, operation in operations.items()
    ]
    return _table(("route", "what it does"), rows)


def metrics_table(metrics: Mapping[str, tuple[str, Sequence[str]]]) -> str:
    """Return a row for each figure of /metrics: its name, its labels, what it says."""
    rows = [
        (f"`{name}`", ", ".join(f"`{label}`" for label in labels), meaning)
        for name, (meaning, labels) in metrics.items()
    ]
    return _table(("metric", "labels", "what it says"), rows)


def tasks_table() -> str:
    """Return a row for each task: its phase, name and queue, how often beat sends it, what its docstring says."""
    from workers.app import app

    app.loader.import_default_modules()
    rows = [
        (
            task.phase[5] if isinstance(task, QuestionTask) else "–",
            f"`{task.name}`",
            task.queue,
            f"every {task.every_s:g} s" if task.every_s else "",
            _first_paragraph(app.tasks[task.name].run.__doc__ or ""),
        )
        for task in TASKS.values()
    ]
    return _table(("phase", "task", "queue", "sent by beat", "what it does"), rows)


def flow_script() -> str:
    """Return the web page's module of the flow: its words for each open status, and the status of each step."""
    labels = {status: step.label for status, step in STEPS.items()}
    doing = {status: step.doing for status, step in STEPS.items()}
    statuses = {step.step: status for status, step in STEPS.items() if step.row == "question"}
    return (
        "// Written by `make docs` from domain/flow.py and crawler/file_kinds.py: do not edit.\n\n"
        f"export const PHASES = {json.dumps(labels, indent=2)};\n"
        f"export const DOING = {json.dumps(doing, indent=2)};\n"
        f"export const STATUS_OF_STEP = {json.dumps(statuses, indent=2)};\n"
        f"export const FILE_KINDS = {json.dumps(NAMES)};\n"
        f"export const FILE_SUFFIXES = {json.dumps(','.join(f'.{suffix}' for suffix in BY_SUFFIX))};\n"
    )


def kinds_table() -> str:
    """Return a row for each kind of file that is read: its name, and how names of such files end."""
    return _table(
        ("kind", "names end in"), [(kind.name, " ".join(f".{each}" for each in kind.suffixes)) for kind in KINDS]
    )


def command_reference(command: click.Command, name: str) -> str:
    """Return the help of a command and of all below it, each under a heading."""
    return "\n\n".join(_helps(command, name, None))


def task_schema(payload: type[BaseModel]) -> str:
    """Return the JSON schema of a task's argument, without the titles that only repeat the names."""
    plain = _without_titles(payload.model_json_schema())
    return f"```json\n{json.dumps(plain, indent=2, ensure_ascii=False)}\n```"


def description() -> dict[str, Any]:
    """Return the OpenAPI description of the API."""
    from api.app import create_app
    from workers.services import Services
    from workers.settings import Settings

    return create_app(Services(Settings.model_construct(api_host="127.0.0.1"))).openapi()


def generated_parts() -> dict[str, str]:
    """Return all generated parts, by name."""
    from api.cli.main import cli
    from api.openai.requests import CompletionRequest
    from api.operations.metrics import METRICS
    from api.schemas.requests import ChatRequest
    from domain.options import QuestionRequest, SearchRequest
    from domain.record import FoundPassage, Record
    from workers.questions.submit import Payload
    from workers.settings import Settings

    return {
        "settings": settings_table(Settings),
        "commands": command_reference(cli, "wellread"),
        "routes": routes_table(description()),
        "metrics": metrics_table(METRICS),
        "chat": fields_table(ChatRequest),
        "questions": fields_table(QuestionRequest),
        "search": fields_table(SearchRequest),
        "filters": fields_table(QuestionFilter),
        "found": answer_table(FoundPassage),
        "completions": fields_table(CompletionRequest),
        "record": answer_table(Record),
        "task": task_schema(Payload),
        "tasks": tasks_table(),
        "kinds": kinds_table(),
        "workers": "\n".join(("```sh", *(f"wellread worker {name}" for name in WORKERS), "```")),
    }


def main() -> None:
    """Write the generated parts of the pages in docs/, the clients' types, and the web page's module."""
    parts = generated_parts()
    written = {path: fill(path.read_text("utf-8"), parts) for path in sorted(_ROOT.glob("docs/**/*.md"))}
    written |= {generate_types.PLACE: generate_types.typescript(description()), FLOW_SCRIPT: flow_script()}
    written |= {generate_types.OPTIONS: generate_types.python_options()}
    for path, text in written.items():
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            click.echo(f"{path.relative_to(_ROOT)} is written.")


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        **command.context_settings,
    )
    yield f"## `{context.command_path}`\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            if (subcommand := command.get_command(context, child)) is not None:
                yield from _helps(subcommand, child, context)


def _fields(head: str, schema: Mapping[str, Any], called: Callable[[str], str]) -> str:
    objects, needed = schema.get("$defs", {}), schema.get("required", ())
    rows = [
        (f"`{called(name)}`", _takes(field, objects), _default(field, needed=name in needed), _meaning(field))
        for name, field in schema["properties"].items()
    ]
    return _table((head, "takes", "default", "meaning"), rows)


def _takes(field: Mapping[str, Any], objects: Mapping[str, Any]) -> str:
    field = without_null(field, objects)
    if "properties" in field:
        return "object: " + ", ".join(f"`{name}`" for name in field["properties"])
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "items" in field:
        return "list of " + _takes(field["items"], objects)
    if "type" not in field:
        return "anything"
    bounds = [f"{sign} {field[name]:,}".removesuffix(".0") for name, sign in _BOUNDS.items() if name in field]
    return ", ".join((_KINDS[field["type"] if field.get("format") not in _KINDS else field["format"]], *bounds))


def _default(field: Mapping[str, Any], *, needed: bool) -> str:
    if needed:
        return "must be given"
    value = field.get("default")
    return f"`{json.dumps(value).strip(chr(34))}`" if value not in (None, "", []) else ""


def _meaning(field: Mapping[str, Any]) -> str:
    return str(field.get("description", ""))


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _without_titles(part: Any) -> Any:
    """Return the schema without its titles; a ``title`` that is an object is a field of that name, and stays."""
    if isinstance(part, dict):
        fields = {name: value for name, value in part.items() if name != "title" or isinstance(value, dict)}
        return {name: _without_titles(value) for name, value in fields.items()}
    return [_without_titles(value) for value in part] if isinstance(part, list) else part


if __name__ == "__main__":
    main()
