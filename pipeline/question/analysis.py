"""Analyse a question: its language, type, entities and complexity, and how many hits it needs.

The formula and its constants are the design document's [analyze_query_complexity]; no model is asked.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal, cast

from domain.errors import WellreadError
from domain.options import MAX_CHARACTERS
from pipeline.question.entities import find_entities
from text.language import detect_language
from text.languages import language
from text.terms import content_terms, terms_of

_WORD = re.compile(r"[^\W_]+(?:[._'’-]?[^\W_]+)*")
QuestionType = Literal["definition", "procedural", "causal", "temporal", "spatial", "comparative", "general"]

_UNKNOWN = ("", "und")
#: a wish for all of something → the question for it; "List comprehensions" and "Name the mayor" are none
_WISHES: Final = tuple(
    (re.compile(wish, re.IGNORECASE), question)
    for wish, question in (
        (
            r"(?:please )?(?:(?:can|could) you )?(?:list|enumerate|name|(?:show|give|tell) (?:me|us)|show)"
            r" all(?: of)?(?: (?:the|its|our|my|your))? (.+)",
            "What are the {}?",
        ),
        (r"(?:please )?(?:list|enumerate) the (.+)", "What are the {}?"),
        (
            r"(?:bitte )?(?:nenne?|nennen sie|zeige?|zeigen sie|liste|listen sie)(?: (?:mir|uns|bitte))* alle (.+?)"
            r"(?: auf)?",
            "Welche {} gibt es?",
        ),
        (r"(?:liste[zr]?|donnez?[ -]moi|énumère[zr]?|citez?) tous les (.+)", "Quels sont les {} ?"),
        (r"(?:liste[zr]?|donnez?[ -]moi|énumère[zr]?|citez?) toutes les (.+)", "Quelles sont les {} ?"),
        (r"(?:lista|liste|enumer[ae]|muestra|muéstrame|nombra|dime) todos los (.+)", "¿Cuáles son los {}?"),
        (r"(?:lista|liste|enumer[ae]|muestra|muéstrame|nombra|dime) todas las (.+)", "¿Cuáles son las {}?"),
        (r"(?:elenca(?:mi)?|elenchi|nomina|mostra(?:mi)?|dimmi) tutt[ie] (i|gli|le) (.+)", "Quali sono {} {}?"),
        (r"(?:lista|liste|enumer[ae]|nomeie|mostr[ae](?:-me)?) todos os (.+)", "Quais são os {}?"),
        (r"(?:lista|liste|enumer[ae]|nomeie|mostr[ae](?:-me)?) todas as (.+)", "Quais são as {}?"),
        (r"(?:noem|toon|geef(?: me| mij)?) alle (.+)", "Wat zijn de {}?"),
    )
)


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


def ask_for_list(text: str) -> str:
    """Return the question that a wish for all of something stands for; any other text as it is."""
    wish = text.rstrip(" .!?")
    for pattern, question in _WISHES:
        if found := pattern.fullmatch(wish):
            return question.format(*found.groups())
    return text
