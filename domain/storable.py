"""Say what can be stored: PostgreSQL takes no NUL, UTF-8 has no halves of surrogate pairs, and JSON no infinity."""

import math
import re
from typing import Any, Final

#: of a JSON document that somebody sends; to look at more would take longer than a request may hold up the others
MAX_VALUES: Final = 20_000

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """Return the text, as long as it was, with U+FFFD for each character that cannot be stored."""
    return _UNSTORABLE.sub("\ufffd", text)


def storable_json(value: Any) -> Any:
    """Return JSON whose texts can all be stored, names of properties among them, and null for what is no number."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable_json(name): storable_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [storable_json(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def check_json(given: Any) -> None:
    """Raise ValueError for JSON with a text or number that cannot be stored, which it names, or too many values."""
    waiting: list[tuple[str, Any]] = [("", given)]
    seen = 0
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str) and _UNSTORABLE.search(value):
            raise ValueError(f"{place or 'it'} has a character that cannot be stored: NUL, or half a surrogate pair")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{place or 'it'} is {value}, which is no number of JSON")
        if isinstance(value, dict | list | tuple):
            seen += len(value)
            if seen > MAX_VALUES:
                raise ValueError(f"it has more than {MAX_VALUES:,} values")
        if isinstance(value, dict):
            for name in value:
                if isinstance(name, str) and _UNSTORABLE.search(name):
                    raise ValueError(f"a name in {place or 'it'} has a character that cannot be stored: {name[:40]!a}")
            inner = [(f"{place}.{name}"[-200:].lstrip("."), each) for name, each in value.items()]
        elif isinstance(value, list | tuple):
            inner = [(f"{place}.{number}"[-200:].lstrip("."), each) for number, each in enumerate(value)]
        else:
            continue
        waiting += inner
