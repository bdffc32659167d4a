"""Lay questions and passages out as tokens, as the product does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from text.encoder.runtime import CLS, MAX_TOKENS, QUESTION_TOKENS, SEP, TITLE_TOKENS, open_tokenizer
from text.sentences import sentence_spans
from training.examples import Span, Text

MASK: Final = 103

_opened = cache(open_tokenizer)


@dataclass(frozen=True, slots=True)
class Sentences:
    """A passage's tokens, its sentences' token ranges and character spans, and which of them answer."""

    ids: list[int]
    lead: int  #: tokens before the passage's own
    offsets: list[Span]  #: of each of the passage's own tokens in its text, in characters
    ranges: list[Span]
    spans: list[Span]
    answering: list[bool]

    def tokens(self, span: Span) -> Span:
        """Return the first and the last token of a character span; (-1, -1) where none is in it."""
        start, end = span
        inside = [at for at, (a, b) in enumerate(self.offsets, self.lead) if b > start and a < end]
        return (inside[0], inside[-1]) if inside else (-1, -1)


def question_ids(question: str) -> list[int]:
    """Return [CLS] question [SEP], the question cut to 48 tokens."""
    return [CLS, *_opened().encode(question, add_special_tokens=False).ids[:QUESTION_TOKENS], SEP]


def sentences_of(text: Text, *, titled: bool = True) -> Sentences:
    """Return [CLS] title passage [SEP] of at most 256 tokens: a window round the evidence, or the beginning."""
    title = _opened().encode(text.title, add_special_tokens=False).ids[:TITLE_TOKENS] if titled else []
    encoding = _opened().encode(text.text, add_special_tokens=False)
    ids, offsets = encoding.ids, encoding.offsets
    room = MAX_TOKENS - 2 - len(title)
    if len(ids) > room:
        around = text.evidence[0][0] if text.evidence else 0
        token = next((at for at, (_, end) in enumerate(offsets) if end > around), 0)
        first = max(0, min(len(ids) - room, token - room // 2))
        ids, offsets = ids[first : first + room], offsets[first : first + room]
    base = 1 + len(title)
    ranges, spans, answering = [], [], []
    for start, end in sentence_spans(text.text):
        inside = [at for at, (a, b) in enumerate(offsets) if b > start and a < end]
        if inside:
            ranges.append((base + inside[0], base + inside[-1] + 1))
            spans.append((start, end))
            answering.append(any(start < b and end > a for a, b in text.evidence))
    return Sentences([CLS, *title, *ids, SEP], base, offsets, ranges, spans, answering)
