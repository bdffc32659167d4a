"""End a question when nothing more can be read: give a likely answer and mark it as unsure, or abstain.

Stopping to read needs more confidence than answering at the end: at the end the choice is only between the best answer
and none, and an answer that is more likely right than wrong is worth giving.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain import Answer, Sentence
from pipeline.answering.notices import with_notices
from pipeline.ask import LookupResult

COMPOSER = "abstention"
#: the least calibrated confidence of an answer given at the end
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
    """Return the answer of insufficient hits when it is likely right all the same, with a notice that it is unsure.

    None when a model judged the hits insufficient (it read them), and when the answer has no citation left.
    """
    verdict, answer = attempt.verdict, attempt.answer
    if answer is None or not answer.citations or verdict.judge != "calibrated" or verdict.confidence < LIKELY:
        return None
    return with_notices(answer, _words_of(attempt)["unsure"].format(confidence=verdict.confidence))


def abstention(attempts: Sequence[LookupResult], *, pages_read: int = 0) -> Answer:
    """Return the answer "not known", with what was tried, from the results of all passes (at least one, in order).

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
