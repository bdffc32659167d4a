"""What the API refused, said with commands and options instead of routes and fields."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from api import sentence

if TYPE_CHECKING:
    from wellread import Refused


def error_line(error: Exception) -> str:
    """Return what an error says, in the words of the command line."""
    is_refused = type(error).__name__ == "Refused"  # by its name: the client is not loaded unless it is used
    return refusal_line(cast("Refused", error)) if is_refused else str(error)


def refusal_line(error: "Refused") -> str:
    """Return what the API refused and what to do, with commands and options instead of routes and fields."""
    listed = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text("utf-8"))

    def in_commands(text: str) -> str:
        for route, command in listed["commands"].items():
            text = re.sub(route, command, text)
        return text

    if error.kind == "bad-request":
        return " ".join(dict.fromkeys(_option(problem, listed["options"]) for problem in error.detail.split("; ")))
    message = sentence(in_commands(error.detail))
    if error.retry_after_s:
        message += f" Try again in {error.retry_after_s:g} s."
    advice = "" if "`wellread " in message else listed["advice"].get(error.kind, in_commands(error.what_to_do))
    return f"{message} {advice}".strip()


def _option(problem: str, known: Mapping[str, str]) -> str:
    """Return one wrong field as the option that sets it: "langs.0: String should match …"."""
    from api.cli.flags import flag_of

    field, _, message = problem.partition(": ")
    name = field.partition(".")[0]
    return sentence(known.get(name) or f"{flag_of(name) or name.replace('_', ' ')}: {message}")
