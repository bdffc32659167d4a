"""Read the best hits, where the question and all of them are in languages that can be read; order them by it.

Sentences that were read do not compare with others: either all of the best hits are read, or none is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, Protocol

from domain import AnswerSpan, Hit, Reading
from pipeline.question.analysis import Analysis
from text.gloss.gloss import Gloss, Span, gloss
from text.gloss.lexicon import LANGUAGES as GLOSSED

#: hits that are read: the judge and the composer weigh the sentences of just these, in every language
READ_FIRST: Final = 8
#: the reader's language, and pages whose language is not known
_LANGUAGE, _UNKNOWN = "en", "und"
#: what the logit that a passage answers counts beside the search's score; with the hits of a second pass in this order,
#: answers to questions on manuals are right .61 instead of .58; with more, hits of a second hop (HotpotQA) fall back
_ANSWERS: Final = 0.04


class Reads(Protocol):
    """A reader."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading] | None:
        """Return the readings of ``passages``, each a title and a text, in their order; None if it cannot read."""


def read_hits(reader: Reads | None, analysis: Analysis, hits: Sequence[Hit], *, glosses: bool = True) -> list[Hit]:
    """Return the hits, the first eight with their readings; none with a reading where they cannot all be read.

    Without ``glosses`` just English is read.
    """
    first = hits[:READ_FIRST]
    unread = _unread(hits)
    if reader is None or not all(_is_readable(analysis, hit, glosses=glosses) for hit in first):
        return unread
    return [*_read(reader, analysis, first), *unread[READ_FIRST:]]


def best_read_first(reader: Reads | None, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return English hits in a new order: as the search has them, but those that answer further up; then read them.

    Where the first hit and seven more can be read, those that cannot come behind them.
    """
    readable = [hit for hit in hits if not is_glossed(analysis, hit)]
    if reader is None or readable[:1] != list(hits[:1]) or len(readable) < min(READ_FIRST, len(hits)):
        return read_hits(reader, analysis, hits, glosses=False)
    levels = accumulate((hit.score for hit in readable), min)  # a hit that was put behind another stays behind it
    read = _read(reader, analysis, readable)
    scored = [
        (level + _ANSWERS * hit.reading.answers if hit.reading else level, hit)
        for level, hit in zip(levels, read, strict=True)
    ]
    ordered = [hit for _, hit in sorted(scored, key=lambda each: -each[0])]
    ordered += [hit for hit in hits if is_glossed(analysis, hit)]
    ranked = [replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1)]
    return [*ranked[:READ_FIRST], *_unread(ranked[READ_FIRST:])]


def is_glossed(analysis: Analysis, hit: Hit) -> bool:
    """Return whether the question or the passage would be read in a gloss: one of them is not in English."""
    return analysis.lang != _LANGUAGE or hit.passage.lang not in (_LANGUAGE, _UNKNOWN)


def _is_readable(analysis: Analysis, hit: Hit, *, glosses: bool) -> bool:
    if not is_glossed(analysis, hit):
        return True
    return glosses and {analysis.lang, hit.passage.lang} <= GLOSSED | {_LANGUAGE, _UNKNOWN}


def _read(reader: Reads, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    if any(is_glossed(analysis, hit) for hit in hits):
        return _read_glosses(reader, analysis, hits)
    readings = reader.read(analysis.text, [(hit.passage.title, hit.passage.text) for hit in hits])
    if readings is None:
        return _unread(hits)
    return [replace(hit, reading=reading) for hit, reading in zip(hits, readings, strict=True)]


def _read_glosses(reader: Reads, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    question = gloss(analysis.text, analysis.lang).text
    passages = [hit.passage for hit in hits]
    texts = [gloss(passage.text, passage.lang) for passage in passages]
    titles = [gloss(passage.title, passage.lang).text for passage in passages]
    readings = reader.read(question, [(title, text.text) for title, text in zip(titles, texts, strict=True)])
    if readings is None:
        return _unread(hits)
    return [
        replace(hit, reading=GlossedReading(reading, text))
        for hit, reading, text in zip(hits, readings, texts, strict=True)
    ]


def _unread(hits: Sequence[Hit]) -> list[Hit]:
    return [replace(hit, reading=None) for hit in hits]


@dataclass(frozen=True, eq=False)
class GlossedReading:
    """What was read in a passage's gloss, by places in the passage itself."""

    read: Reading
    gloss: Gloss

    @property
    def answers(self) -> float:
        """The logit that the passage answers the question."""
        return self.read.answers

    def evidence(self, spans: Sequence[Span]) -> list[float]:
        """Return for each character span of the passage the mean logit that its words are of what answers."""
        return self.read.evidence([self.gloss.place(span) for span in spans])

    def short_answer(self) -> AnswerSpan | None:
        """Return the words of the passage whose gloss is the short answer."""
        found = self.read.short_answer()
        return found and AnswerSpan(*self.gloss.back((found.start, found.end)), found.margin)
