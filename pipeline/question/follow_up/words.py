"""The small words of each language that show what a question leaves out, and those before and around what it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from text.languages import any_of, language


@dataclass(frozen=True, kw_only=True)
class Words:
    """Patterns of one language, to be matched without regard to case."""

    lead: str  #: before what is asked: "and", "but then"
    about: str  #: "what about"
    asking: str  #: a question word, with what belongs to it
    prepositions: str
    determiners: str
    indefinite: str  #: those of the determiners that name something new
    auxiliaries: str  #: verbs that stand before the subject of a question
    pronouns: str  #: of the third person
    possessives: str
    conditions: str = r"(?!)"  #: "if", "when"


#: forms of "to be"
BE: Final = any_of("be", "en", "de", "fr", "es", "it", "pt")


@cache
def words_of(lang: str) -> Words:
    """Return the words of a language; of English for one that is not known."""
    return Words(**(language(lang).follow_up or language("en").follow_up))


def find(pattern: str, text: str) -> re.Match[str] | None:
    """Return where whole words of the pattern stand first, whatever their case."""
    return re.search(rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def begins_with(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of whole words of the pattern at the beginning, whatever their case."""
    return re.match(rf"(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)
