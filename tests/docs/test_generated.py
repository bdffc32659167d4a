"""What is generated is what the code says now."""

from __future__ import annotations

import re

import pytest

from api.cli.main import cli
from docs import generate_docs, generate_types
from tests.docs.blocks import PAGES
from workers.settings import Settings


def test_generated_parts_match_the_code() -> None:
    parts = generate_docs.generated_parts()
    stale = [name for name, path in PAGES.items() if generate_docs.fill(text := path.read_text("utf-8"), parts) != text]
    assert stale == [], "run `make docs`"


def test_the_web_pages_module_matches_the_flow() -> None:
    assert generate_docs.FLOW_SCRIPT.read_text("utf-8") == generate_docs.flow_script(), "run `make docs`"


def test_options_of_the_python_client_match_the_api() -> None:
    assert generate_types.OPTIONS.read_text("utf-8") == generate_types.python_options(), "run `make docs`"


def test_types_in_typescript_match_the_routes() -> None:
    written = generate_types.PLACE.read_text("utf-8")
    assert written == generate_types.typescript(generate_docs.description()), "run `make docs`"


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"$ref": "#/components/schemas/Page"}, "Page"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "number | null"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, 'Array<"a" | "b">'),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "Record<string, boolean>"),
        ({"type": "object", "properties": {"a-b": {"const": 1}}, "required": []}, '{ "a-b"?: 1 }'),
        ({"description": "anything"}, "unknown"),
    ],
)
def test_schema_is_written_as_a_type(schema: dict[str, object], written: str) -> None:
    assert generate_types.type_of(schema) == written


def test_schema_of_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(generate_types.UnknownSchema, match="tuple"):
        generate_types.type_of({"type": "tuple"})


def test_every_generated_part_has_its_place() -> None:
    placed = [
        name
        for path in PAGES.values()
        for name in re.findall(r"<!-- generated: (\w+) -->\n[^<]", path.read_text("utf-8"))
    ]
    assert sorted(placed) == sorted(generate_docs.generated_parts())


def test_generated_parts_do_not_depend_on_the_writers_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    before = generate_docs.generated_parts()
    for name, value in (("API_HOST", "0.0.0.0"), ("API_KEYS", "admin:my-own"), ("MAX_PAGES", "7"), ("DATA_DIR", "/x")):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    assert generate_docs.generated_parts() == before


def test_unknown_part_is_an_error() -> None:
    with pytest.raises(generate_docs.UnknownPart, match="'weather'"):
        generate_docs.fill("<!-- generated: weather -->\n<!-- end -->", {"settings": "…"})


def test_table_shows_every_setting_with_its_default_and_bounds() -> None:
    rows = generate_docs.settings_table(Settings).splitlines()[2:]
    assert len(rows) == len(Settings.model_fields)
    assert "| `WELLREAD_API_PORT` | whole number, ≥ 0, ≤ 65,535 | `8484` |" in next(r for r in rows if "API_PORT" in r)
    assert "| secret |" in next(r for r in rows if "ANTHROPIC_API_KEY" in r)


def test_command_reference_holds_every_command() -> None:
    written = generate_docs.command_reference(cli, "wellread")
    for name, command in cli.commands.items():
        assert f"## `wellread {name}`" in written
        assert (command.help or "").split(".")[0][:40] in " ".join(written.split())
