"""The words by which yes/no questions and their statements are read in French, Spanish, Italian, Portuguese and Dutch.

In German those about the asker: "Darf ich …?".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from text.languages import Words, language, word_set, words_in


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """The words of one language, in small letters."""

    #: beginning of a question about the asker or anyone → beginnings of its statement: "puis-je" → "vous pouvez". What
    #: may be said of another thing ("puede", "Sie können") is none
    beginnings: Mapping[Words, tuple[Words, ...]]
    #: words with which the question is about an unknown thing, a choice, or a time or place that is not said
    open: frozenset[str]
    verbs: frozenset[str] = frozenset()  #: with which a question begins, or which show that a statement is asked
    past: frozenset[str] = frozenset()  #: those of them in the past
    been: frozenset[str] = frozenset()  #: after a verb: in the past, too
    asks: frozenset[str] = frozenset()  #: question words, also as part of a word with an apostrophe: "d'où", "cos'è"
    requests: re.Pattern[str] | None = None  #: somebody is asked to tell something: "Mi può dire …?"
    joins: frozenset[str] = frozenset()  #: words that ask or begin a clause: what has one is no statement that is asked
    pronouns: frozenset[str] = frozenset()  #: articles that stand for an unknown thing directly before a verb
    infinitive: re.Pattern[str] | None = None  #: a verb that may stand behind one
    attached: re.Pattern[str] | None = None  #: a word with a pronoun attached
    added: re.Pattern[str] | None = None  #: a place, a date or a person, in names and numbers


@cache
def grammar_of(lang: str) -> Grammar | None:
    """Return the grammar of a language (ISO 639-1), or None if it has none here."""
    of = language(lang)
    if "open" not in of.yes_no:
        return None
    sets = ("open", "verbs", "been", "asks", "joins", "pronouns")
    patterns = {name: of.yes_no[name] for name in ("requests", "infinitive", "attached") if name in of.yes_no}
    given: dict[str, Any] = {name: words_in(of.yes_no.get(name, "")) for name in sets}
    given |= {name: re.compile(pattern) for name, pattern in patterns.items()}
    return Grammar(
        beginnings=_beginnings(of.statements),
        past=word_set("past", lang),
        added=added_names(of.yes_no["before"], of.yes_no["inside"]) if "before" in of.yes_no else None,
        **given,
    )


def _beginnings(by_question: Mapping[str, str]) -> dict[Words, tuple[Words, ...]]:
    """Return the beginnings of statements by those of questions, from both with "|" between them."""
    return {
        tuple(asked.split()): tuple(tuple(said.split()) for said in all_said.split("|"))
        for all_asked, all_said in by_question.items()
        for asked in all_asked.split("|")
    }


def added_names(before: str, inside: str) -> re.Pattern[str]:
    """Match names and numbers with a word ``before`` them; words ``inside`` join them.

    What matched is never tried otherwise: the time is linear in any page's sentence.
    """
    name = rf"(?:[A-ZÀ-ÖØ-Þ\d][\w’'.-]*+|{inside})(?!\w)"
    first = rf",? (?:{before}){name}"
    return re.compile(rf"(?:{first}(?:{first}|[ ,]{name})*+)?")
