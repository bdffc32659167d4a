"""Analyse a question: its language, type, entities and complexity, and how many hits it needs.

The formula and its constants are the design document's [analyze_query_complexity]; no model is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from domain.errors import WellreadError
from text.analyser import fold
from text.language import detect_language
from text.stopwords import QUESTION_WORDS, stop_words
from text.terms import content_terms, terms_of

MAX_CHARACTERS = 4_000

QuestionType = Literal["definition", "procedural", "causal", "temporal", "spatial", "comparative", "general"]

_WORD = re.compile(r"[^\W_]+(?:[._'’-]?[^\W_]+)*")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`")

#: tried in order; the first whose phrase is in the question, on word boundaries, gives its type
_TYPES: tuple[tuple[QuestionType, str], ...] = (
    (
        "comparative",
        r"compare[ds]?|comparison|differ(?:s|ed|ence|ences|ent)?|versus|vs|better|worse|(?:more|less) \w+ than"
        r"|vergleich\w*|unterschied\w*|unterscheide\w*|besser|schlechter|im gegensatz",
    ),
    (
        "procedural",
        r"how (?:do|does|did|can|could|should|would|to|must) (?:i|you|we|one|someone|people)|how to"
        r"|steps? (?:to|for)|way to"
        r"|wie (?:\w+ ){0,2}(?:ich|man|wir|du|sie)|anleitung|schritte",
    ),
    (
        "causal",
        r"why|what (?:causes?|caused|led to)|reasons? (?:for|why)|because|warum|weshalb|wieso|weswegen|ursachen?|grund",
    ),
    (
        "temporal",
        r"when|what (?:year|date|day|time|month|century)|which (?:year|day|month|century)"
        r"|in (?:what|which) (?:year|century)"
        r"|how long ago|since when|wann|seit wann|bis wann|(?:welche[mnrs]?) (?:jahr\w*|tag|datum|monat|jahrhundert)",
    ),
    (
        "spatial",
        r"where|wherein|(?:what|which) (?:city|country|place|state|region|continent)|location of"
        r"|wo|wohin|woher|(?:welche[mnrs]?) (?:stadt|land|ort|staat|gegend|region|kontinent)",
    ),
    (
        "definition",
        r"what (?:is|are|was|were|does \S+ mean|do \S+ mean)|what's|define|definition|meaning of|means?"
        r"|was (?:ist|sind|war|waren|bedeutet|heißt|versteht)|wer (?:ist|war)|who (?:is|was)|definiere|bedeutung",
    ),
    ("procedural", r"how|wie"),
)
_TYPE_PATTERNS = tuple((kind, re.compile(rf"(?<!\w)(?:{phrases})(?!\w)")) for kind, phrases in _TYPES)
_QUANTITY = re.compile(
    r"(?<!\w)(?:how (?:many|much|long|far|old|tall|big|large|often)|wie (?:viele?|lange|weit|alt|hoch|groß|oft))(?!\w)"
)


class QuestionError(WellreadError):
    """The question is empty, too long or without a word; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """The properties of a question, from its words alone."""

    text: str  #: the question, cleaned
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
    question = clean_question(text)
    language = lang or detect_language(question)
    words = _WORD.findall(question)
    entities = find_entities(question)
    complexity = complexity_of(len(words), len(entities), "?" in question or "？" in question)
    return Analysis(
        text=question,
        lang=language,
        word_count=len(words),
        character_count=len(question),
        question_type=question_type_of(question),
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


def question_type_of(question: str) -> QuestionType:
    """Return the type of answer the question's own words ask for."""
    text = question.casefold()
    for kind, pattern in _TYPE_PATTERNS:
        if pattern.search(text) and not (kind == "procedural" and _QUANTITY.search(text)):
            return kind
    return "general"


def find_entities(question: str) -> tuple[str, ...]:
    """Return proper nouns, numbers and quoted terms, each once, in their order."""
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(question):
        found.setdefault(next(group for group in match.groups() if group).strip())
    for position, match in enumerate(_WORD.finditer(question)):
        word = match.group()
        if _names_something(word, first=position == 0) and not any(word in entity.split() for entity in found):
            found.setdefault(word)
    return tuple(found)


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


def _names_something(word: str, *, first: bool) -> bool:
    if word[0].isdigit():
        return True
    if not word[0].isupper():
        return False
    folded = fold(word)
    if any(folded in stop_words(lang) for lang in QUESTION_WORDS):
        return False
    # the first word is always capitalised: only its inner capitals show a name
    return not first or any(char.isupper() or char.isdigit() for char in word[1:])
