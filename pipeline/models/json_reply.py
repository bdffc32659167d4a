"""Find JSON in a model's reply: small models put it into fences, behind their thoughts, or among other words."""

import json
import re
from collections.abc import Iterator

from pipeline.models.provider import Json

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)  # small models write newlines into their strings
#: beginnings of an object that are tried
_TRIES = 20


def without_thoughts(text: str) -> str:
    """Return the reply without the thoughts that a model wrote into it."""
    return _THOUGHTS.sub("", text)


def find_object(text: str) -> Json | None:
    """Return the first whole JSON object of a reply; None for none."""
    text = without_thoughts(text)
    for _, begun in zip(range(_TRIES), re.finditer(r"\{", text), strict=False):
        found = _decoded(text, begun.start())
        if found is not None:
            return found[0]
    return None


def whole_objects(text: str, name: str) -> Iterator[Json]:
    """Yield the whole objects of the list ``name`` in a JSON text that may break off."""
    begun = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text)
    at = begun.end() if begun else len(text)
    while following := re.compile(r"[\s,]*(?=\{)").match(text, at):
        found = _decoded(text, following.end())
        if found is None:
            return
        value, at = found
        yield value


def _decoded(text: str, start: int) -> tuple[Json, int] | None:
    """Return the object that begins at ``start`` and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None
