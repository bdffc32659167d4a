"""What speaks for the hits holding the answer, in numbers that mean the same for one page and for a million.

Only the best few hits are looked at, and nothing here depends on how many others there are: no share of the knowledge
base's own statistics, no score scaled by the other hits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pipeline.question import Analysis
from pipeline.rarity import rarity
from pipeline.terms import content_terms
from store.analyser import analyse
from store.sentences import sentence_spans
from store.types import Hit

#: how many of the best hits are looked at
LOOKED_AT = 5


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The features of the judge; each is comparable between questions and between knowledge bases."""

    similarity: float  #: of the most similar hit, [−1, 1]
    agreement: float  #: similarity of the hit that covers the question best: high where words and meaning meet
    passage_coverage: float  #: weighted share of the question's terms in the best passage and its title, [0, 1]
    sentence_coverage: float  #: the same for the best sentence and its page's title
    title_coverage: float  #: the same for the first hit's title alone
    missing_weight: float  #: of the rarest term that the best passage lacks, [0, 1]
    entity_coverage: float  #: share of names and numbers in the best passage; .5 for a question without any
    term_count: float  #: log(1 + the question's terms)
    term_weight: float  #: log(1 + the sum of their weights)
    covered: tuple[str, ...] = ()  #: words of the question in the best passage, as asked
    missing: tuple[str, ...] = ()  #: and those that are not


def weigh(analysis: Analysis, hits: Sequence[Hit]) -> Evidence | None:
    """Give the evidence, or None where nothing was found or the question has no word to look for."""
    terms = content_terms(analysis.text, analysis.lang)
    if not hits or not terms:
        return None
    weights = {term: rarity(term, analysis.lang) for term in terms}
    read = [_Read.of(hit, analysis.lang, weights) for hit in hits[:LOOKED_AT]]
    best = max(read, key=lambda passage: (passage.coverage, passage.similarity))
    named = {term for entity in analysis.entities for term in analyse(entity, analysis.lang)} & terms.keys()
    lacking = terms.keys() - best.terms
    return Evidence(
        similarity=max(hit.similarity or 0.0 for hit in hits),
        agreement=best.similarity,
        passage_coverage=best.coverage,
        sentence_coverage=max(passage.sentence_coverage for passage in read),
        title_coverage=_share(weights, analyse(hits[0].passage.title, analysis.lang), weights),
        missing_weight=max((weights[term] for term in lacking), default=0.0),
        entity_coverage=max(_share(named, passage.terms, weights) for passage in read) if named else 0.5,
        term_count=math.log1p(len(terms)),
        term_weight=math.log1p(sum(weights.values())),
        covered=_words(terms, terms.keys() - lacking),
        missing=_words(terms, lacking),
    )


@dataclass(frozen=True, kw_only=True)
class _Read:
    """A hit as the question sees it."""

    terms: frozenset[str]  #: of its title and text
    similarity: float
    coverage: float
    sentence_coverage: float

    @classmethod
    def of(cls, hit: Hit, lang: str, weights: Mapping[str, float]) -> _Read:
        passage = hit.passage
        title = set(analyse(passage.title, lang))
        terms = title.union(analyse(passage.text, lang))
        sentences = [analyse(passage.text[start:end], lang) for start, end in sentence_spans(passage.text)]
        return cls(
            terms=frozenset(terms),
            similarity=hit.similarity or 0.0,
            coverage=_share(weights, terms, weights),
            sentence_coverage=max((_share(weights, title.union(said), weights) for said in sentences), default=0.0),
        )


def _share(terms: Collection[str], found: Collection[str], weights: Mapping[str, float]) -> float:
    total = sum(weights[term] for term in terms)
    return sum(weights[term] for term in terms if term in found) / total if total else 0.0


def _words(terms: Mapping[str, str], chosen: Collection[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for term, word in terms.items() if term in chosen))
