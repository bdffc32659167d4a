"""Say at the end what is perhaps right, or that the answer is not known, and what was searched."""

from dataclasses import replace
from typing import TYPE_CHECKING

from domain import Answer, Sentence
from domain.answer import ABSTENTION, ASKING_BACK
from domain.hit import SearchedPages
from domain.outcome import is_far
from pipeline.answering.citations import render
from pipeline.phrases import Phrase, say
from pipeline.safety.sanitize import sanitize_line
from text.sentences import quoted

if TYPE_CHECKING:
    from pipeline.ask import LookupResult

_NEAREST = 3


def as_perhaps(answer: Answer, lang: str) -> Answer:
    """Return the answer with a text that begins "Perhaps:" in the asker's language."""
    said = render(answer.sentences)
    is_block = bool(answer.sentences and answer.sentences[0].block) or "\n" in said
    return replace(answer, text=say("perhaps", lang, answer=f"\n\n{said}" if is_block else said))


def abstention(result: "LookupResult", *, pages_read: int = 0) -> Answer:
    """Return the answer "not known", with what was searched, what came near and what was tried.

    In the question's language, where there are phrases for it. What is not known has no confidence.
    """
    lang, searched = result.analysis.lang, result.searched
    titles = ((sanitize_line(hit.passage.title) or hit.passage.url, hit.passage.url) for hit in result.hits)
    nearest = dict.fromkeys(f"{quoted(title, lang)} ({url})" for title, url in titles)
    pages = "; ".join([*nearest][:_NEAREST])
    parts = [
        say("unknown", lang),
        *([_searched(searched, lang)] if searched else []),
        say("near", lang, pages=pages) if pages and not is_far(result.verdict.evidence) else say("nothing_near", lang),
        *([say("waiting", lang, pages=searched.waiting)] if searched and searched.waiting else []),
        say("tried", lang, queries="; ".join(quoted(query, lang) for query in dict.fromkeys(result.queries))),
        *([say("read_pages", lang, pages=pages_read)] if pages_read else []),
    ]
    return Answer(
        text=" ".join(parts),
        sentences=tuple(Sentence(text=part) for part in parts),
        citations=(),
        confidence=0.0,
        composer=ABSTENTION,
        related=result.related,
    )


def ask_back(lang: str, phrase: Phrase = "asks_back") -> Answer:
    """Return the answer to a question that needs one asked before it, or is none: what it lacks, in its language."""
    text = say(phrase, lang)
    return Answer(text=text, sentences=(Sentence(text=text),), citations=(), confidence=0.0, composer=ASKING_BACK)


def _searched(searched: SearchedPages, lang: str) -> str:
    hosts = ", ".join([*searched.hosts[:_NEAREST], *(["…"] if len(searched.hosts) > _NEAREST else [])])
    return say("searched", lang, pages=searched.pages, hosts=f" ({hosts})" if hosts else "")
