"""Follow names: pages that the question or its best hits name are pulled in, though they share few of its words.

This is the design document's [_graph_retrieve] with its [_build_expansion_queries], which gives neither formula nor
constant: its expansion queries are a name and the rest of the question. Here the name is looked up, and the words of
the question that are still missing rank the pages it leads to. A name counts less, the more passages mention it.

The first hit stays first, so a question that one passage answers is answered as before.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from domain import Hit, KnownName, Passage, Scope, StatedFact, Via
from pipeline.question.analysis import Analysis
from pipeline.retrieval.retrieve import Vectors
from text.names import names_in
from text.rarity import rarity
from text.stopwords import stop_words
from text.terms import passage_terms

#: hits to retrieve for the expansion: a passage is pulled up from among them, or pulled in from outside
MIN_HITS = 25
#: hits whose names are followed at a time, and how often: a question of three pages takes two steps
SOURCES, STEPS = 3, 2
#: passages pulled in by one name
PER_NAME = 2
#: the part of a pulled passage's worth that does not depend on its text; the rest is its relevance
NAMED = 0.7
#: weight of a link back to the hit, relative to a link from it
BACK = 0.7
#: names of a hit's page that more passages mention are not followed
MOST_BACK = 50
#: what the smaller of a passage's two scores adds to the larger
AGREED = 0.2
#: the most passages fetched in one step
REACH = 60


class Graph(Protocol):
    """The names of pages, and the passages that mention them."""

    def pages_named(self, names: Collection[str]) -> Sequence[KnownName]:
        """Return those of the names that are names of pages."""

    def mentioned_in(self, passage_ids: Collection[str]) -> Mapping[str, Sequence[KnownName]]:
        """Return the names of other pages that each passage mentions."""

    def mentioning(self, page_ids: Collection[int], *, most: int) -> Mapping[int, Sequence[KnownName]]:
        """Return each page's names that at most ``most`` passages mention, with those passages."""


class Nearest(Protocol):
    """Passages by page or by id."""

    def nearest(
        self, vectors: Vectors, *, page_ids: Collection[int], ids: Collection[str], k: int, scope: Scope
    ) -> list[Hit]:
        """Return of the passages on these pages, or with these ids, the k most similar to the first row."""


@dataclass(frozen=True, kw_only=True)
class _Lead:
    """A name, and the pages and passages that it leads to."""

    worth: float  #: [0, 1]
    pages: frozenset[int]
    passages: frozenset[str]
    known_terms: frozenset[str]  #: terms of the passage that mentions it

    def leads_to(self, hit: Hit) -> bool:
        return hit.passage.page_id in self.pages or hit.passage.id in self.passages


@dataclass(frozen=True, kw_only=True)
class _Pulled:
    """A passage that a name or a fact led to."""

    hit: Hit
    worth: float  #: [0, 1]
    via: Via


@dataclass(frozen=True, kw_only=True)
class _Target:
    """The scores that the added passages are compared with."""

    weights: Mapping[str, float]  #: term of the question → rarity
    lang: str
    similarity: float  #: of the most similar hit


def expand(
    analysis: Analysis,
    vectors: Vectors,
    hits: Sequence[Hit],
    *,
    graph: Graph | None,
    passages: Nearest,
    scope: Scope,
    facts: Sequence[StatedFact] = (),
) -> list[Hit]:
    """Return ``hits`` with the passages that names and ``facts`` lead to, on the hits' own scale.

    ``vectors`` are the queries', the question's first; without a ``graph`` no name is followed. ``via`` marks a passage
    that was pulled in or up.
    """
    if not hits or hits[0].score <= 0:
        return list(hits)
    target = _target(analysis, hits)
    pulled: dict[str, _Pulled] = {}
    leads, stating = _leads_from_question(analysis, graph) if graph else [], {stated.page_id for stated in facts}
    ranked, followed = list(hits), set[str]()
    for _ in range(STEPS):
        sources = [hit for hit in ranked[:SOURCES] if hit.passage.id not in followed]
        followed.update(hit.passage.id for hit in sources)
        leads += _leads_from_hits(sources, hits[0].score, graph, target.lang) if graph else []
        page_ids = stating.union(*(lead.pages for lead in leads))
        ids = frozenset[str]().union(*(lead.passages for lead in leads))
        if not page_ids and not ids:
            break
        found = passages.nearest(vectors[:1], page_ids=page_ids, ids=ids, k=REACH, scope=scope)
        _pull_named(pulled, leads, found, target)
        _pull_stating(pulled, facts, found)
        ranked, leads, stating = _merged(hits, pulled), [], set()
    return ranked


def specificity(named: KnownName) -> float:
    """Return the weight of a name, higher for fewer mentions: √ of its idf as a share of the idf at one mention.

    √(log(1 + n/m) / log(1 + n)) with n pages and m mentions: 1 for one mention, .32 for a thousand on a thousand pages.
    """
    return math.sqrt(math.log1p(named.among / max(1, named.mentions)) / math.log1p(max(1, named.among)))


