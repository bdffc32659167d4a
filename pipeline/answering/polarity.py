"""Find whether two sentences that share their words say the opposite: by negation, and by opposite words.

A negation and an opposite word together agree: "not open" says what "closed" says.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache

from text.analyser import analyse, fold
from text.terms import content_terms

_NEGATIONS = {
    "en": "not no never none neither nor cannot without nobody nothing nowhere hardly except",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder nirgends niemand nichts kaum außer",
    "fr": "ne n pas jamais aucun aucune sans rien personne",
    "es": "no nunca jamás ningún ninguna ninguno sin nada nadie",
    "it": "non mai nessun nessuna nessuno senza niente nulla",
    "pt": "não nunca jamais nenhum nenhuma sem nada ninguém",
    "nl": "niet geen nooit zonder niets niemand",
}
#: groups of words against groups of words of the opposite meaning; inflections are found by their stems
_OPPOSITES = {
    "en": """
    open opened opens : closed shut close / allowed allow permitted permit may : forbidden prohibited banned disallowed
    forbids prohibits / raise raised increase increased grow grew rise rose higher : lower lowered decrease decreased
    reduce reduced fall fell drop dropped shrink / before : after / more : less fewer / most : least fewest / maximum :
    minimum / above : below / running started start : stopped stop / enable enabled : disable disabled / include
    included including : exclude excluded excluding / possible able can : impossible unable / true : false / safe :
    unsafe dangerous / win won : lose lost / first : last / early earlier : late later / present available exists
    exist : absent unavailable missing / with : without / legal : illegal / always : never / add added : remove removed
    / accept accepted : reject rejected refuse refused / succeed succeeded : fail failed / hot : cold / north : south /
    east : west / left : right / alive : dead / empty : full / required mandatory : optional / free : paid /
    upper : lower
    """,
    "de": """
    offen geöffnet öffnet eröffnet : geschlossen schließt / erlaubt gestattet darf dürfen : verboten untersagt / steigt
    stieg erhöht gestiegen wächst wuchs : sinkt sank senkt gesenkt gesunken verringert fällt fiel / vor : nach / mehr :
    weniger / meisten : wenigsten / maximal höchstens : minimal mindestens / über : unter / läuft gestartet : gestoppt
    angehalten / aktiviert : deaktiviert / einschließlich : ausschließlich / möglich : unmöglich
    / wahr richtig : falsch /
    sicher : unsicher gefährlich / gewann gewonnen : verlor verloren / erste erster : letzte letzter / früher : später /
    vorhanden verfügbar : fehlt / mit : ohne / legal : illegal / immer : nie / angenommen : abgelehnt / gelungen :
    gescheitert / heiß : kalt / nördlich norden : südlich süden / östlich osten : westlich westen / links : rechts /
    leer : voll / geeignet : ungeeignet / kostenlos : kostenpflichtig
    """,
}
_LEADING_ANSWER = re.compile(r"\s*(?:yes|no|ja|nein|oui|non|sí|si|no|sì|sim|não|nee)\s*[,.:;!–—-]\s*", re.IGNORECASE)
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
    return _LEADING_ANSWER.sub("", text, count=1)


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
def _negations(lang: str) -> frozenset[str]:
    return frozenset(fold(_NEGATIONS.get(lang, "")).split())


@cache
def _opposites(lang: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    pairs = (pair.split(":") for pair in _OPPOSITES.get(lang, "").split("/") if pair.strip())
    return tuple((frozenset(analyse(one, lang)), frozenset(analyse(other, lang))) for one, other in pairs)


@cache
def _with_opposite(lang: str) -> frozenset[str]:
    return frozenset(term for pair in _opposites(lang) for side in pair for term in side)


def _terms(text: str, lang: str) -> set[str]:
    """Return the terms of a clause without its negations."""
    return set(analyse(text, lang)) - _negated_terms(lang)


@cache
def _negated_terms(lang: str) -> frozenset[str]:
    return frozenset(analyse(_NEGATIONS.get(lang, ""), lang))
