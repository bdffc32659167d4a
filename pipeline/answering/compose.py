"""Compose an extractive answer: the sentence of the hits that answers best, with its citation and its few words.

More are quoted only where the first alone may not say it, the question needs several pages or asks for several things,
or a longer answer is wanted; none where the hits are not sure to answer. A question with several parts has an answer
joined from theirs, and what is asked of a page as a whole has quotes of all of it.

Every sentence of the answer is a span of a passage, extended to what belongs to it (:mod:`pipeline.answering.quotes`).
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain import TABLES, Answer, Focus, Hit, Passage, Sentence, StatedFact, Verdict
from domain.answer import EXTRACTIVE
from domain.options import Length
from domain.outcome import FIRST_SUFFICES, outcome_of
from pipeline.answering.citations import with_notices, with_sentences
from pipeline.answering.quotes import (
    ALONE_WORDS,
    QUOTE_WORDS,
    Quote,
    by_section,
    extend,
    holds,
    readable,
    with_headings,
    write,
)
from pipeline.answering.sections import most_quotes
from pipeline.judging.evidence import Evidence, SpanCoverage, choose_sentences, is_as_good
from pipeline.judging.sentences import ANSWERING, Span, spans_of
from pipeline.phrases import say
from pipeline.question.analysis import Analysis, is_number, last_question
from pipeline.safety.sanitize import sanitize_line
from text.language import detect_language
from text.languages import any_of, word_set
from text.names import names_of
from text.sentences import quoted
from text.terms import analyse, content_terms, content_words, spaced_words
from text.urls import without_urls

#: a sentence that states a fact comes first when it scores at least this share of the best
STATES = 0.25
#: the most quotes for a question that asks for several things, or how to do something
MOST_OF_SEVERAL = 3
#: the most sentences of an answer joined from several pages
MAX_JOINED = 3
#: "how to" questions have no short answer
_NOT_SAID_SHORTLY = "way"
#: the least margin of a short answer that is marked: on XQuAD .74 of them are right, and .56 of all are found; in
#: German, read in translation, .55 and .26
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
#: quotes of a page; of one topic more would be beside the point
_QUOTES_OF_PAGE: Final = 5
#: that such quotes are what was asked for
_CONFIDENCE_OF_PAGE: Final = 0.8
#: from here on, words have no blanks between them
_FIRST_CJK: Final = 0x3000


def compose(
    evidence: Evidence,
    *,
    confidence: float,
    is_sure: bool = True,
    further: bool = False,
    several: bool = True,
    facts: Sequence[StatedFact] = (),
    length: Length = "normal",
) -> Answer | None:
    """Return the sentences of the hits that answer best, or None when there is none.

    A sentence that states one of ``facts``, which the pages' data give for what is asked, comes first where it is near
    the best.

    Of hits that are not sure to answer (``is_sure``), there is one quote; with ``further`` the next best follow, since
    the first alone may not say it. With ``several``, joins sentences of several pages where the question needs that.
    """
    analysis, read_spans, ranked = evidence.analysis, evidence.spans, evidence.ranked
    if not ranked:
        return None
    first, usual = _best(ranked, facts), MOST_OF_SEVERAL if further or analysis.asks_for_all else 1
    if not is_sure or length == "short":
        quotes = _quotes_of(analysis, [first], read_spans, 1, words=QUOTE_WORDS)
    else:
        chosen = join_sides(analysis, first, ranked) if several else [first]
        most = max(len(chosen), most_quotes(length, usual))
        if most > len(chosen):  # a quote may hold the next best sentence too
            chosen = _distinct([*chosen, *choose_sentences(ranked, most=2 * most)])
        quotes = _quotes_of(analysis, chosen, read_spans, most, words=ALONE_WORDS)
    quotes = by_section(quotes) if length == "report" else quotes
    answer = _with_short_answer(analysis, write(quotes, confidence), first.span, first.hit)
    return with_headings(answer) if length == "report" else answer


def compose_as_judged(
    verdict: Verdict, composed: Callable[..., Answer | None], evidence: Evidence, *, is_part: bool = False
) -> Answer | None:
    """Return as much of an answer as the verdict makes sure, by :func:`compose` with its other options.

    A part of a question gets one quote. What the question names and nothing mentions is said in a notice.
    """
    answer = composed(
        evidence,
        confidence=verdict.of_answer,
        is_sure=verdict.sufficient,
        further=not is_part and verdict.of_first_quote < FIRST_SUFFICES,
    )
    if answer is None or not verdict.not_mentioned:
        return answer
    lang = evidence.analysis.lang
    return with_notices(answer, say("not_mentioned", lang, name=quoted(verdict.not_mentioned, lang)))


def _best(ranked: Sequence[SpanCoverage], facts: Sequence[StatedFact]) -> SpanCoverage:
    """Return the best sentence that states a fact, where it is near the best of all; else that.

    The confidence stays that of the best: that these hits hold the answer is no less likely where a page's data
    names the sentence.
    """
    near = (read for read in ranked if is_as_good(read, ranked[0], STATES)) if facts else ()
    return next((read for read in near if any(read.span.states(fact) for fact in facts)), ranked[0])


def _quotes_of(
    analysis: Analysis, chosen: Sequence[SpanCoverage], read_spans: Sequence[SpanCoverage], most: int, *, words: int
) -> list[Quote]:
    """Return the quotes of the chosen sentences, at most ``most``; one alone has about ``words`` words."""
    wants_all = analysis.asks_for_all
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


def _with_short_answer(analysis: Analysis, answer: Answer, best: Span, hit: Hit) -> Answer:
    """Mark the words of the first quote that are the short answer: in the best sentence, else anywhere in it."""
    said = readable(best)
    of_first = [sentence for sentence in answer.sentences if sentence.markers == answer.sentences[0].markers]
    at = next((place for place, sentence in enumerate(of_first) if said in sentence.text), 0)
    marked = replace(of_first[at], focus=short_answer(analysis, hit, best, quote=of_first[at].text))
    return replace(answer, sentences=(*answer.sentences[:at], marked, *answer.sentences[at + 1 :]))


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
    return list({id(read): read for read in reads}.values())


def short_answer(analysis: Analysis, hit: Hit, best: Span, *, quote: str) -> Focus | None:
    """Return where a quote says the short answer that the reader found in the best sentence of a hit.

    None if the hit was not read, if the reader sees no short answer in that sentence, if the words are of another kind
    than asked for, and if no few words can answer.
    """
    found = hit.reading.short_answer() if hit.reading else None
    if found is None or found.margin < _LEAST_MARGIN or analysis.answer_type == _NOT_SAID_SHORTLY:
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
    if words and not _OR.search(question) and all(_is_in_question(word, analysis) for word in words):
        return False
    has_number = any(is_number(word) for word in _WORD.findall(said))
    if analysis.answer_type == "time":
        return has_number or _TIMES.search(said) is not None
    return has_number or analysis.lang not in _LANGUAGES_OF_NUMBERS or not _HOW_MANY.search(question)


def _is_in_question(word: str, analysis: Analysis) -> bool:
    terms = analyse(word, analysis.lang)
    return bool(terms) and analysis.terms.keys() >= set(terms)


@dataclass(frozen=True, kw_only=True)
class AnsweredPart:
    """One of the things that a question asks for, with its answer."""

    question: Analysis
    answer: Answer | None
    verdict: Verdict


def join_parts(parts: Sequence[AnsweredPart], *, needs_all: bool) -> tuple[Answer, Verdict] | None:
    """Return one answer to all parts, and the verdict on it; None where no part has a likely answer.

    It is as likely as the least likely part that is given, and suffices if all of them do. With ``needs_all`` it is
    also None where one part has no likely answer: one quote may answer both parts better than each.
    """
    joined = Answer(text="", sentences=(), citations=(), confidence=1.0, composer=EXTRACTIVE)
    given: list[Verdict] = []
    for part in parts:
        if part.answer and outcome_of(part.answer, part.verdict, strict=False) != "unknown":
            joined = _joined(joined, part.answer)
            given.append(part.verdict)
        else:
            missing = f"{quoted(part.question.text, part.question.lang)} {say('unknown', part.question.lang)}"
            joined = replace(joined, sentences=(*joined.sentences, Sentence(text=missing, origin="missing")))
    if not given or (needs_all and len(given) < len(parts)):
        return None
    weakest = min((part.verdict for part in parts), key=lambda verdict: verdict.confidence)
    verdict = replace(
        min(given, key=lambda verdict: verdict.confidence),
        sufficient=weakest.sufficient and len(given) == len(parts),
        reason=weakest.reason,
        missing=weakest.missing,
    )
    return with_sentences(joined, joined.sentences, {each.marker for each in joined.citations}), verdict


def _joined(joined: Answer, answer: Answer) -> Answer:
    """Return an answer with what another one says beyond it; no few words of one part are the answer to both."""
    count = len(joined.citations)
    held = {each.marker for each in answer.citations if any(holds(own, each) for own in joined.citations)}
    sentences = tuple(
        replace(each, focus=None, markers=tuple(marker + count for marker in each.markers))
        for each in answer.sentences
        if not held.issuperset(each.markers)
    )
    return replace(
        joined,
        sentences=(*joined.sentences, *sentences),
        citations=(*joined.citations, *(replace(each, marker=each.marker + count) for each in answer.citations)),
        confidence=min(joined.confidence, answer.confidence),
    )


def topic_for_page(text: str) -> tuple[str, ...] | None:
    """Return the words of what a page is to say something about, none for all; None if it is not asked of the page."""
    plain = without_urls(text, " ").casefold()
    in_blankless = [word for word in word_set("of_pages") if ord(word[0]) > _FIRST_CJK and word in plain]
    for word in sorted(in_blankless, key=len, reverse=True):
        plain = plain.replace(word, " ")
    asked = re.findall(r"[^\W_]+", plain)
    names_page = bool(in_blankless) or not word_set("of_pages").isdisjoint(asked)
    empty = word_set("of_pages") | word_set("stop_words") | word_set("asking_words") | word_set("ones")
    carrying = content_terms(plain, detect_language(plain)).values() if asked else ()
    topic = [word for word in carrying if not empty.issuperset(re.findall(r"[^\W\d_]+", word))]
    return tuple(dict.fromkeys(topic)) if names_page or not topic else None


def answer_from(pages: Sequence[Sequence[Passage]], topic: Sequence[str], length: Length) -> Answer | None:
    """Return what pages, each its passages in order, say on the topic, or on the whole; None if they say nothing."""
    most = most_quotes(length, _QUOTES_OF_PAGE)
    each = max(1, most // max(1, len(pages)))
    chosen = [span for passages in pages for span in _of_page(passages, topic, each)][:most]
    return write([Quote(span=span, sentence=span) for span in chosen], _CONFIDENCE_OF_PAGE) if chosen else None


def _of_page(passages: Sequence[Passage], topic: Sequence[str], most: int) -> list[Span]:
    if not passages:
        return []
    lang = passages[0].lang
    spans = [[span for span in spans_of(each, lang) if span.kind in ANSWERING] for each in passages]
    in_order = [span for of_passage in spans for span in of_passage]
    if topic:
        wanted = set(content_terms(" ".join(topic), lang))
        shared = {id(span): len(wanted & (span.held_terms | span.context_terms)) for span in in_order}
        best = max(shared.values(), default=0)
        found = [span for span in in_order if best and shared[id(span)] == best]
        return found[:most]
    first = [of_passage[0] for of_passage in spans if of_passage][:most]
    more = [span for span in in_order if span not in first][: most - len(first)]
    return [span for span in in_order if span in first or span in more]
