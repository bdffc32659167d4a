"""Read the sentences of the hits, once, for the judge and the composer: how each covers the question, and its score.

A word that every hit holds (the site's name, the subject) tells nothing. A word that few hits hold tells which sentence
answers; a word that no hit holds tells that perhaps none does. A heading or a list of links mentions a word and does
not answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from urllib.parse import urlsplit

from domain import Hit
from pipeline.judging.reading import MEANS_THE_SAME, READ_FIRST
from pipeline.judging.sentences import ANSWERING, SentenceKind, Span, is_instruction, spans_of
from pipeline.question.analysis import Analysis
from pipeline.safety.injection import asks_about_prompts
from text.related_words import Related, find_related, most_of, share_of
from text.terms import jaccard, passage_terms, rarity_among, terms_of

#: what a word counts in the context of a sentence (the lines above it that say what it is about), in the neighbouring
#: sentence, and in the title
_CONTEXT, _NEIGHBOUR, _TITLE = 0.9, 0.9, 0.8
#: what a word counts in a line that points to further reading
_MENTIONED = 0.5
#: what a name counts in a passage that lacks it, when this many of its site's hits and this share of them hold it
_SITE, _SITE_HITS, _SITE_SHARE = 0.8, 2, 0.4

#: fitted listwise (conditional softmax) on one half of the titles of squad2 and xquad, rounded: a score per unit
_OWN_SCORE, _CONTEXT_SCORE, _WIDE_SCORE, _HIT_SCORE, _NEAR_SCORE, _LENGTH_SCORE = 2.2, 2.6, 4.4, 6.8, 2.3, 0.17
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

#: another sentence is given when it scores at least this share of the first; if it is in another language, this one:
#: the answer is among 2.0 instead of 2.8 quotes .91 instead of .92 of the time (XQuAD across languages)
WORTH_GIVING, WORTH_GIVING_FOREIGN = 0.5, 0.75
SAME_ABOVE = 0.8

#: for sentences of hits that were read: the reader's logits, of the sentence and of its passage, and the search's score
_EVIDENCE, _ANSWERS, _RANKED = 0.7, 0.2, 15.0
#: besides these, per unit of cosine, if it was read in translation, and of its passage's
_TRANSLATED, _OF_TRANSLATED = 8.0, 3.0
#: how much less than the best a sentence has that tells next to nothing; more if it was read in translation
_SPREAD, _SPREAD_TRANSLATED = 4.0, 7.0


@dataclass(frozen=True, kw_only=True)
class SpanCoverage:
    """The coverage of the question by a sentence; shares are weighted, [0, 1]."""

    span: Span
    hit: Hit
    at: int  #: index of its hit
    own: float  #: share of the question's words in the sentence itself
    in_context: float  #: share in it, its context and the title
    wide: float  #: share in all these and the better neighbouring sentence
    nearness: float  #: share of the question's neighbouring words that are near each other in the sentence
    evidence: float | None = None  #: the reader's logit that it answers; None: its hit was not read
    near: float | None = None  #: cosine of the question and the sentence alone; None: not compared

    @cached_property
    def score(self) -> float:
        """Return how well the sentence answers; higher is better, comparable within one question only."""
        similarity = self.hit.similarity or 0.0
        if self.evidence is not None and self.hit.reading is not None:
            read = _EVIDENCE * self.evidence + _ANSWERS * self.hit.reading.answers + _RANKED * self.hit.score
            return read + (0.0 if self.near is None else _TRANSLATED * self.near + _OF_TRANSLATED * similarity)
        too_long = max(0, len(self.span.text) - _LONG_CHARACTERS) / _LONG_CHARACTERS
        return (
            _OWN_SCORE * self.own
            + _CONTEXT_SCORE * self.in_context
            + _WIDE_SCORE * self.wide
            + _HIT_SCORE * self.hit.score
            + _NEAR_SCORE * self.nearness
            + _LENGTH_SCORE * math.log1p(len(self.span.held_terms))
            + (0.0 if self.near is None else _MEANING * self.near + _OF_PASSAGE * similarity)
            - (_LOSS[self.span.kind] + _LONG * too_long)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What hits say of a question."""

    analysis: Analysis
    hits: tuple[Hit, ...]
    weights: Mapping[str, float]  #: search term of the question → its rarity among these hits
    credits: tuple[Mapping[str, float], ...]  #: per hit: term → what its title and text count for it
    spans: tuple[SpanCoverage, ...]  #: the sentences of the first eight hits

    @cached_property
    def ranked(self) -> list[SpanCoverage]:
        """Return the sentences that can answer, the best first.

        An instruction to the answerer is left out, unless the question is about such instructions.
        """
        ranked = sorted((each for each in self.spans if each.span.kind in ANSWERING), key=lambda each: -each.score)
        is_about_instructions = asks_about_prompts(self.analysis.text)
        return ranked if is_about_instructions else [each for each in ranked if not is_instruction(each.span)]

    def of(self, hits: Sequence[Hit]) -> Evidence:
        """Return the evidence in these hits, gathered once; itself where they are its own."""
        if self.hits == tuple(hits):
            return self
        part = tuple(map(id, hits))
        if part not in self._parts:
            self._parts[part] = gather(self.analysis, hits)
        return self._parts[part]

    @cached_property
    def _parts(self) -> dict[tuple[int, ...], Evidence]:
        return {}


