"""Find the kind of thing a question asks for, and the form in which it is best answered."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

from pipeline.llm import Form
from pipeline.question.analysis import Analysis
from text.languages import LANGUAGES, language, pattern_of
from text.sentences import sentence_spans

AnswerType = Literal["time", "money", "number", "name", "place", "reason", "way", "symbol", "any"]

#: in the order in which they are tried
_KINDS: tuple[AnswerType, ...] = ("way", "time", "money", "number", "place", "name", "symbol", "reason")


def answer_type_of(question: str) -> AnswerType:
    """Return the kind of thing a question asks for, by its last sentence that is a question."""
    return _type_of(last_question(question))


@lru_cache(maxsize=256)
def last_question(text: str) -> str:
    """Return the last sentence that ends in a question mark, without it; the whole text where none does."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    asked = [sentence for sentence in sentences if sentence.rstrip("\"'”’») ").endswith(("?", "？"))]
    return (asked[-1] if asked else text).strip().rstrip("?？ ")


@lru_cache(maxsize=256)
def _type_of(question: str) -> AnswerType:
    return next((kind for kind in _KINDS if _asks(kind).search(question)), "any")


@cache
def _asks(kind: str) -> re.Pattern[str]:
    """Return the pattern that all languages together have for a kind of thing, or for several of them."""
    patterns = (language(lang).answer_types.get(kind, "") for lang in sorted(LANGUAGES))
    return re.compile(rf"(?<!\w)(?:{'|'.join(filter(None, patterns))})(?!\w)", re.IGNORECASE)


def asks_for_all(question: str) -> bool:
    """Return whether a question asks how to do something, or for several things: a whole list, or steps, answers."""
    return answer_type_of(question) == "way" or _asks("several").search(last_question(question)) is not None


def form_of(analysis: Analysis) -> Form:
    """Return the form in which a question is best answered: of 501 questions, 119 in steps, 40 in a list, 2 in code.

    A writer keeps to prose where the pages have no several steps or things.
    """
    kind = answer_type_of(analysis.text)
    named = [entity for entity in analysis.entities if not entity[0].isdigit()]
    if analysis.question_type == "comparative" and len(named) > 1:
        return "table"
    if kind == "way" or (kind == "any" and analysis.question_type == "procedural"):
        return "steps"
    if kind == "symbol":
        return "code"
    return "list" if asks_for_all(analysis.text) else "prose"


def is_number(word: str, lang: str = "en") -> bool:
    """Return whether a word of the language is a number, in digits or letters."""
    return word[0].isdigit() or bool(_number_words(lang).fullmatch(word.partition("-")[0]))


@cache
def _number_words(lang: str) -> re.Pattern[str]:
    """Return the pattern of a number in words; of English and German for a language that has none."""
    return re.compile(pattern_of("forms", "number", lang), re.IGNORECASE)
