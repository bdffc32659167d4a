"""Read the best hits, where the reader knows the language of the question and of all of them.

Sentences that were read do not compare with others: either all of the best hits are read, or none is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from domain import Hit, Reading
from pipeline.question.analysis import Analysis

#: hits that are read: the judge and the composer weigh the sentences of just these, in every language
READ_FIRST: Final = 8
#: the reader's language, and pages whose language is not known
_LANGUAGE, _UNKNOWN = "en", "und"


class Reads(Protocol):
    """A reader."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading]:
        """Return the readings of ``passages``, each a title and a text, in their order."""


def read_hits(reader: Reads | None, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, the first eight with their readings; none with a reading where they cannot all be read."""
    first = hits[:READ_FIRST]
    passages = [hit.passage for hit in first]
    if reader is None or analysis.lang != _LANGUAGE or any(p.lang not in (_LANGUAGE, _UNKNOWN) for p in passages):
        return [replace(hit, reading=None) for hit in hits]
    readings = reader.read(analysis.text, [(passage.title, passage.text) for passage in passages])
    read = [replace(hit, reading=reading) for hit, reading in zip(first, readings, strict=True)]
    return [*read, *(replace(hit, reading=None) for hit in hits[READ_FIRST:])]
