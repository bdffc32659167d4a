"""Says what the API refused in the words of the command line: commands and options instead of routes and fields."""

import re
import tomllib
from pathlib import Path

from api.cli.options import flag_of
from wellread.errors import Refused

_LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def refusal_line(error: Refused) -> str:
    """Return what happened and what to do, in one line."""
    if error.kind == "bad-request":
        return " ".join(dict.fromkeys(map(_option, error.detail.split("; "))))
    said = _sentence(_in_commands(error.detail))
    if error.retry_after_s:
        said += f" Try again in {error.retry_after_s:g} s."
    advice = "" if "`wellread " in said else _LISTED["advice"].get(error.kind, _in_commands(error.what_to_do))
    return f"{said} {advice}".strip()


def _option(problem: str) -> str:
    """Return one wrong field as the option that sets it: "langs.0: String should match …"."""
    field, _, said = problem.partition(": ")
    name = field.partition(".")[0]
    return _sentence(_LISTED["options"].get(name) or f"{flag_of(name) or name.replace('_', ' ')}: {said}")


def _in_commands(text: str) -> str:
    for route, command in _LISTED["commands"].items():
        text = re.sub(route, command, text)
    return text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
