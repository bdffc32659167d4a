"""Score how near links are to a question in meaning, beside the words that they share with it.

What a link is worth for being near is what it has beyond most links of the site: all links of a manual are a little
near to a question about it. The similarity itself comes from an embedder that the caller has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from crawler.discovery.relevance import LinkWords

#: returns the similarity of each text to the question, [-1, 1]
Similarity = Callable[[Sequence[str]], Sequence[float]]

#: links whose texts are embedded for one ranking: those that share most words with the question, then in page order
MOST_LINKS: Final = 256
MOST_ANCHORS: Final = 6  #: of one link
_CONTEXT_CHARS: Final = 200
#: of a link's nearness, its nearest anchor and the mean of its three nearest: a page of several matching sections
_NEAREST: Final = 0.7
_NEAREST_THREE: Final = 0.5
#: so large a part of the links is not near
_USUAL: Final = 0.9


def nearness(documents: Sequence[LinkWords], by_words: Sequence[float], similarity: Similarity) -> list[float]:
    """Return how much nearer each link is to the question than most; 0 for most links.

    ``by_words`` has the links' scores by words, which choose the links to be embedded.
    """
    chosen = sorted(range(len(documents)), key=lambda at: -by_words[at])[:MOST_LINKS]
    anchors = {at: _anchors(documents[at]) for at in chosen}
    contexts = {at: [next(iter(documents[at].contexts), "")[:_CONTEXT_CHARS]] for at in chosen}
    texts = list(dict.fromkeys(text for of in (anchors, contexts) for some in of.values() for text in some if text))
    similar = dict(zip(texts, similarity(texts), strict=True)) if texts else {}
    near = {at: _near([similar[text] for text in anchors[at]], similar.get(contexts[at][0], 0.0)) for at in chosen}
    usual = _usual(list(near.values()))
    return [max(0.0, near.get(at, 0.0) - usual) for at in range(len(documents))]


def _anchors(document: LinkWords) -> list[str]:
    """Return a link's anchors, or the words of its path where it has none."""
    return list(islice(filter(None, document.anchors), MOST_ANCHORS)) or list(filter(None, [document.path]))


def _near(anchors: Sequence[float], context: float) -> float:
    if not anchors:
        return context
    best = sorted(anchors, reverse=True)[:3]
    return max(_NEAREST * best[0] + _NEAREST_THREE * sum(best) / 3, context)


def _usual(near: Sequence[float]) -> float:
    """Return the nearness that nine in ten links do not exceed."""
    ordered = sorted(near)
    if not ordered:
        return 0.0
    place = _USUAL * (len(ordered) - 1)
    below = int(place)
    return ordered[below] + (ordered[min(below + 1, len(ordered) - 1)] - ordered[below]) * (place - below)
