"""Compute how far each sentence of the hits covers the question's words: the judge and the composer use it.

A word that every hit holds (the site's name, the subject) tells nothing. A word that few hits hold tells which sentence
answers; a word that no hit holds tells that perhaps none does. A heading or a list of links mentions a word and does
not answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit

from domain import TABLES, Hit
from pipeline.judging.kinds import ANSWERING
from pipeline.judging.sentences import Span, spans_of
from pipeline.judging.translations import MEANS_THE_SAME
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import AnswerType, answer_type_of, rate_fit
from text.rarity import rarity_among
from text.related_words import best_weight, find_related
from text.terms import content_terms, passage_terms, terms_of

#: what a word counts in a line that leads to the sentence, in the neighbouring sentence, and in the title
_LED, _BESIDE, _ABOVE = 0.9, 0.9, 0.8
#: what a word counts in a line that points to further reading
_MENTIONED = 0.5
#: what a name counts in a passage that lacks it, when this many of its site's hits and this share of them hold it
_SITE, _SITE_HITS, _SITE_SHARE = 0.8, 2, 0.4
#: a question that asks what something is or does
_ASKS_WHAT = re.compile(r"what(?:'s| is| are| does| do) |define |was (?:ist|sind|macht|bedeutet) ", re.IGNORECASE)
#: the same in French, Spanish, Italian, Portuguese and Dutch: what follows is the thing
_ASKS_WHAT_ELSE = re.compile(
    # "qu'est-ce que je dois faire ?" asks for no definition
    r"qu['’]est-ce qu(?:e |['’])(?!(?:je|tu|ils?|elles?|on|nous|vous|ça)(?!\w))"
    r"|c['’]est quoi,? |que (?:fait|font|signifie|veut dire) |à quoi sert |définis(?:sez)? "
    r"|¿?qué (?:es|son|hace|hacen|significan?) (?!lo que )|defina "
    r"|(?:che )?cos['’]è |(?:che )?cosa (?:è|sono|fa|fanno|significa) |che (?:significa|vuol dire) "
    r"|o que (?:é|são|faz|fazem|significam?) (?!que )|wat (?:is|zijn|doet|doen|betekent) ",
    re.IGNORECASE,
)
#: most terms that name the thing asked about, and terms that may precede it in its definition
_DEFINED_TERMS, _BEFORE_DEFINED = 4, 1
#: two words of the question are near each other when at most this many words apart
_NEAR = 3


@dataclass(frozen=True, kw_only=True)
class SpanCoverage:
    """The coverage of the question by a sentence; shares are weighted, [0, 1]."""

    span: Span
    hit: Hit
    at: int  #: index of its hit
    own: float  #: share of the question's words in the sentence itself
    led: float  #: share in it, the lines that lead to it and the title
    wide: float  #: share in all these and the better sentence beside it
    neighbour: float  #: share in that better sentence alone
    nearness: float  #: share of the question's neighbouring words that are near each other in the sentence
    defines: bool  #: it defines the thing asked about
    asked: AnswerType  #: the kind of thing asked for
    fit: float  #: how well the sentence holds such a thing, [−1, 1]; 0 where any kind of thing is asked for
    is_labelled: bool = False  #: it is a row of a table, whose first cell is in the question
    evidence: float | None = None  #: the reader's logit that it answers; None: its hit was not read
    near: float | None = None  #: cosine of the question and the sentence alone; None: not compared


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The coverage of the question by the hits."""

    terms: Mapping[str, str]  #: search term → the question's word
    weights: Mapping[str, float]  #: search term → its rarity among these hits
    credits: tuple[Mapping[str, float], ...]  #: per hit: term → what its title and text count for it
    spans: tuple[SpanCoverage, ...]


def cover(analysis: Analysis, hits: Sequence[Hit], *, top: int) -> Coverage:
    """Return the coverage of the first ``top`` hits' sentences; the other hits only tell how common a word is."""
    lang = analysis.lang
    stand_for = _stand_for(analysis, hits)
    spans = [spans_of(hit.passage, lang) for hit in hits[:top]]
    own = [[_own_credits(stand_for, span) for span in each] for each in spans]
    titles = [_credits(stand_for, terms_of(hit.passage.title, lang)) for hit in hits]
    held = [_strongest([title, *credits]) for title, credits in zip(titles, own, strict=False)]
    held += [_credits(stand_for, frozenset(passage_terms(hit.passage, lang))) for hit in hits[top:]]
    weights = {term: rarity_among(term, lang, sum(each[term] for each in held), len(held)) for term in analysis.terms}
    about = _about_sites(hits, held, analysis.name_terms)
    asked = _Asked.of(analysis, stand_for, weights)
    above = [_most(title, site) for title, site in zip(titles, about, strict=True)]
    return Coverage(
        terms=analysis.terms,
        weights=weights,
        credits=tuple(_most(text, site) for text, site in zip(held, about, strict=True)),
        spans=tuple(
            covered
            for at, hit in enumerate(hits[:top])
            for covered in _of_hit(asked, hit, at, spans[at], own=own[at], above=above[at])
        ),
    )


