"""Analyse a question, once: its language, type, entities, terms, complexity, and the kind of thing it asks for.

The complexity's formula and constants are the design document's [analyze_query_complexity]; no model is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal, cast

from domain.errors import WellreadError
from domain.options import MAX_CHARACTERS
from pipeline.llm import Form
from pipeline.question.entities import find_entities
from text.language import detect_language
from text.languages import LANGUAGES, language, pattern_of
from text.names import names_in
from text.sentences import sentence_spans
from text.terms import content_terms, content_words, stop_words, terms_of

_WORD = re.compile(r"[^\W_]+(?:[._'’-]?[^\W_]+)*")
QuestionType = Literal["definition", "procedural", "causal", "temporal", "spatial", "comparative", "general"]
AnswerType = Literal["time", "money", "number", "name", "place", "reason", "way", "symbol", "any"]
#: in the order in which they are tried
_ANSWER_TYPES: tuple[AnswerType, ...] = ("way", "time", "money", "number", "place", "name", "symbol", "reason")

_UNKNOWN = ("", "und")
_NUMBER_WORDS = re.compile(pattern_of("forms", "number", "en"), re.IGNORECASE)
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
    question_type: QuestionType
    entities: tuple[str, ...]
    complexity: float  #: [0, 1]
    suggested_k: int  #: hits to retrieve

    @cached_property
    def terms(self) -> Mapping[str, str]:
        """Return each search term of the question that carries a topic, with the word it was written as, in order."""
        return content_terms(self.text, self.lang)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the words of the question that carry a topic, as written."""
        return tuple(content_words(self.text, self.lang))

    @cached_property
    def possible_names(self) -> tuple[str, ...]:
        """Return all parts of the question that may be names, spelled for a look-up."""
        return names_in(self.text, empty=stop_words(self.lang))

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """Return the search terms of the entities."""
        return frozenset(term for entity in self.entities for term in terms_of(entity, self.lang))

    @cached_property
    def answer_type(self) -> AnswerType:
        """Return the kind of thing that the question asks for."""
        return answer_type_of(self.text)

    @cached_property
    def asks_for_all(self) -> bool:
        """Return whether a whole list, or steps, answer the question."""
        return asks_for_all(self.text)

    @property
    def names(self) -> list[str]:
        """Return the entities that are no numbers."""
        return [entity for entity in self.entities if not entity[0].isdigit()]

    @property
    def form(self) -> Form:
        """Return the form in which a question is best answered: of 501, 119 in steps, 40 in a list, 2 in code.

        A writer keeps to prose where the pages have no several steps or things.
        """
        if self.question_type == "comparative" and len(self.names) > 1:
            return "table"
        if self.answer_type == "way" or (self.answer_type == "any" and self.question_type == "procedural"):
            return "steps"
        if self.answer_type == "symbol":
            return "code"
        return "list" if self.asks_for_all else "prose"


def analyse_question(text: str, lang: str = "") -> Analysis:
    """Analyse a question; an empty ``lang`` is detected. Raises QuestionError."""
    question = ask_for_list(clean_question(text))
    language = lang or detect_language(question)
    entities = find_entities(question, language)
    complexity = complexity_of(len(_WORD.findall(question)), len(entities), "?" in question or "？" in question)
    return Analysis(
        text=question,
        lang=language,
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
    """Return the question that a wish for all of something means; any other text as it is."""
    wish = text.rstrip(" .!?")
    for pattern, question in _WISHES:
        if found := pattern.fullmatch(wish):
            return question.format(*found.groups())
    return text


def answer_type_of(question: str) -> AnswerType:
    """Return the kind of thing a question asks for, by its last sentence that is a question."""
    asked = last_question(question)
    return next((kind for kind in _ANSWER_TYPES if _asks(kind).search(asked)), "any")


def asks_for_all(question: str) -> bool:
    """Return whether a question asks how to do something, or for several things: a whole list, or steps, answers."""
    return answer_type_of(question) == "way" or _asks("several").search(last_question(question)) is not None


def last_question(text: str) -> str:
    """Return the last sentence that ends in a question mark, without it; the whole text where none does."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    asked = [sentence for sentence in sentences if sentence.rstrip("\"'”’») ").endswith(("?", "？"))]
    return (asked[-1] if asked else text).strip().rstrip("?？ ")


@cache
def _asks(kind: str) -> re.Pattern[str]:
    """Return the pattern that all languages together have for a kind of thing, or for several of them."""
    patterns = (language(lang).answer_types.get(kind, "") for lang in sorted(LANGUAGES))
    return re.compile(rf"(?<!\w)(?:{'|'.join(filter(None, patterns))})(?!\w)", re.IGNORECASE)


def is_number(word: str) -> bool:
    """Return whether a word is a number, in digits or in the letters of English or German."""
    return word[0].isdigit() or bool(_NUMBER_WORDS.fullmatch(word.partition("-")[0]))
