"""Prepare passages for Claude as ``search_result`` blocks; page text leaves the process nowhere else.

Each sentence of a passage is a text block of its own, with the white space after it, so that the blocks joined are
the passage and a range of blocks is a range of its characters. :mod:`pipeline.claude.answer` reads the reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from domain import Hit, Passage
from text.invisible import strip_invisible
from text.sentences import sentence_spans


@dataclass(frozen=True, kw_only=True)
class PassageBlocks:
    """A passage cut into blocks: block ``i`` is ``passage.text[bounds[i]:bounds[i + 1]]``."""

    passage: Passage
    bounds: tuple[int, ...]

    def blocks(self) -> list[str]:
        """Return the passage's text, cut at its sentences."""
        return [_sendable(self.passage.text[start:end]) for start, end in pairwise(self.bounds)]


def cut_into_blocks(hits: Sequence[Hit]) -> tuple[PassageBlocks, ...]:
    """Cut each hit's passage into blocks, in the hits' order; leave out empty and repeated passages."""
    passages = {hit.passage.id: hit.passage for hit in hits if _sendable(hit.passage.text).strip()}
    return tuple(PassageBlocks(passage=passage, bounds=_bounds(passage.text)) for passage in passages.values())


def search_results(passages: Sequence[PassageBlocks], *, citable: bool) -> list[dict[str, Any]]:
    """Return the passages as the Messages API's ``search_result`` blocks; all are citable, or none."""
    return [
        {
            "type": "search_result",
            "source": _sendable(item.passage.url) or item.passage.id,
            "title": title_of(item.passage),
            "content": [{"type": "text", "text": block} for block in item.blocks()],
            "citations": {"enabled": citable},
        }
        for item in passages
    ]


def title_of(passage: Passage) -> str:
    """Return the title shown for a passage, with the date of its page where that is known."""
    title = _sendable(passage.title).strip() or _sendable(passage.url) or passage.id
    return f"{title} (published {passage.published:%Y-%m-%d})" if passage.published else title


def _bounds(text: str) -> tuple[int, ...]:
    """Return the offsets between blocks; a sentence with nothing to send joins the one before it, or after it."""
    starts = [start for start, end in sentence_spans(text) if _sendable(text[start:end]).strip()]
    return (0, *starts[1:], len(text))


def _sendable(text: str) -> str:
    """Return the text without invisible characters and lone surrogates, which UTF-8 cannot encode."""
    return strip_invisible(text).encode("utf-8", "replace").decode()
