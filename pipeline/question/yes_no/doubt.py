"""Tell whether the text around a sentence shows that it is quoted, made up, or taken back."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from text.languages import pattern_of

_QUOTES: Final = (":", "“", "„", "«", '"', "‘", "'")


def is_doubtful(text: str, start: int, end: int, *, title: str, lang: str) -> bool:
    """Return whether the text around ``text[start:end]``, or its title, makes the sentence doubtful."""
    before, after = text[:start].rstrip(), text[end:].lstrip(' "”’»)\n')
    untrue, but = _patterns(lang)
    around = (title, before[-300:], after[:200])
    return before.endswith(_QUOTES) or any(map(untrue.search, around)) or but.match(after) is not None


@cache
def _patterns(lang: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what tells of something untrue, and what begins a sentence that takes the previous one back."""
    untrue, but = pattern_of("yes_no", "untrue", lang), pattern_of("yes_no", "but", lang)
    return re.compile(rf"\b(?:{untrue})", re.IGNORECASE), re.compile(rf"(?:{but})\b", re.IGNORECASE)
