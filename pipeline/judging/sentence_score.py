"""Score the sentences by how well they answer: the composer quotes the best, and the judge weighs them."""

import math
from collections.abc import Sequence

from pipeline.judging.coverage import SpanCoverage
from pipeline.judging.kinds import ANSWERING, SentenceKind
from pipeline.judging.sentences import Span
from pipeline.safety.injection import asks_about_prompts, is_injected
from text.terms import jaccard

#: fitted listwise (conditional softmax) on one half of the titles of squad2 and xquad, rounded: a score per unit
_OWN, _LED, _WIDE, _HIT, _NEAR, _LENGTH = 2.2, 2.6, 4.4, 6.8, 2.3, 0.17
#: judged by reading answers from documentation: what a sentence loses for its kind, and for its length
_LOSS: dict[SentenceKind, float] = {
    "prose": 0,
    "row": 0.5,
    "snippet": 2,
    "pointer": 2,
    "code": 2,
    "signature": 2,
    "heading": 4,
    "question": 4,
    "header": 4,
}
_LONG, _LONG_CHARACTERS = 2.0, 350
#: per unit of cosine, where a sentence was not read, and of its passage's; in German the first is right .76 instead of
#: .75 on XQuAD, among the first two .89 instead of .86; on own sets among the first three .54 instead of .42
_MEANING, _OF_PASSAGE = 10.0, 4.0

#: another sentence is given when it scores at least this share of the first; where its words were translated, this one:
#: the answer is among 2.0 instead of 2.8 quotes .91 instead of .92 of the time (XQuAD across languages)
WORTH_GIVING, WORTH_GIVING_TRANSLATED = 0.5, 0.75
SAME_ABOVE = 0.8

#: for sentences of hits that were read: the reader's logits, of the sentence and of its passage, and the search's score
_EVIDENCE, _ANSWERS, _RANKED = 0.7, 0.2, 15.0
#: beside these, per unit of cosine, where it was read in a gloss, and of its passage's
_GLOSSED, _OF_GLOSSED = 8.0, 3.0
#: how much less than the best a sentence has that tells next to nothing; more where scores have the gloss's part too
_SPREAD, _SPREAD_GLOSSED = 4.0, 7.0


def choose_sentences(ranked: Sequence[SpanCoverage], *, most: int) -> list[SpanCoverage]:
    """Return the best of sentences in order (:func:`rank_by_score`), and the next that say something else, if worth it.

    They are at most ``most``.
    """
    chosen: list[SpanCoverage] = []
    for read in ranked:
        part = WORTH_GIVING_TRANSLATED if read.hit.translations else WORTH_GIVING
        if len(chosen) == most or (chosen and not is_as_good(read, chosen[0], part)):
            break
        if not any(jaccard(set(read.span.terms), set(other.span.terms)) > SAME_ABOVE for other in chosen):
            chosen.append(read)
    return chosen


def rank_by_score(read_spans: Sequence[SpanCoverage], question: str) -> list[SpanCoverage]:
    """Return the sentences that can answer, the best first.

    An instruction to the answerer is left out, unless the question is about such instructions.
    """
    is_about_instructions = asks_about_prompts(question)
    answering = [read for read in read_spans if read.span.kind in ANSWERING]
    ranked = sorted(answering, key=score, reverse=True)
    return ranked if is_about_instructions else [read for read in ranked if not is_instruction(read.span)]


def is_instruction(span: Span) -> bool:
    """Return whether a sentence is an instruction to the answerer, or directly beside one."""
    return is_injected(span.passage.text, span.start, span.end)


def is_as_good(read: SpanCoverage, best: SpanCoverage, part: float) -> bool:
    """Return whether a sentence answers at least ``part`` as well as the best."""
    if read.evidence is None:
        return score(read) >= part * score(best)
    spread = _SPREAD if read.near is None else _SPREAD_GLOSSED
    return score(best) - score(read) <= (1 - part) * spread


def score(read: SpanCoverage) -> float:
    """Return how well the sentence answers; higher is better, comparable within one question only."""
    if read.evidence is None or read.hit.reading is None:
        return _by_words(read)
    return (
        _EVIDENCE * read.evidence
        + _ANSWERS * read.hit.reading.answers
        + _RANKED * read.hit.score
        + (_GLOSSED * read.near + _OF_GLOSSED * (read.hit.similarity or 0.0) if read.near is not None else 0.0)
    )


def _by_words(read: SpanCoverage) -> float:
    return (
        _OWN * read.own
        + _LED * read.led
        + _WIDE * read.wide
        + _HIT * read.hit.score
        + _NEAR * read.nearness
        + _LENGTH * math.log1p(len(set(read.span.terms)))
        + _by_meaning(read)
        - _readability_loss(read)
    )


def _by_meaning(read: SpanCoverage) -> float:
    if read.near is None:
        return 0.0
    return _MEANING * read.near + _OF_PASSAGE * (read.hit.similarity or 0.0)


def _readability_loss(read: SpanCoverage) -> float:
    """Return what a sentence loses for its kind, and for being too long to be read as an answer."""
    text = read.span.text
    too_long = max(0, len(text) - _LONG_CHARACTERS) / _LONG_CHARACTERS
    return _LOSS[read.span.kind] + _LONG * too_long
