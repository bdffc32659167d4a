"""Suggest what to ask next: questions that the pages near the answer answer, made of their headings and definitions.

A heading that is a question is suggested as it is, any other by what its page says of it; a thing that a passage
defines by "What is …?". Nothing else is made up, and only pages in the question's language are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain import Hit
from domain.answer import NextQuestion
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from pipeline.safety.injection import is_injection
from pipeline.safety.sanitize import sanitize_line
from text.terms import terms_of

#: where the headings of a page stand, with their words, in order
Headings = Mapping[int, Sequence[tuple[int, str]]]

MOST: Final = 4
#: headings on each side of the one that a passage stands under
_NEAR: Final = 2
_LONGEST: Final = 80
_NUMBER: Final = re.compile(
    r"^(?:(?:chapter|section|part|appendix|kapitel|abschnitt|teil|anhang)\s+)?(?:[\dIVX]+[.):]?)(?:\d+[.)]?)*\s+",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(
    r"(?:table of )?contents|index|introduction|overview|notes?|see also|references|examples?|summary|license|copyright"
    r"|further reading|description|synopsis|usage|about|home|faq|more|links|inhalt(?:sverzeichnis)?|einleitung"
    r"|hinweise?|siehe auch|beispiele?|zusammenfassung|übersicht|beschreibung|sommaire|contenu|voir aussi"
    r"|überblick|remarques?",
    re.IGNORECASE,
)
_BEGINS: Final = r"(?:^|[.!?]\s+|\n)"
_DEFINES: Final = {
    "en": re.compile(
        rf"{_BEGINS}(?P<thing>(?:An? |The )?[A-Z][\w’'-]*(?: [\w’'-]+){{0,3}}|An? [\w’'-]+(?: [\w’'-]+){{0,2}})"
        r" is (?:an? |the )(?=[a-z])"
    ),
    "de": re.compile(
        rf"{_BEGINS}(?P<thing>(?:Eine? |Der |Die |Das )?[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*){{0,2}})"
        r" ist (?:eine? |der |die |das )"
    ),
}
#: sentences begin with these, and define nothing by them
_NO_THINGS: Final = re.compile(
    r"(?:this|that|these|those|it|there|here|he|she|they|what|which|who|one|each|if|when|where|another"
    r"|(?:the|an?) (?:following|first|last|next|same|other|only|main|default|result|reason|problem|idea|purpose|goal"
    r"|answer|difference|easiest|best|most)\b.*|dies\w*|das|es|hier|dort|er|sie|was|wer|wo|wenn)(?: .*)?",
    re.IGNORECASE,
)


def related_questions(
    analysis: Analysis, hits: Sequence[Hit], headings: Headings, cited: Sequence[int]
) -> tuple[NextQuestion, ...]:
    """Return up to four questions: of the pages that are ``cited`` first, then of the other hits' pages.

    ``headings`` are those of the hits' pages. None repeats the question or another one.
    """
    first = sorted(hits, key=lambda hit: hit.passage.page_id not in cited)
    seen, found = [frozenset(terms_of(analysis.text, analysis.lang))], list[NextQuestion]()
    for question, page_id in _suggestions(analysis, first, headings):
        terms = frozenset(terms_of(question, analysis.lang))
        if not terms or any(terms <= other for other in seen) or is_injection(question):
            continue
        seen.append(terms)
        found.append(NextQuestion(question=question, page_id=page_id))
        if len(found) == MOST:
            break
    return tuple(found)


def _suggestions(analysis: Analysis, hits: Sequence[Hit], headings: Headings) -> Iterator[tuple[str, int]]:
    """Yield the definition of each passage and the headings around it, a passage at a time."""
    for hit in hits:
        if hit.passage.lang not in (analysis.lang, "und"):
            continue
        for thing in _defined(hit.passage.text, analysis.lang):
            yield say("what_is", analysis.lang, thing=thing), hit.passage.page_id
        for heading in _around(headings.get(hit.passage.page_id, ()), hit.passage.start):
            if question := _of_heading(heading, sanitize_line(hit.passage.title), analysis.lang):
                yield question, hit.passage.page_id


def _around(headings: Sequence[tuple[int, str]], at: int) -> list[str]:
    """Return the headings next to the one that a place stands under, the nearest first, those after it sooner."""
    under = sum(start <= at for start, _ in headings) - 1
    near = [under + step for distance in range(1, _NEAR + 1) for step in (distance, -distance)]
    return [headings[place][1] for place in near if 0 <= place < len(headings)]


def _of_heading(heading: str, title: str, lang: str) -> str:
    plain = _NUMBER.sub("", sanitize_line(heading)).strip(" .:–-")
    if not 2 < len(plain) <= _LONGEST or _EMPTY.fullmatch(plain):
        return ""
    if plain.endswith(("?", "？")):
        return plain
    return say("said_about", lang, title=title, heading=plain) if title and title.casefold() != plain.casefold() else ""


def _defined(text: str, lang: str) -> Iterator[str]:
    """Yield what a passage's first sentences define."""
    pattern = _DEFINES.get(lang)
    for match in pattern.finditer(text) if pattern else ():
        thing = " ".join(match["thing"].split())
        if not _NO_THINGS.fullmatch(thing):
            yield re.sub(r"^(An?|The|Eine?|Der|Die|Das)\b", lambda article: article[0].lower(), thing)
