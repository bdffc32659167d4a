"""The sentences of the best passages, each with its terms: what the judge weighs and the composer quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.analyser import analyse
from store.sentences import sentence_spans
from store.types import Hit, Passage


@dataclass(frozen=True, kw_only=True)
class Span:
    """A sentence of a hit: exactly ``hit.passage.text[start:end]``."""

    hit: Hit
    ord: int  #: 0-based position among the passage's sentences
    start: int
    end: int
    terms: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence as it stands."""
        return self.hit.passage.text[self.start : self.end]


def spans_of(hits: Sequence[Hit], lang: str) -> list[Span]:
    """Give every sentence of ``hits`` in order, analysed as the question's language is."""
    return [
        Span(hit=hit, ord=ord, start=start, end=end, terms=frozenset(analyse(hit.passage.text[start:end], lang)))
        for hit in hits
        for ord, (start, end) in enumerate(sentence_spans(hit.passage.text))
    ]


def title_terms(passage: Passage, lang: str) -> frozenset[str]:
    """Give the terms of a passage's title: what the whole passage is about, said once."""
    return frozenset(analyse(passage.title, lang))
