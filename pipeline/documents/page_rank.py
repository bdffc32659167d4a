"""Reorder hits by PageRank over the links and the names between them [GraphReranker].

The design document names the method and gives no formula. This is personalised PageRank: a walk over links and
names from hit to hit restarts, one time in seven, at a hit chosen by its score. Without an edge the order stays.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np

from domain import Hit
from pipeline.retrieval.facts import Facts
from pipeline.retrieval.multi_hop import Graph, Nearest
from pipeline.retrieval.rerank.learned import reorder

#: probability of following an edge instead of restarting; PageRank's own
DAMPING = 0.85
#: iterations; the share of the start after them is below a thousandth
_ROUNDS = 50

#: from and to, as places among the hits
Edge = tuple[int, int]


class LinkGraph(Graph, Protocol):
    """A graph with the links between pages."""

    def links_between(self, urls: Collection[str]) -> Sequence[tuple[str, str]]:
        """Return the links among these pages: (from, to)."""


class KnowledgeGraph(LinkGraph, Nearest, Facts, Protocol):
    """The names, links and facts that lead from a question and its hits to other passages."""


def rerank_graph(hits: Sequence[Hit], edges: Collection[Edge]) -> list[Hit]:
    """Order ``hits`` by their PageRank as a share of the best one's; equal ones keep their order."""
    ranks = page_rank([max(0.0, hit.score) for hit in hits], edges)
    best = max(ranks, default=1.0) or 1.0
    return reorder(hits, [rank / best for rank in ranks])


def page_rank(starts: Sequence[float], edges: Collection[Edge]) -> list[float]:
    """Return the share of time spent at each place, Σ = 1: r = (1 − d)·s + d·Mr, with s the starts' shares and d .85.

    A place without an outgoing edge leads back to the starts.
    """
    if not starts:
        return []
    total = sum(starts)
    start = np.array(starts) / total if total else np.full(len(starts), 1 / len(starts))
    follow = np.zeros((len(starts), len(starts)))
    for source, target in set(edges):
        if source != target:
            follow[target, source] = 1.0
    outgoing = follow.sum(axis=0)
    follow = np.where(outgoing > 0, follow / np.maximum(outgoing, 1.0), start[:, None])
    ranks = start
    for _ in range(_ROUNDS):
        ranks = (1 - DAMPING) * start + DAMPING * follow @ ranks
    return [float(rank) for rank in ranks]


def edges_among(hits: Sequence[Hit], graph: LinkGraph) -> list[Edge]:
    """Return the edges between hits: one names the page of the other, or their pages are linked."""
    mentioned = graph.mentioned_in([hit.passage.id for hit in hits])
    linked = set(graph.links_between({hit.passage.url for hit in hits}))
    return [
        (source, target)
        for source, one in enumerate(hits)
        for target, other in enumerate(hits)
        if (one.passage.url, other.passage.url) in linked
        or any(other.passage.page_id in named.pages for named in mentioned.get(one.passage.id, ()))
    ]
