"""Find the few words of a quote that are surely the short answer: a whole cell of a table, a value of a sentence."""

import re
from dataclasses import replace

from domain import Focus, Hit
from pipeline.answering.focus.contrasts import settle_contrast
from pipeline.answering.focus.find import find_focus, read_focus
from pipeline.answering.focus.tables import context_of, focus_in_table, table_at, table_of
from pipeline.judging.sentences import Span
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import answer_type_of, is_number, last_question
from text.analyser import analyse
from text.languages import any_of
from text.terms import content_words

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


def short_answer(analysis: Analysis, hit: Hit, best: Span, *, sentence: str, quote: str) -> Focus | None:
    """Return where the short answer stands in a quote: in the best sentence of a hit, else anywhere; or None.

    ``sentence`` is that best sentence as the quote writes it. Words are found by their form just where the hit was not
    read, or was read in a gloss, which marks none: where the reader of the page itself sees no short answer, what they
    find is wrong more often than right.
    """
    if hit.reading and hit.reading.short_answer():
        focus = read_focus(analysis, hit, (best.start, best.end), quote)
    else:
        focus = _by_form(analysis, sentence, quote)
    table = table_of(best) or (table_at(quote, focus.start) if focus else None)
    if table is not None:
        return focus_in_table(analysis, table, quote, focus, context=context_of(best, table, analysis.lang))
    return _settled(analysis, quote, focus) if focus else None


def _by_form(analysis: Analysis, sentence: str, quote: str) -> Focus | None:
    at = quote.find(sentence)
    if at <= 0:
        return find_focus(analysis, quote)
    focus = find_focus(analysis, sentence)
    return replace(focus, start=focus.start + at, end=focus.end + at) if focus else None


def _settled(analysis: Analysis, quote: str, focus: Focus) -> Focus | None:
    """Return the words of a sentence that surely answer, of the kind asked for."""
    settled = settle_contrast(analysis, quote, focus)
    return settled if settled and may_answer(analysis, quote[settled.start : settled.end]) else None


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