def gather(analysis: Analysis, hits: Sequence[Hit]) -> Evidence:
    """Return the evidence in the first eight hits' sentences; the other hits only tell how common a word is."""
    lang, first = analysis.lang, hits[:READ_FIRST]
    stand_for = _stand_for(analysis, hits)
    is_read = any(hit.reading for hit in first)
    spans = [spans_of(hit.passage, lang) for hit in first]
    titles = [terms_of(hit.passage.title, lang) for hit in hits]
    others = [passage_terms(hit.passage, lang) for hit in hits[READ_FIRST:]]
    of_titles = [stand_for.credits(title) for title in titles]
    own = [
        [stand_for.credits(span.held_terms, _MENTIONED if span.kind == "pointer" else 1.0) for span in each]
        for each in spans
    ]
    held = [reduce(most_of, credits, title) for title, credits in zip(of_titles, own, strict=False)]
    held += [stand_for.credits(terms) for terms in others]
    weights = {
        term: rarity_among(term, lang, sum(each.get(term, 0.0) for each in held), len(held)) for term in analysis.terms
    }
    about = _about_sites(hits, held, analysis.name_terms)
    return Evidence(
        analysis=analysis,
        hits=tuple(hits),
        weights=weights,
        credits=tuple(most_of(text, site) for text, site in zip(held, about, strict=True)),
        spans=tuple(
            covered
            for at, hit in enumerate(first)
            if hit.reading or not is_read
            for covered in _of_hit(
                stand_for, weights, hit, at, spans[at], own[at], above=most_of(of_titles[at], about[at])
            )
        ),
    )


def choose_sentences(ranked: Sequence[SpanCoverage], *, most: int) -> list[SpanCoverage]:
    """Return at most so many sentences of :attr:`Evidence.ranked`: the best, and the next that say something else."""
    chosen: list[SpanCoverage] = []
    for read in ranked:
        part = WORTH_GIVING_FOREIGN if read.hit.near_terms else WORTH_GIVING
        if len(chosen) == most or (chosen and not is_as_good(read, chosen[0], part)):
            break
        if not any(jaccard(read.span.held_terms, other.span.held_terms) > SAME_ABOVE for other in chosen):
            chosen.append(read)
    return chosen


def is_as_good(read: SpanCoverage, best: SpanCoverage, part: float) -> bool:
    """Return whether a sentence answers at least ``part`` as well as the best."""
    if read.evidence is None:
        return read.score >= part * best.score
    spread = _SPREAD if read.near is None else _SPREAD_TRANSLATED
    return best.score - read.score <= (1 - part) * spread


def _stand_for(analysis: Analysis, hits: Sequence[Hit]) -> Related:
    """Return for each term of the question the hits' terms that count for it: related ones, and near ones."""
    held = {term for hit in hits for term in passage_terms(hit.passage, analysis.lang)}
    stand_for = find_related(analysis.terms, held, analysis.lang)
    for hit in hits:
        for term, others in hit.near_terms.items():
            known = stand_for[term]
            same = {other: cosine for other, cosine in others.items() if cosine >= MEANS_THE_SAME}
            known |= {other: max(cosine, known.get(other, 0.0)) for other, cosine in same.items()}
    return Related(stand_for)


def _of_hit(
    stand_for: Related,
    weights: Mapping[str, float],
    hit: Hit,
    at: int,
    spans: Sequence[Span],
    own: Sequence[Mapping[str, float]],
    *,
    above: Mapping[str, float],
) -> Iterator[SpanCoverage]:
    """Yield the coverage of each sentence of a hit; ``above`` is what its title and site count."""
    reading = hit.reading
    where = [(span.start, span.end) for span in spans]
    evidence = reading.evidence(where) if reading else [None] * len(spans)
    for place, span in enumerate(spans):
        context = stand_for.credits(
            span.context_terms, _CONTEXT ** (1 + span.context_distance)
        )  # less, the further above they are
        in_context = most_of(own[place], most_of(context, above, _TITLE))
        around = (other for other in (place - 1, place + 1) if 0 <= other < len(spans))
        neighbours = [own[other] for other in around if spans[other].kind in ANSWERING]
        yield SpanCoverage(
            span=span,
            hit=hit,
            at=at,
            own=share_of(weights, own[place]),
            in_context=share_of(weights, in_context),
            wide=max(
                (share_of(weights, most_of(in_context, each, _NEIGHBOUR)) for each in neighbours),
                default=share_of(weights, in_context),
            ),
            nearness=stand_for.nearness(span.terms),
            evidence=evidence[place],
            near=hit.nearness.get(span.text),
        )


def _about_sites(
    hits: Sequence[Hit], held: Sequence[Mapping[str, float]], names: Collection[str]
) -> list[dict[str, float]]:
    """Return for each hit what its site counts for the names in the question.

    A site is about a name that a good part of its hits hold; its other pages need not repeat it.
    """
    sites = [urlsplit(hit.passage.url).hostname for hit in hits]
    counts: dict[str | None, Counter[str]] = {site: Counter() for site in sites}
    for site, credits in zip(sites, held, strict=True):
        counts[site].update(term for term, value in credits.items() if value and term in names)
    enough = {site: max(_SITE_HITS, _SITE_SHARE * sites.count(site)) for site in counts}
    return [{term: _SITE for term, count in counts[site].items() if count >= enough[site]} for site in sites]
