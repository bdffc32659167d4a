"""The honest "not known": why, and what was tried."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.ask import Attempt
from store.types import Answer, Sentence

COMPOSER = "abstention"
_NEAREST = 3

_WORDS = {
    "en": {
        "unknown": "I do not know: what has been read does not answer this question.",
        "lacking": "Nothing found says anything about: {words}.",
        "tried": "Tried: {queries}.",
        "read": "Pages read for it: {pages}.",
        "nearest": "Nearest pages: {titles}.",
    },
    "de": {
        "unknown": "Das weiß ich nicht: Was gelesen wurde, beantwortet diese Frage nicht.",
        "lacking": "Nichts Gefundenes sagt etwas über: {words}.",
        "tried": "Gesucht wurde nach: {queries}.",
        "read": "Dafür gelesene Seiten: {pages}.",
        "nearest": "Nächstliegende Seiten: {titles}.",
    },
}


def abstention(attempts: Sequence[Attempt], *, pages_read: int = 0) -> Answer:
    """Say that the question cannot be answered, from all its attempts (at least one, the last one last).

    In English or, for a German question, in German. The confidence is that the question was answerable after all.
    """
    last = attempts[-1]
    words = _WORDS.get(last.analysis.lang, _WORDS["en"])
    queries = dict.fromkeys(query for attempt in attempts for query in attempt.queries)
    titles = dict.fromkeys(hit.passage.title or hit.passage.url for hit in last.hits)
    parts = [words["unknown"]]
    if last.verdict.missing:
        parts.append(words["lacking"].format(words=", ".join(last.verdict.missing)))
    parts.append(words["tried"].format(queries="; ".join(f"“{query}”" for query in queries)))
    parts.append(words["read"].format(pages=pages_read))
    if titles:
        parts.append(words["nearest"].format(titles="; ".join(list(titles)[:_NEAREST])))
    return Answer(
        text=" ".join(parts),
        sentences=tuple(Sentence(text=part) for part in parts),
        citations=(),
        confidence=last.verdict.confidence,
        composer=COMPOSER,
    )
