"""Find the few words of a quote that are the short answer: those that the reader found in its passage."""

import math
import re

from domain import Focus, Hit
from pipeline.judging.sentences import Span
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import answer_type_of, is_number, last_question
from pipeline.safety.sanitize import sanitize_line
from text.analyser import analyse
from text.languages import any_of
from text.terms import content_words

#: "how to" questions have no short answer
_NOT_SAID_SHORTLY = "way"
#: the least margin of a short answer that is marked: on XQuAD .74 of them are right, and .56 of all are found; in
#: German, read in a gloss, .55 and .26
_LEAST_MARGIN = -1.5
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_HOW_MANY = re.compile(
    r"\b(?:how many|how much (?:does|do|did|is|was|are|would)|wie ?viele?|was kostet)\b", re.IGNORECASE
)
_OR = re.compile(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_TIMES = re.compile(
    rf"\d|\b(?:{'|'.join(map(any_of, ('months', 'short_months', 'weekdays', 'short_weekdays')))}"
    rf"|{'|'.join(map(any_of, ('seasons', 'times', 'occasions')))})(?:e?[sn]|i)?\b",
    re.IGNORECASE,
)
_LANGUAGES_OF_NUMBERS = frozenset({"en", "de"})


def short_answer(analysis: Analysis, hit: Hit, best: Span, *, quote: str) -> Focus | None:
    """Return where a quote says the short answer that the reader found in the best sentence of a hit.

    None if the hit was not read, if the reader sees no short answer in that sentence, if the words are of another kind
    than asked for, and if no few words can answer.
    """
    found = hit.reading.short_answer() if hit.reading else None
    if found is None or found.margin < _LEAST_MARGIN or answer_type_of(analysis.text) == _NOT_SAID_SHORTLY:
        return None
    words = sanitize_line(hit.passage.text[found.start : found.end])
    start = quote.find(words) if words and best.start <= found.start and found.end <= best.end else -1
    if start < 0 or not may_answer(analysis, words):
        return None
    confidence = round(1 / (1 + math.exp(_LEAST_MARGIN - found.margin)), 4)
    return Focus(start=start, end=start + len(words), confidence=confidence)


def may_answer(analysis: Analysis, said: str) -> bool:
    """Return whether words are of the kind asked for, and say something that the question does not."""
    question = last_question(analysis.text)
    words = content_words(said, analysis.lang)
    if words and not _OR.search(question) and all(_is_told(word, analysis) for word in words):
        return False
    has_number = any(is_number(word) for word in _WORD.findall(said))
    if answer_type_of(analysis.text) == "time":
        return has_number or _TIMES.search(said) is not None
    return has_number or analysis.lang not in _LANGUAGES_OF_NUMBERS or not _HOW_MANY.search(question)


def _is_told(word: str, analysis: Analysis) -> bool:
    terms = analyse(word, analysis.lang)
    return bool(terms) and all(term in analysis.terms for term in terms)