def _target(analysis: Analysis, hits: Sequence[Hit]) -> _Target:
    return _Target(
        weights={term: rarity(term, analysis.lang) for term in analysis.terms},
        lang=analysis.lang,
        similarity=max((hit.similarity or 0.0 for hit in hits), default=0.0),
    )


def _leads_from_question(analysis: Analysis, graph: Graph) -> list[_Lead]:
    """Return the pages that the question names."""
    names = names_in(analysis.text, empty=stop_words(analysis.lang))
    return [_lead(named, worth=1.0) for named in _longest(graph.pages_named(names))]


def _leads_from_hits(sources: Sequence[Hit], best: float, graph: Graph, lang: str) -> list[_Lead]:
    """Return the pages that hits name, and the passages that name the hits' pages."""
    if not sources:
        return []
    mentioned = graph.mentioned_in([hit.passage.id for hit in sources])
    back = graph.mentioning({hit.passage.page_id for hit in sources}, most=MOST_BACK)
    leads = []
    for hit in sources:
        worth, known_terms = min(1.0, hit.score / best), frozenset(passage_terms(hit.passage, lang))
        leads += [
            _lead(named, worth=worth, known_terms=known_terms) for named in _longest(mentioned.get(hit.passage.id, ()))
        ]
        for named in back.get(hit.passage.page_id, ()):
            leads.append(
                _Lead(
                    worth=BACK * worth * specificity(named),
                    pages=frozenset(),
                    passages=frozenset(named.passages),
                    known_terms=known_terms,
                )
            )
    return leads


def _lead(named: KnownName, *, worth: float, known_terms: frozenset[str] = frozenset()) -> _Lead:
    return _Lead(
        worth=worth * specificity(named), pages=frozenset(named.pages), passages=frozenset(), known_terms=known_terms
    )


def _longest(found: Iterable[KnownName]) -> list[KnownName]:
    """Leave out a name that is part of another: "Leland" of "Leland, North Carolina"."""
    listed = list(found)
    return [
        named
        for named in listed
        if not any(f" {named.name} " in f" {other.name} " for other in listed if other != named)
    ]


def _pull_named(pulled: dict[str, _Pulled], leads: Sequence[_Lead], found: Sequence[Hit], target: _Target) -> None:
    """Pull the passages that the leads lead to, each with its worth by its best lead."""
    terms = {hit.passage.id: frozenset(passage_terms(hit.passage, target.lang)) for hit in found}
    for lead in leads:
        led = [hit for hit in found if lead.leads_to(hit)]
        worths = {
            hit.passage.id: lead.worth * (NAMED + (1 - NAMED) * _relevance(hit, terms[hit.passage.id], lead, target))
            for hit in led
        }
        for hit in sorted(led, key=lambda hit: (-worths[hit.passage.id], hit.passage.id))[:PER_NAME]:
            _pull(pulled, _Pulled(hit=hit, worth=worths[hit.passage.id], via="graph"))


def _pull_stating(pulled: dict[str, _Pulled], facts: Sequence[StatedFact], found: Sequence[Hit]) -> None:
    """Pull the passages that state the facts."""
    for hit in found:
        if any(_states(hit.passage, stated) for stated in facts):
            _pull(pulled, _Pulled(hit=hit, worth=1.0, via="fact"))


def _states(passage: Passage, stated: StatedFact) -> bool:
    fact = stated.fact
    if passage.page_id != stated.page_id:
        return False
    return fact.object in passage.text if fact.start is None else passage.start <= fact.start < passage.end


def _pull(pulled: dict[str, _Pulled], new: _Pulled) -> None:
    known = pulled.get(new.hit.passage.id)
    if known is None or new.worth > known.worth:
        pulled[new.hit.passage.id] = new


def _relevance(hit: Hit, terms: Collection[str], lead: _Lead, target: _Target) -> float:
    """Return the mean of a passage's similarity and its share of the question's words that the lead lacks."""
    left = {term: weight for term, weight in target.weights.items() if term not in lead.known_terms}
    share = sum(weight for term, weight in left.items() if term in terms) / (sum(left.values()) or 1.0)
    similarity = (hit.similarity or 0.0) / target.similarity if target.similarity > 0 else 0.0
    return (share + min(1.0, max(0.0, similarity))) / 2


def _merged(hits: Sequence[Hit], pulled: Mapping[str, _Pulled]) -> list[Hit]:
    """Return the hits and the pulled passages, the first hit first, none scored above it."""
    first, best = hits[0], hits[0].score
    every = {id: each.hit for id, each in pulled.items()} | {hit.passage.id: hit for hit in hits}
    owns = {hit.passage.id: hit.score / best for hit in hits}
    scores = {id: _combined(owns.get(id, 0.0), pulled[id].worth if id in pulled else 0.0) for id in every}
    order = sorted(every, key=lambda id: (id != first.passage.id, -scores[id], id))
    return [
        replace(
            every[id],
            score=best * min(1.0, scores[id]),
            scale=first.scale,
            rank=rank,
            via=pulled[id].via if id in pulled and rank > 1 else "",
        )
        for rank, id in enumerate(order, start=1)
    ]


def _combined(own: float, worth: float) -> float:
    return max(own, worth) + AGREED * min(own, worth)
