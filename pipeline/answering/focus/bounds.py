"""Keep a short answer only if it is of the kind asked for: no place answers "when"."""

from __future__ import annotations

import re
from collections.abc import Collection

from domain import Focus
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import AnswerType, answer_type_of, is_number, last_question
from text.analyser import analyse
from text.languages import any_of
from text.related_words import find_related
from text.terms import content_words

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_WHEN = re.compile(rf"(?:since |until |from |seit |ab |bis |¿)?(?:{any_of('when')})\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\b(?:how many|how much (?:does|do|did|is|was|are|would)|wie ?viele?|was kostet)\b", re.IGNORECASE
)
MONEY = re.compile(r"[£$€¥]|\b(?:euros?|pounds?|dollars?|francs?|franken|cents?|EUR|USD|GBP|CHF)\b", re.IGNORECASE)
#: what a sum of money says without a word
MONEY_WORDS = "cost price pay kosten kostet preis zahlen bezahlen coûte prix cuesta precio costa prezzo custa preço"
_OR = re.compile(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_TIMES = re.compile(
    rf"\d|\b(?:{'|'.join(map(any_of, ('months', 'short_months', 'weekdays', 'short_weekdays')))}"
    rf"|{'|'.join(map(any_of, ('seasons', 'times', 'occasions')))})(?:e?[sn]|i)?\b",
    re.IGNORECASE,
)
_OCCASION = re.compile(
    r"\b(?:after|before|during|since|until|upon|while|when|während|nachdem|seit)(?: the| der| dem)? $"
)
_AMOUNT = re.compile(
    r"\d|\b(?:no|none|nothing|free|one|an?|single|couple|pair|both|several|few|many|most|all|half|hundreds?|thousands?"
    r"|millions?|billions?|dozens?|double|triple|kein\w*|nichts|kostenlos|gratis|frei|eine?[mnrs]?|beide|mehrere|einige"
    r"|wenige|viele|alle|halb\w*|hundert\w*|tausend\w*|million\w*|milliard\w*)\b",
    re.IGNORECASE,
)
_LANGUAGES_OF_NUMBERS = frozenset({"en", "de"})


def may_answer(analysis: Analysis, sentence: str, focus: Focus, *, context: Collection[str] = ()) -> bool:
    """Return whether the words are of the kind asked for, and say something that the question does not.

    ``context`` are the terms of the title and of the lines above the sentence.
    """
    question, said = last_question(analysis.text), sentence[focus.start : focus.end]
    kind = answer_type_of(analysis.text)
    words = content_words(said, analysis.lang)
    if words and not _OR.search(question) and all(_is_told(word, analysis) for word in words):
        return False
    if kind == "time" or _WHEN.match(question):
        return _is_time(sentence, focus, kind)
    if kind in ("money", "number") and not _is_about(analysis, sentence, said, context):
        return False
    if kind in ("name", "place"):
        return any(map(str.isalpha, said))
    if _HOW_MANY.search(question) and analysis.lang in _LANGUAGES_OF_NUMBERS:
        return bool(_AMOUNT.search(said)) or any(is_number(word) for word in _WORD.findall(said))
    return True


def _is_time(sentence: str, focus: Focus, kind: AnswerType) -> bool:
    """Return whether the words are a time; where a condition may be asked for, any but names alone."""
    said = sentence[focus.start : focus.end]
    words = _WORD.findall(said)
    if _TIMES.search(said) or _OCCASION.search(sentence[: focus.start]) or any(map(is_number, words)):
        return True
    return kind != "time" and any(word.islower() for word in words)


def _is_about(analysis: Analysis, sentence: str, said: str, context: Collection[str]) -> bool:
    """Return whether a sentence, or what is above it, has a word of the question; else it tells of another thing."""
    means = analyse(MONEY_WORDS, analysis.lang) if MONEY.search(said) else []
    related = find_related(analysis.terms, {*analyse(sentence, analysis.lang), *means, *context}, analysis.lang)
    return any(related.values())


def _is_told(word: str, analysis: Analysis) -> bool:
    terms = analyse(word, analysis.lang)
    return bool(terms) and all(term in analysis.terms for term in terms)
