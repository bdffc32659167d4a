"""Follow names: pages that the question or its best hits name are pulled in, though they share few of its words.

This is the design document's [_graph_retrieve] with its [_build_expansion_queries], which gives neither formula nor
constant: its expansion queries are a name and the rest of the question. Here the name is looked up, and the words of
the question that are still missing rank the pages it leads to. A name counts less, the more passages mention it.

The first hit stays first, so a question that one passage answers is answered as before.

So do facts lead to the passages that state them: those of a subject that the question names, with a predicate whose
words it contains.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from domain import Hit, KnownName, Scope, StatedFact, Via
from pipeline.question.analysis import Analysis
from pipeline.retrieval.retrieve import Vectors
from text.names import name_key
from text.related_words import find_related
from text.terms import analyse, passage_terms, rarity, stop_words

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
#: the predicate of a term's description, which no question contains
_DEFINITION = "definition"
#: share of a predicate's words that the question must contain: "published" asks for "date published"
_ASKED = 0.5
#: facts that one question may bring in
MAX_FACTS = 5


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


class Facts(Protocol):
    """The facts that pages state, by their subjects."""

    def facts_about(self, names: Collection[str]) -> Sequence[StatedFact]:
        """Return the facts whose subject has one of these names."""


class LinkGraph(Graph, Protocol):
    """A graph with the links between pages."""

    def links_between(self, urls: Collection[str]) -> Sequence[tuple[str, str]]:
        """Return the links among these pages: (from, to)."""


class KnowledgeGraph(LinkGraph, Nearest, Facts, Protocol):
    """The names, links and facts that lead from a question and its hits to other passages."""


class _Lead(NamedTuple):
    """A name, and the pages and passages that it leads to."""

    worth: float  #: [0, 1]
    pages: frozenset[int]
    passages: frozenset[str]
    known_terms: frozenset[str]  #: terms of the passage that mentions it


class _Pulled(NamedTuple):
    """A passage that a name or a fact led to."""

    hit: Hit
    worth: float  #: [0, 1]
    via: Via


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
    nearest = max(hit.similarity or 0.0 for hit in hits)
    pulled: dict[str, _Pulled] = {}
    leads, stating = _leads_from_question(analysis, graph) if graph else [], {stated.page_id for stated in facts}
    ranked, followed = list(hits), set[str]()
    for _ in range(STEPS):
        sources = [hit for hit in ranked[:SOURCES] if hit.passage.id not in followed]
        followed.update(hit.passage.id for hit in sources)
        leads += _leads_from_hits(sources, hits[0].score, graph, analysis.lang) if graph and sources else []
        page_ids = stating.union(*(lead.pages for lead in leads))
        ids = frozenset[str]().union(*(lead.passages for lead in leads))
        if not page_ids and not ids:
            break
        found = passages.nearest(vectors[:1], page_ids=page_ids, ids=ids, k=REACH, scope=scope)
        named = _named(analysis, leads, found, nearest)
        stated = [
            _Pulled(hit, 1.0, "fact")
            for hit in found
            if any(fact.is_in(hit.passage.page_id, hit.passage.text, hit.passage.start) for fact in facts)
        ]
        for new in (*named, *stated):
            known = pulled.get(new.hit.passage.id)
            if known is None or new.worth > known.worth:
                pulled[new.hit.passage.id] = new
        ranked, leads, stating = _merged(hits, pulled), [], set()
    return ranked


def specificity(named: KnownName) -> float:
    """Return the weight of a name, higher for fewer mentions: √ of its idf as a share of the idf at one mention.

    √(log(1 + n/m) / log(1 + n)) with n pages and m mentions: 1 for one mention, .32 for a thousand on a thousand pages.
    """
    return math.sqrt(math.log1p(named.among / max(1, named.mentions)) / math.log1p(max(1, named.among)))


def _leads_from_question(analysis: Analysis, graph: Graph) -> list[_Lead]:
    """Return the pages that the question names."""
    return [
        _Lead(specificity(named), frozenset(named.pages), frozenset(), frozenset())
        for named in _longest(graph.pages_named(analysis.possible_names))
    ]


def _leads_from_hits(sources: Sequence[Hit], best: float, graph: Graph, lang: str) -> list[_Lead]:
    """Return the pages that hits name, and the passages that name the hits' pages."""
    mentioned = graph.mentioned_in([hit.passage.id for hit in sources])
    back = graph.mentioning({hit.passage.page_id for hit in sources}, most=MOST_BACK)
    leads = []
    for hit in sources:
        worth, known = min(1.0, hit.score / best), frozenset(passage_terms(hit.passage, lang))
        for named in _longest(mentioned.get(hit.passage.id, ())):
            leads.append(_Lead(worth * specificity(named), frozenset(named.pages), frozenset(), known))
        for named in back.get(hit.passage.page_id, ()):
            leads.append(_Lead(BACK * worth * specificity(named), frozenset(), frozenset(named.passages), known))
    return leads


