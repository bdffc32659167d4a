"""The words for yes and no by language."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from text.languages import LANGUAGES, any_of, language

YesNo = Literal["", "yes", "no"]


def yes_no_word(yes_no: YesNo, lang: str) -> str:
    """Return "Yes" or "No" in the language (ISO 639-1), in English where there is none for it; "" for neither."""
    of = language(lang if lang in LANGUAGES else "en")
    return {"yes": of.yes, "no": of.no}[yes_no][0] if yes_no else ""


def leading_yes_no(sentence: str) -> YesNo:
    """Return the yes or no that a model's sentence begins with, or ""."""
    found = _leading().match(sentence)
    return "" if found is None else "no" if found[2] else "yes"


@cache
def _leading() -> re.Pattern[str]:
    # "Si," without its accent is "if"; "No. 10" is a number
    return re.compile(rf"({any_of('yes')}|({any_of('no')}))\s*(?=[,;:!–—]|\.(?!\s*\d))", re.IGNORECASE)
