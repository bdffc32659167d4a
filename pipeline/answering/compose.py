"""Compose an extractive answer: the sentence of the hits that answers best, with its citation.

More are quoted only where the first alone may not say it, the question needs several pages or asks for several things,
or a longer answer is wanted; none where the hits are not sure to answer.

Every sentence of the answer is a span of a passage, extended to what belongs to it (:mod:`pipeline.answering.extent`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from domain import TABLES, Answer, Hit, StatedFact, Verdict
from domain.options import Length
from domain.outcome import FIRST_SUFFICES
from pipeline.answering.extent import ALONE_WORDS, QUOTE_WORDS, Quote, extend
from pipeline.answering.length import most_quotes
from pipeline.answering.notices import with_notices
from pipeline.answering.short_answer import short_answer
from pipeline.answering.write import by_section, readable, with_headings, write
from pipeline.judging.coverage import SpanCoverage, cover
from pipeline.judging.sentence_score import choose_sentences, is_as_good, rank_by_score
from pipeline.judging.sentences import Span
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import asks_for_all
from pipeline.reader.read_hits import READ_FIRST
from text.analyser import spaced_words
from text.names import names_of
from text.quotation import quoted

#: a sentence that states a fact comes first when it scores at least this share of the best
STATES = 0.25

#: the most quotes for a question that asks for several things, or how to do something
MOST_OF_SEVERAL = 3
#: the most sentences of an answer joined from several pages
MAX_JOINED = 3


def compose(
    analysis: Analysis,
    hits: Sequence[Hit],
    *,
    confidence: float,
    is_sure: bool = True,
    further: bool = False,
    several: bool = True,
    facts: Sequence[StatedFact] = (),
    length: Length = "normal",
) -> Answer | None:
    """Return the sentences of ``hits`` that answer best, or None when there is none.

    A sentence that states one of ``facts``, which the pages' data give for what is asked, comes first where it is near
    the best.

    Of hits that are not sure to answer (``is_sure``), there is one quote; with ``further`` the next best follow, since
    the first alone may not say it. With ``several``, joins sentences of several pages where the question needs that.
    """
    read_spans = cover(analysis, hits, top=READ_FIRST).spans
    ranked = rank_by_score(read_spans, analysis.text)
    if not ranked:
        return None
    first, usual = _best(ranked, facts), MOST_OF_SEVERAL if further or asks_for_all(analysis.text) else 1
    if not is_sure or length == "short":
        quotes = _quotes_of(analysis, [first], read_spans, 1, words=QUOTE_WORDS)
    else:
        chosen = join_sides(analysis, first, ranked) if several else [first]
        most = max(len(chosen), most_quotes(length, usual))
        if most > len(chosen):  # a quote may hold the next best sentence too
            chosen = _distinct([*chosen, *choose_sentences(ranked, most=2 * most)])
        quotes = _quotes_of(analysis, chosen, read_spans, most, words=ALONE_WORDS)
    quotes = by_section(quotes) if length == "report" else quotes
    answer = _focused(analysis, write(quotes, confidence), first.span, first.hit)
    return with_headings(answer) if length == "report" else answer


def compose_as_judged(
    verdict: Verdict,
    composed: Callable[..., Answer | None],
    analysis: Analysis,
    hits: Sequence[Hit],
    *,
    is_part: bool = False,
) -> Answer | None:
    """Return as much of an answer as the verdict makes sure, by :func:`compose` with its other options.

    A part of a question gets one quote. What the question names and nothing mentions is said in a notice.
    """
    answer = composed(
        analysis,
        hits,
        confidence=verdict.of_answer,
        is_sure=verdict.sufficient,
        further=not is_part and verdict.of_first_quote < FIRST_SUFFICES,
    )
    if answer is None or not verdict.not_mentioned:
        return answer
    name = quoted(verdict.not_mentioned, analysis.lang)
    return with_notices(answer, say("not_mentioned", analysis.lang, name=name))


def _best(ranked: Sequence[SpanCoverage], facts: Sequence[StatedFact]) -> SpanCoverage:
    """Return the best sentence that states a fact, where it is near the best of all; else that.

    The confidence stays that of the best: that these hits hold the answer is no less likely where a page's data
    names the sentence.
    """
    near = (read for read in ranked if is_as_good(read, ranked[0], STATES)) if facts else ()
    return next((read for read in near if any(_states(read.span, stated) for stated in facts)), ranked[0])


def _states(span: Span, stated: StatedFact) -> bool:
    """Return whether the fact stands in the sentence, or its object does, where its place in the page is not known."""
    passage, fact = span.passage, stated.fact
    if passage.page_id != stated.page_id:
        return False
    if fact.start is None:
        return fact.object in span.text
    return passage.start + span.start <= fact.start < passage.start + span.end


def _quotes_of(
    analysis: Analysis, chosen: Sequence[SpanCoverage], read_spans: Sequence[SpanCoverage], most: int, *, words: int
) -> list[Quote]:
    """Return the quotes of the chosen sentences, at most ``most``; one alone has about ``words`` words."""
    wants_all = asks_for_all(analysis.text)
    quotes = _apart([extend(each, read_spans, wants_all=wants_all) for each in chosen])
    if min(len(quotes), most) == 1:
        return [extend(chosen[0], read_spans, wants_all=wants_all, words=words)]
    return _headed_once(quotes[:most])


def _headed_once(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes, each without the header of its table where one before shows it."""
    kept: list[Quote] = []
    for quote in quotes:
        shown = [span for other in kept for span in other.spans]
        is_shown = quote.header is not None and any(_overlap(quote.header, span) for span in shown)
        kept.append(replace(quote, header=None) if is_shown else quote)
    return kept


