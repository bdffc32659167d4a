"""End a question when nothing more can be read: give a likely answer and mark it as unsure, or abstain.

Stopping to read needs more confidence than answering at the end: at the end the choice is only between the best answer
and none, and an answer that is more likely right than wrong is worth giving.
"""

from collections.abc import Sequence
from dataclasses import replace

from domain import Answer, Hit, Sentence, Verdict
from domain.answer import ABSTENTION, ASKING_BACK
from domain.file import ATTACHED, address_of
from pipeline.answering.compose import UNSURE_BELOW
from pipeline.answering.notices import with_notices
from pipeline.ask import LookupResult
from pipeline.judging.features import is_far
from pipeline.phrases import Phrase, say
from pipeline.safety.sanitize import sanitize_line
from text.quotation import quoted

#: the least calibrated confidence of an answer given at the end. Where the hits were read or compared, the judge is
#: strict, because a page on the subject must not pass for one that answers: of the answers to asked questions that it
#: gave .35 to .5, some 55 % were right
LIKELY, LIKELY_READ = UNSURE_BELOW, 0.35
#: such a line, with those that lead to it, has all of the question's words, as the row of a table has with its header.
#: A document that came with the question is the only one that may answer, and judges of pages rate tables low: of 14
#: questions that such tables answer it gives 4 more, of 14 that they do not none
_ALL_WORDS = 0.95
_NEAREST = 3


def likely_answer(answer: Answer | None, verdict: Verdict, lang: str) -> Answer | None:
    """Return the answer of insufficient hits when it is likely right all the same, with a notice that it is unsure.

    What is less than an even chance has no short answer: it would be read as sure.

    None when a model judged the hits insufficient (it read them), and when the answer has no citation left.
    """
    is_strict = verdict.evidence.get("is_read") or verdict.evidence.get("is_compared")
    least = LIKELY_READ if is_strict else LIKELY
    if answer is None or not answer.citations or verdict.judge != "calibrated":
        return None
    is_own = all(citation.url.startswith(address_of(ATTACHED, "")) for citation in answer.citations)
    if verdict.confidence < least and not (is_own and verdict.evidence.get("led_coverage", 0.0) >= _ALL_WORDS):
        return None
    if verdict.confidence < LIKELY:
        answer = replace(answer, sentences=tuple(replace(each, focus=None, says="") for each in answer.sentences))
    return with_notices(answer, say("unsure", lang, confidence=verdict.confidence))


def abstention(attempts: Sequence[LookupResult], *, pages_read: int = 0) -> Answer:
    """Return the answer "not known", with what came near and what was tried, from all passes (at least one, in order).

    In the question's language, where there are phrases for it. What is not known has no confidence.
    """
    last = attempts[-1]
    lang = last.analysis.lang
    queries = dict.fromkeys(query for attempt in attempts for query in attempt.queries)
    nearest = {hit.passage.url: f"{quoted(_title(hit), lang)} ({hit.passage.url})" for hit in reversed(last.hits)}
    pages = "; ".join([nearest[url] for url in dict.fromkeys(hit.passage.url for hit in last.hits)][:_NEAREST])
    parts = [
        say("unknown", lang),
        say("near", lang, pages=pages) if pages and not is_far(last.verdict.evidence) else say("nothing_near", lang),
        *([say("waiting", lang, pages=last.waiting_pages)] if last.waiting_pages else []),
        say("tried", lang, queries="; ".join(quoted(query, lang) for query in queries)),
        say("read_pages", lang, pages=pages_read),
    ]
    return Answer(
        text=" ".join(parts),
        sentences=tuple(Sentence(text=part) for part in parts),
        citations=(),
        confidence=0.0,
        composer=ABSTENTION,
        related=last.related,
    )


def ask_back(lang: str, phrase: Phrase = "asks_back") -> Answer:
    """Return the answer to a question that needs one asked before it, or is none: what it lacks, in its language."""
    text = say(phrase, lang)
    return Answer(text=text, sentences=(Sentence(text=text),), citations=(), confidence=0.0, composer=ASKING_BACK)


def _title(hit: Hit) -> str:
    return sanitize_line(hit.passage.title) or hit.passage.url
