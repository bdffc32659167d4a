"""Take the "Yes" or "No" that a model's answer begins with as the short answer."""

import re
from dataclasses import replace
from functools import cache
from typing import Literal

from domain import Answer
from domain.answer import first_said
from text.languages import LANGUAGES, any_of, language

YesNo = Literal["", "yes", "no"]


def leading_yes_no(sentence: str) -> YesNo:
    """Return the yes or no that a model's sentence begins with, or ""."""
    found = _leading().match(sentence)
    return "" if found is None else "no" if found[2] else "yes"


def yes_no_word(yes_no: YesNo, lang: str) -> str:
    """Return "Yes" or "No" in the language (ISO 639-1), in English where there is none for it; "" for neither."""
    of = language(lang if lang in LANGUAGES else "en")
    return {"yes": of.yes, "no": of.no}[yes_no][0] if yes_no else ""


def with_yes_no(answer: Answer, lang: str) -> Answer:
    """Return a model's answer with the yes or no that it begins with as its short answer, in a language (ISO 639-1).

    A model begins so where it was asked that: of 171 replies, 51, to questions in many forms.
    """
    opening = first_said(answer.sentences)
    if opening is None or opening.origin == "unconfirmed":
        return answer
    says = yes_no_word(leading_yes_no(opening.text), lang)
    return replace(
        answer, sentences=tuple(replace(each, says=says) if each is opening else each for each in answer.sentences)
    )


@cache
def _leading() -> re.Pattern[str]:
    # "Si," without its accent is "if"; "No. 10" is a number
    return re.compile(rf"({any_of('yes')}|({any_of('no')}))\s*(?=[,;:!–—]|\.(?!\s*\d))", re.IGNORECASE)