def _longest(found: Iterable[KnownName]) -> list[KnownName]:
    """Leave out a name that is part of another: "Leland" of "Leland, North Carolina"."""
    listed = list(found)
    return [
        named
        for named in listed
        if not any(f" {named.name} " in f" {other.name} " for other in listed if other != named)
    ]


def _named(analysis: Analysis, leads: Sequence[_Lead], found: Sequence[Hit], nearest: float) -> Iterator[_Pulled]:
    """Yield the best passages that each lead leads to, by their relevance.

    That is the mean of a passage's similarity and its share of the question's words that the lead lacks.
    """
    weights = {term: rarity(term, analysis.lang) for term in analysis.terms}
    terms = {hit.passage.id: frozenset(passage_terms(hit.passage, analysis.lang)) for hit in found}
    for lead in leads:
        left = {term: weight for term, weight in weights.items() if term not in lead.known_terms}
        total = sum(left.values()) or 1.0
        reached = []
        for hit in found:
            if hit.passage.page_id in lead.pages or hit.passage.id in lead.passages:
                share = sum(weight for term, weight in left.items() if term in terms[hit.passage.id]) / total
                similarity = (hit.similarity or 0.0) / nearest if nearest > 0 else 0.0
                relevance = (share + min(1.0, max(0.0, similarity))) / 2
                reached.append(_Pulled(hit, lead.worth * (NAMED + (1 - NAMED) * relevance), "graph"))
        yield from sorted(reached, key=lambda each: (-each.worth, each.hit.passage.id))[:PER_NAME]


def _merged(hits: Sequence[Hit], pulled: Mapping[str, _Pulled]) -> list[Hit]:
    """Return the hits and the pulled passages, the first hit first, none scored above it."""
    first, best = hits[0], hits[0].score
    every = {id: each.hit for id, each in pulled.items()} | {hit.passage.id: hit for hit in hits}
    owns = {hit.passage.id: hit.score / best for hit in hits}
    scores = {}
    for id in every:
        own, worth = owns.get(id, 0.0), pulled[id].worth if id in pulled else 0.0
        scores[id] = max(own, worth) + AGREED * min(own, worth)
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


def find_facts(analysis: Analysis, facts: Facts) -> list[StatedFact]:
    """Return the facts that answer the question, the best first."""
    names = dict.fromkeys((*analysis.possible_names, *map(name_key, analysis.words)))
    found = facts.facts_about([name for name in names if name])
    shares = [_share(analysis, stated) for stated in found]
    best = sorted(range(len(found)), key=lambda at: -shares[at])
    return [found[at] for at in best if shares[at] >= _ASKED][:MAX_FACTS]


def _share(analysis: Analysis, stated: StatedFact) -> float:
    """Return the share of the predicate's words in the question, without the subject's own words."""
    if stated.fact.predicate == _DEFINITION:
        return float(analysis.question_type == "definition")
    lang = analysis.lang
    asked = analysis.terms.keys() - set(analyse(stated.fact.subject, lang))
    wanted = [term for term in analyse(stated.fact.predicate, lang) if term not in stop_words(lang)]
    stand_for = find_related(wanted, asked, lang)
    return sum(1 for term in wanted if stand_for[term]) / len(wanted) if wanted else 0.0
