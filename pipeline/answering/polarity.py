"""Find whether two sentences that share their words say the opposite: by negation, and by opposite words.

A negation and an opposite word together agree: "not open" says what "closed" says.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache

from text.analyser import analyse, fold
from text.languages import any_of, language
from text.terms import content_terms

_NOT = re.compile(r"n['’]t\b")
#: "it is false that" denies what follows
_FALSE = re.compile(
    r"\b(?:false|wrong|untrue|falsch|unwahr|faux|falso|onwaar)(?: to (?:say|claim))?,? (?:that|dass|daß|que|che|dat)\b",
    re.IGNORECASE,
)
#: what "dass" begins belongs to the clause before it ("es ist nicht wahr, dass …"), also when put into English
_CLAUSE = re.compile(
    r"[,;:()–—]\s+(?!(?:dass|daß|ob|dat|that)\s)|\s(?=(?:but|and|while|although|except|because|or|when|if)\s)"
    r"|\s(?=(?:aber|und|während|obwohl|außer|weil|oder|wenn)\s)"
)
_WORD = re.compile(r"[^\W\d_]+")


def contradicts(claim: str, quote: str, lang: str) -> bool:
    """Return whether the clause of the quote that is nearest to a clause of the claim says its opposite."""
    quoted = [clause for clause in _clauses(quote) if _terms(clause, lang)]
    return any(_is_opposite(clause, quoted, lang) for clause in _clauses(without_leading_answer(claim)))


def without_leading_answer(text: str) -> str:
    """Return the text without the "Yes," or "No," that it begins with."""
    found = _leading_answer().match(text)
    return text[found.end() :] if found else text


def is_negated(clause: str, lang: str) -> bool:
    """Return whether an odd number of negations stands in a clause; French pairs count as one."""
    words = _WORD.findall(fold(_NOT.sub(" not", clause)))
    count = sum(word in _negations(lang) for word in words) + len(_FALSE.findall(clause))
    return bool(count) if lang == "fr" else count % 2 == 1


def _is_opposite(clause: str, quoted: list[str], lang: str) -> bool:
    """Compare a clause with the nearest of the quote; one that shares no word with any says nothing."""
    own, topic = _terms(clause, lang), _topic(clause, lang)
    near = [(len(topic & _topic(other, lang)), other) for other in quoted]
    most = max((shared for shared, _ in near), default=0)
    if not most:
        return False
    nearest = [other for shared, other in near if shared == most]
    return all(
        (is_negated(clause, lang) != is_negated(other, lang)) != _has_opposite(own, _terms(other, lang), lang)
        for other in nearest
    )


def _has_opposite(own: Set[str], others: Set[str], lang: str) -> bool:
    """Return whether one has a word whose opposite the other has, and not the word itself."""
    return any(
        (own & one and others & other and not (own & other or others & one))
        or (own & other and others & one and not (own & one or others & other))
        for one, other in _opposites(lang)
    )


def _topic(clause: str, lang: str) -> set[str]:
    """Return the terms that say what a clause is about: none of those that have an opposite."""
    return set(content_terms(clause, lang)) - _negated_terms(lang) - _with_opposite(lang)


def _clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(text) if clause.strip()]


@cache
def _leading_answer() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{any_of('yes')}|si|{any_of('no')})\s*(?:[,.:;!–—]|-(?=\s))\s*", re.IGNORECASE)


@cache
def _negations(lang: str) -> frozenset[str]:
    return frozenset(map(fold, language(lang).negations))


@cache
def _opposites(lang: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    pairs = (pair.split(":") for pair in " ".join(language(lang).opposites).split("/") if pair.strip())
    return tuple((frozenset(analyse(one, lang)), frozenset(analyse(other, lang))) for one, other in pairs)


@cache
def _with_opposite(lang: str) -> frozenset[str]:
    return frozenset(term for pair in _opposites(lang) for side in pair for term in side)


def _terms(text: str, lang: str) -> set[str]:
    """Return the terms of a clause without its negations."""
    return set(analyse(text, lang)) - _negated_terms(lang)


@cache
def _negated_terms(lang: str) -> frozenset[str]:
    return frozenset(analyse(" ".join(language(lang).negations), lang))
