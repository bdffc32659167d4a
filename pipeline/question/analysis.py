"""Analyse a question: its language, type, entities and complexity, and how many hits it needs.

The formula and its constants are the design document's [analyze_query_complexity]; no model is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from domain.errors import WellreadError
from domain.options import MAX_CHARACTERS
from pipeline.question.entities import find_entities
from pipeline.question.lists import ask_for_list
from pipeline.question.question_type import QuestionType, question_type_of
from text.language import detect_language
from text.terms import content_terms, terms_of

_WORD = re.compile(r"[^\W_]+(?:[._'’-]?[^\W_]+)*")


class QuestionError(WellreadError):
    """The question is empty, too long or without a word; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """The properties of a question, from its words alone."""

    text: str  #: the question, cleaned; a wish for a list is the question for it
    lang: str  #: ISO 639-1, or "und"
    word_count: int
    character_count: int
    question_type: QuestionType
    entities: tuple[str, ...]
    complexity: float  #: [0, 1]
    suggested_k: int  #: hits to retrieve

    @cached_property
    def terms(self) -> Mapping[str, str]:
        """Return each search term of the question that carries a topic, with the word it was written as, in order."""
        return content_terms(self.text, self.lang)

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """Return the search terms of the entities."""
        return frozenset(term for entity in self.entities for term in terms_of(entity, self.lang))


def analyse_question(text: str, lang: str = "") -> Analysis:
    """Analyse a question; an empty ``lang`` is detected. Raises QuestionError."""
    question = ask_for_list(clean_question(text))
    language = lang or detect_language(question)
    words = _WORD.findall(question)
    entities = find_entities(question, language)
    complexity = complexity_of(len(words), len(entities), "?" in question or "？" in question)
    return Analysis(
        text=question,
        lang=language,
        word_count=len(words),
        character_count=len(question),
        question_type=question_type_of(question, language),
        entities=entities,
        complexity=complexity,
        suggested_k=suggested_k(complexity),
    )


def clean_question(text: str) -> str:
    """Return the question without control characters and needless space. Raises QuestionError."""
    if len(text) > MAX_CHARACTERS:
        raise QuestionError(
            f"The question has {len(text):,} characters and the limit is {MAX_CHARACTERS:,}: "
            "ask it in fewer words, and give long material as a page to read."
        )
    visible = "".join(" " if unicodedata.category(char) in {"Cc", "Zl", "Zp"} else char for char in text)
    printable = "".join(
        char for char in visible if unicodedata.category(char) not in {"Cf", "Cs", "Co", "Cn"} or char in "\u200c\u200d"
    )
    question = " ".join(printable.split())
    if not question:
        raise QuestionError("The question is empty: write what you want to know.")
    if not any(char.isalnum() for char in question):
        raise QuestionError(f"The question {question[:40]!r} has no word: write what you want to know in words.")
    return question


def complexity_of(word_count: int, entity_count: int, has_question_mark: bool) -> float:
    """Return mean(min(1, words/10), min(1, entities/5), 1 if "?" else 0.5) [analyze_query_complexity]."""
    mark = 1.0 if has_question_mark else 0.5
    # rounded, so that .7 is not above .7
    return round((min(1.0, word_count / 10) + min(1.0, entity_count / 5) + mark) / 3, 6)


def suggested_k(complexity: float) -> int:
    """Return how many hits a question of this complexity needs [analyze_query_complexity]."""
    if complexity > 0.7:
        return 10
    return 7 if complexity > 0.4 else 5
