"""How sure a verdict may be at most: no surer than the one sentence that answers best allows.

Passages on the topic mention a question's words without answering it: the site's front page names them all. What
answers has most of the words that tell something *here* together in one place, and the kind of thing asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.question import Analysis
from pipeline.reading import ReadSpan, read
from pipeline.score import score
from pipeline.spans import ANSWERING
from store.types import Hit

#: hits whose sentences are read
READ_CLOSELY = 5
#: share of the question's telling words in the best sentence, its title and its neighbour → highest confidence;
#: read off two real sites' questions: right answers have .52 and more, those beside the point rarely .5
COVERED, CEILING = (0.35, 0.5, 0.65), (0.3, 0.7, 1.0)
#: a sentence without the kind of thing asked for (a number, a name, a date) answers nothing
NOT_OF_THE_KIND = 0.5


def ceiling(analysis: Analysis, hits: Sequence[Hit]) -> float:
    """The highest confidence these hits deserve, [0, 1]."""
    spans = [each for each in read(analysis, hits, closely=READ_CLOSELY).spans if each.span.kind in ANSWERING]
    if not spans:
        return CEILING[0]
    best = max(spans, key=score)
    return min(_by_words(best), NOT_OF_THE_KIND if best.fit < 0 else 1.0)


def _by_words(best: ReadSpan) -> float:
    return float(np.interp(best.wide, COVERED, CEILING))
