"""Reciprocal rank fusion of several engines' links: scores of different engines do not compare, their ranks do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from domain import Link

RRF_K: Final = 60  #: Σ 1/(k + rank)


def fuse(rankings: Sequence[Sequence[Link]]) -> list[Link]:
    """Merge rankings by rank, equals in the order they came; one found again keeps its first words."""
    scores: defaultdict[str, float] = defaultdict(float)
    links: dict[str, Link] = {}
    for ranking in rankings:
        once = {link.url: link for link in reversed(ranking)}
        for rank, url in enumerate(dict.fromkeys(link.url for link in ranking), start=1):
            scores[url] += 1 / (RRF_K + rank)
            links.setdefault(url, once[url])
    return [links[url] for url in sorted(scores, key=lambda url: -scores[url])]
