"""Answer from several pages [MultiDocSynthesizer]: order the hits so, and note it in the prompt.

A question that compares, or that names several things, may need several pages: the best hit of each page comes before
the second hit of any. The hits of every other question keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain import Hit
from pipeline.question.analysis import Analysis

#: pages whose best hit comes first
MAX_PAGES = 5

USE_SEVERAL_PAGES = (
    "The answer may have to be drawn from several search results: join what they say, and cite each for its part. "
    "Where they contradict each other give both, the later one first."
)


def wants_several_pages(analysis: Analysis) -> bool:
    """Return whether the question compares, or names two things or more."""
    named = [entity for entity in analysis.entities if not entity[0].isdigit()]
    return analysis.question_type == "comparative" or len(named) >= 2


def best_of_each_page_first(analysis: Analysis, hits: Sequence[Hit], *, max_pages: int = MAX_PAGES) -> list[Hit]:
    """Return the same hits with the best of each of the first pages in front, where several pages are wanted."""
    if not wants_several_pages(analysis):
        return list(hits)
    first: dict[int, Hit] = {}
    for hit in hits:
        if len(first) < max_pages:
            first.setdefault(hit.passage.page_id, hit)
    front = list(first.values())
    ordered = [*front, *(hit for hit in hits if hit not in front)]
    return [replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1)]


def prompt_notes(analysis: Analysis, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the note for the prompt when the question wants several pages and the hits have them; else none."""
    several = len({hit.passage.page_id for hit in hits}) > 1
    return (USE_SEVERAL_PAGES,) if several and wants_several_pages(analysis) else ()
