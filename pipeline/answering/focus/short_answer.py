"""Find the few words of a quote that are surely the short answer: a whole cell of a table, a value of a sentence."""

from __future__ import annotations

from dataclasses import replace

from domain import Focus, Hit
from pipeline.answering.focus.bounds import may_answer
from pipeline.answering.focus.contrasts import settle_contrast
from pipeline.answering.focus.find import find_focus, read_focus
from pipeline.answering.focus.tables import context_of, focus_in_table, table_at, table_of
from pipeline.judging.sentences import Span
from pipeline.judging.translations import is_foreign
from pipeline.question.analysis import Analysis
from text.terms import terms_of


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
    return _settled(analysis, best, quote, focus) if focus else None


def _by_form(analysis: Analysis, sentence: str, quote: str) -> Focus | None:
    at = quote.find(sentence)
    if at <= 0:
        return find_focus(analysis, quote)
    focus = find_focus(analysis, sentence)
    return replace(focus, start=focus.start + at, end=focus.end + at) if focus else None


def _settled(analysis: Analysis, best: Span, quote: str, focus: Focus) -> Focus | None:
    """Return the words of a sentence that surely answer, of the kind asked for."""
    settled = settle_contrast(analysis, quote, focus)
    context = best.led_by.union(terms_of(best.passage.title, analysis.lang))
    if is_foreign(analysis, best.passage):  # no word of the question can stand in it
        context = context.union(analysis.terms)
    return settled if settled and may_answer(analysis, quote, settled, context=context) else None
