"""Find which of seven types of answer a question asks for: by the patterns of its language, no model.

A question in another language has the type "general"; one whose language is not known is read as English.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, cast

from text.languages import language

QuestionType = Literal["definition", "procedural", "causal", "temporal", "spatial", "comparative", "general"]

_UNKNOWN = ("", "und")


def question_type_of(question: str, lang: str = "en") -> QuestionType:
    """Return the type of answer that the question's own words ask for, in its language (ISO 639-1)."""
    text = question.casefold()
    patterns = _patterns("en" if lang in _UNKNOWN else lang)
    return next((kind for kind, pattern in patterns if pattern.search(text)), "general")


@cache
def _patterns(lang: str) -> tuple[tuple[QuestionType, re.Pattern[str]], ...]:
    """Return the patterns of a language in the order in which they are tried; each is on word boundaries."""
    return tuple(
        (cast(QuestionType, name.partition("_")[0]), re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"))
        for name, pattern in language(lang).question_types.items()
    )