def _stand_for(analysis: Analysis, hits: Sequence[Hit]) -> dict[str, dict[str, float]]:
    """Return for each term of the question the hits' terms that count for it: related words, and translations."""
    held = {term for hit in hits for term in passage_terms(hit.passage, analysis.lang)}
    stand_for = find_related(analysis.terms, held, analysis.lang)
    for hit in hits:
        for term, others in hit.translations.items():
            known = stand_for[term]
            same = {other: cosine for other, cosine in others.items() if cosine >= MEANS_THE_SAME}
            known |= {other: max(cosine, known.get(other, 0.0)) for other, cosine in same.items()}
    return stand_for


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is the same for every sentence of one question's hits."""

    question: str
    lang: str
    stand_for: Mapping[str, Mapping[str, float]]  #: the question's terms → terms of the hits that count for them
    weights: Mapping[str, float]
    words: frozenset[str]  #: all terms of the hits that count for one of the question
    kind: AnswerType
    defined: Mapping[str, Mapping[str, float]]  #: those of the thing whose definition is asked for, or none

    @classmethod
    def of(
        cls, analysis: Analysis, stand_for: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
    ) -> _Asked:
        return cls(
            question=analysis.text,
            lang=analysis.lang,
            stand_for=stand_for,
            weights=weights,
            words=frozenset(other for others in stand_for.values() for other in others),
            kind=answer_type_of(analysis.text),
            defined={term: stand_for[term] for term in _defined_terms(analysis) if term in stand_for},
        )


def _of_hit(
    asked: _Asked,
    hit: Hit,
    at: int,
    spans: Sequence[Span],
    *,
    own: Sequence[Mapping[str, float]],
    above: Mapping[str, float],
) -> Iterator[SpanCoverage]:
    """Yield the coverage of each sentence of a hit; ``above`` is what its title and site count."""
    stand_for, weights, reading = asked.stand_for, asked.weights, hit.reading
    where = [(span.start, span.end) for span in spans]
    evidence = reading.evidence(where) if reading else [None] * len(spans)
    for place, span in enumerate(spans):
        led = _most(own[place], _most(_leading(stand_for, span), above, _ABOVE))
        beside = [own[other] for other in _beside(spans, place)]
        yield SpanCoverage(
            span=span,
            hit=hit,
            at=at,
            own=share(weights, own[place]),
            led=share(weights, led),
            wide=max((share(weights, _most(led, each, _BESIDE)) for each in beside), default=share(weights, led)),
            neighbour=max((share(weights, each) for each in beside), default=0.0),
            nearness=_nearness(stand_for, span.terms),
            defines=bool(asked.defined) and _defines(asked.defined, span),
            asked=asked.kind,
            fit=rate_fit(asked.kind, asked.question, span.named_text, hit.passage.lang),
            is_labelled=_is_labelled(span, asked.words, asked.lang),
            evidence=evidence[place],
            near=hit.nearness.get(span.text),
        )


def share(weights: Mapping[str, float], credits: Mapping[str, float]) -> float:
    """Return the weighted share of the question's words that ``credits`` cover, [0, 1]."""
    total = sum(weights.values())
    return sum(weight * credits[term] for term, weight in weights.items()) / total if total else 0.0


def _is_labelled(span: Span, asked: Collection[str], lang: str) -> bool:
    """Return whether a sentence is a row of a table whose first cell has only words of the question."""
    label = terms_of(span.text.partition(" | ")[0], lang) if span.block_kind in TABLES else ()
    return bool(label) and all(term in asked for term in label)


def _beside(spans: Sequence[Span], place: int) -> list[int]:
    """Return the places of the sentences before and after that can answer."""
    around = [other for other in (place - 1, place + 1) if 0 <= other < len(spans)]
    return [other for other in around if spans[other].kind in ANSWERING]


def _leading(stand_for: Mapping[str, Mapping[str, float]], span: Span) -> dict[str, float]:
    """Return what the lines that lead to a sentence count for each word; less, the further above they are."""
    near = _LED ** (1 + span.led_from)
    return {term: near * value for term, value in _credits(stand_for, span.led_by).items()}


def _own_credits(stand_for: Mapping[str, Mapping[str, float]], span: Span) -> dict[str, float]:
    """Return what a sentence counts for each word; a pointer to further reading only mentions the words."""
    part = _MENTIONED if span.kind == "pointer" else 1.0
    return {term: part * value for term, value in _credits(stand_for, span.held_terms).items()}


def _strongest(many: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {term: max(each[term] for each in many) for term in many[0]}


def _credits(stand_for: Mapping[str, Mapping[str, float]], terms: Collection[str]) -> dict[str, float]:
    return {term: best_weight(others, terms) for term, others in stand_for.items()}


def _defined_terms(analysis: Analysis) -> Collection[str]:
    """Return the terms of the thing that a question asks what it is or does; none where it asks something else."""
    if _ASKS_WHAT.match(analysis.text):
        return analysis.terms
    asks = _ASKS_WHAT_ELSE.match(analysis.text)
    return content_terms(analysis.text[asks.end() :], analysis.lang) if asks else ()


def _defines(defined: Mapping[str, Mapping[str, float]], span: Span) -> bool:
    """Return whether the sentence begins with the thing asked about, or describes the signature directly above it."""
    if len(defined) > _DEFINED_TERMS or span.kind != "prose":
        return False
    named = span.named_at is not None and all(best_weight(others, span.led_by) for others in defined.values())
    begins = span.terms[: len(defined) + _BEFORE_DEFINED]
    return named or all(best_weight(others, begins) for others in defined.values())


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


def _most(one: Mapping[str, float], other: Mapping[str, float], part: float = 1.0) -> dict[str, float]:
    """Return the larger of the two for each word, ``part`` of the other."""
    return {term: max(value, part * other.get(term, 0.0)) for term, value in one.items()}


def _nearness(stand_for: Mapping[str, Mapping[str, float]], terms: Sequence[str]) -> float:
    """Return the share of the question's neighbouring words that are near each other in the sentence."""
    pairs = list(pairwise(stand_for))
    places = {term: [at for at, other in enumerate(terms) if other in others] for term, others in stand_for.items()}
    near = [any(0 < abs(a - b) <= _NEAR for a in places[one] for b in places[other]) for one, other in pairs]
    return sum(near) / len(near) if near else 0.0
