"""Prepare passages for a model: cut at sentences, with titles and relevance, without what no reader sees.

Page text leaves the process in these forms and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from domain import Hit, Passage, Scale
from text.invisible import strip_invisible
from text.sentences import sentence_spans

#: scales on which a score alone says how relevant a hit is; on others it only ranks
_ABSOLUTE: frozenset[Scale] = frozenset({"similarity", "minmax", "rerank"})


@dataclass(frozen=True, kw_only=True)
class PassageBlocks:
    """A passage cut into blocks: block ``i`` is ``passage.text[bounds[i]:bounds[i + 1]]``.

    Each block is a sentence with the white space after it: joined they are the passage.
    """

    passage: Passage
    bounds: tuple[int, ...]
    relevance: float  #: [0, 1]

    def blocks(self) -> list[str]:
        """Return the passage's text, cut at its sentences."""
        return [sendable(self.passage.text[start:end]) for start, end in pairwise(self.bounds)]

    def heading(self) -> str:
        """Return the passage's relevance and title, as a model is shown it [enhance_context_selection]."""
        return f"[Relevance: {self.relevance:.2f}] {title_of(self.passage)}"


def cut_into_blocks(hits: Sequence[Hit]) -> tuple[PassageBlocks, ...]:
    """Cut each hit's passage into blocks, in the hits' order; leave out empty and repeated passages."""
    kept = {hit.passage.id: hit for hit in reversed(hits) if sendable(hit.passage.text).strip()}
    best = max((hit.score for hit in kept.values()), default=0.0)
    return tuple(
        PassageBlocks(passage=hit.passage, bounds=_bounds(hit.passage.text), relevance=_relevance(hit, best))
        for hit in reversed(kept.values())
    )


def title_of(passage: Passage) -> str:
    """Return the title shown for a passage, with the date of its page where that is known."""
    title = sendable(passage.title).strip() or sendable(passage.url) or passage.id
    return f"{title} (published {passage.published:%Y-%m-%d})" if passage.published else title


def sendable(text: str) -> str:
    """Return the text without invisible characters and lone surrogates, which UTF-8 cannot encode."""
    return strip_invisible(text).encode("utf-8", "replace").decode()


def _relevance(hit: Hit, best: float) -> float:
    """Return the hit's score where its scale is [0, 1], else its share of the best score."""
    score = hit.score if hit.scale in _ABSOLUTE else hit.score / best if best > 0 else 0.0
    return min(1.0, max(0.0, score))


def _bounds(text: str) -> tuple[int, ...]:
    """Return the offsets between blocks; a sentence with nothing to send joins the one before it, or after it."""
    starts = [start for start, end in sentence_spans(text) if sendable(text[start:end]).strip()]
    return (0, *starts[1:], len(text))
