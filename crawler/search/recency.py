"""Read from a question's words how new its pages must be: "this week", "neueste".

Only words about news count: old pages often answer a question with "today" or "currently" well. The span is wider
than the word says, because engines' dates are often a few days wrong.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.search.engine import Recency

_WORDS: Final[tuple[tuple[Recency, str], ...]] = (
    ("week", r"tonight|yesterday|today's news|breaking news|gestern|heute abend|nachrichten von heute"),
    ("month", r"this week|last week|diese[rn]? woche|letzten? woche|in den letzten tagen|in the last few days"),
    ("year", r"this month|last month|diese[nms]{1,2} monat|letzten monat|this year|diese[sm] jahr"),
    ("year", r"latest|newest|most recent|neueste\w*|neuste\w*|aktuellste\w*|jüngste\w*"),
)
_SPANS: Final = tuple((span, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for span, words in _WORDS)


def requested_recency(question: str) -> Recency | None:
    """Return how new pages must be, None where the question does not say it in English or German."""
    return next((span for span, words in _SPANS if words.search(question)), None)