def _apart(quotes: Sequence[Quote]) -> list[Quote]:
    """Leave out each quote that is a part of an earlier one, or holds it; of rows that overlap keep the one chosen."""
    kept: list[Quote] = []
    for quote in quotes:
        for own in (quote, replace(quote, span=quote.sentence))[: 1 + (quote.span.block_kind in TABLES)]:
            text, span = own.span.text, own.span
            if not any(
                text in each.text or each.text in text or _overlap(span, each) for each in (k.span for k in kept)
            ):
                kept.append(own)
                break
    return kept


def _overlap(one: Span, other: Span) -> bool:
    return one.passage.id == other.passage.id and one.start < other.end and other.start < one.end


def _focused(analysis: Analysis, answer: Answer, best: Span, hit: Hit) -> Answer:
    """Mark the words of the first quote that are the short answer: in the best sentence, else anywhere in it."""
    said = readable(best)
    of_first = [sentence for sentence in answer.sentences if sentence.markers == answer.sentences[0].markers]
    at = next((place for place, sentence in enumerate(of_first) if said in sentence.text), 0)
    focus = short_answer(analysis, hit, best, quote=of_first[at].text)
    focused = replace(of_first[at], focus=focus)
    return replace(answer, sentences=(*answer.sentences[:at], focused, *answer.sentences[at + 1 :]))


def join_sides(analysis: Analysis, first: SpanCoverage, ranked: Sequence[SpanCoverage]) -> list[SpanCoverage]:
    """Return the best sentence with one of each page that the question names, if it names several; at most three."""
    question = spaced_words(analysis.text)
    titles = dict.fromkeys(read.span.passage.title for read in ranked)
    named = {title: frozenset(names_of(title)) for title in titles}
    sides: dict[frozenset[str], SpanCoverage] = {}
    for read in ranked:
        names = named[read.span.passage.title]
        if any(f" {name} " in question for name in names) and not any(names & other for other in sides):
            sides[names] = read
    return _distinct([first, *sides.values()])[:MAX_JOINED] if len(sides) > 1 else [first]


def _distinct(reads: Sequence[SpanCoverage]) -> list[SpanCoverage]:
    """Return each sentence once."""
    kept: list[SpanCoverage] = []
    for read in reads:
        if not any(read is other for other in kept):
            kept.append(read)
    return kept
