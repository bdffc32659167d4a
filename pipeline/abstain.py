"""The last word when nothing more can be read: an answer that is likely right, said to be unsure; or "not known".

To stop reading asks for more confidence than to speak at the end: there the choice is only between the best answer and
none, and one that is more likely right than wrong is worth giving.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain import Answer, Sentence
from pipeline.ask import LookupResult

COMPOSER = "abstention"
#: the calibrated confidence from which an answer is given at the end
LIKELY = 0.5
_NEAREST = 3

_WORDS = {
    "en": {
        "unknown": "I do not know: what has been read does not answer this question.",
        "lacking": "Nothing found says anything about: {words}.",
        "tried": "Tried: {queries}.",
        "read": "Pages read for it: {pages}.",
        "nearest": "Nearest pages: {titles}.",
        "unsure": "Not sure (confidence {confidence:.2f}): what was read may not answer the question fully.",
    },
    "de": {
        "unknown": "Das weiß ich nicht: Was gelesen wurde, beantwortet diese Frage nicht.",
        "lacking": "Nichts Gefundenes sagt etwas über: {words}.",
        "tried": "Gesucht wurde nach: {queries}.",
        "read": "Dafür gelesene Seiten: {pages}.",
        "nearest": "Nächstliegende Seiten: {titles}.",
        "unsure": "Nicht sicher ({confidence:.2f}): Was gelesen wurde, beantwortet die Frage vielleicht nicht ganz.",
    },
}


def likely_answer(attempt: LookupResult) -> Answer | None:
    """Return the answer of hits that do not suffice when it is likely right all the same, with a notice that says so.

    A model that read the hits and found them wanting is believed, as are answers without any citation left.
    """
    verdict, answer = attempt.verdict, attempt.answer
    if answer is None or not answer.citations or verdict.judge != "calibrated" or verdict.confidence < LIKELY:
        return None
    said = _words_of(attempt)["unsure"].format(confidence=verdict.confidence)
    return replace(answer, notice=f"{answer.notice} {said}".strip())


def abstention(attempts: Sequence[LookupResult], *, pages_read: int = 0) -> Answer:
    """Say that the question cannot be answered, from all its attempts (at least one, the last one last).

    In English or, for a German question, in German. The confidence is that the question was answerable after all.
    """
    last = attempts[-1]
    words = _words_of(last)
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


def _words_of(attempt: LookupResult) -> dict[str, str]:
    return _WORDS.get(attempt.analysis.lang, _WORDS["en"])
