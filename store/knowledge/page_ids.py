"""Give pages the ids that they have here, wherever a question names one: its answers, trace and feedback."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from store.knowledge.question_lines import FREE

_PASSAGE = re.compile(r"(\d{1,19})-(\d{1,10})")


def renumbered(value: Any, ids: Mapping[int, int]) -> Any:
    """Return JSON with the ids of pages replaced; 0 stands for a page that is not here."""
    if isinstance(value, list):
        return [renumbered(entry, ids) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: entry if key in FREE else _renumbered(key, entry, ids) for key, entry in value.items()}


def _renumbered(key: str, entry: Any, ids: Mapping[int, int]) -> Any:
    if key == "page_id" and isinstance(entry, int):
        return ids.get(entry, 0)
    if key in ("passage", "passage_id"):
        return _passage(entry, ids)
    if key == "cited" and isinstance(entry, list):
        return [_passage(each, ids) for each in entry]
    if key == "signals" and isinstance(entry, dict):
        return {_passage(each, ids): values for each, values in entry.items()}
    return renumbered(entry, ids)


def _passage(passage_id: Any, ids: Mapping[int, int]) -> Any:
    found = _PASSAGE.fullmatch(passage_id) if isinstance(passage_id, str) else None
    return f"{ids.get(int(found[1]), 0)}-{found[2]}" if found else passage_id
