"""Suggest what to ask next: questions that the pages near the answer answer, made of their headings and definitions.

A heading that is a question is suggested as it is, any other by what its page says of it; a thing that a passage
defines by "What is …?". Nothing else is made up, and only pages in the question's language are taken. A heading is
taken only where a passage that was found holds it: asked for the section next to it, the same passages would not do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain import Hit
from domain.answer import NextQuestion
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from pipeline.question.follow_up import needs_thread
from pipeline.safety.injection import is_injection
from pipeline.safety.sanitize import sanitize_line
from text.terms import terms_of

#: where the headings of a page are, with their words, in order
Headings = Mapping[int, Sequence[tuple[int, str]]]

MOST: Final = 4
#: between the title of a page and the headings that a passage is under
_UNDER: Final = " › "
_LONGEST: Final = 80
#: characters from a heading to the next one that answer something
_SECTION: Final = 160
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
_ASKS: Final = ("?", "？")
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
        if terms and not any(terms <= other for other in seen) and not is_injection(question):
            seen.append(terms)
            found.append(NextQuestion(question=question, page_id=page_id))
        if len(found) == MOST:
            break
    return tuple(found)


def page_questions(title: str, headings: Sequence[tuple[int, str]], length: int, lang: str) -> list[str]:
    """Return what the sections of a page of ``length`` characters answer: headings that are questions, then topics.

    A topic is a heading with its page's title, "Fares (Ferry timetable)?": on three sites the first pass answers nine
    of ten such questions, of "What does … say about …?" less than half.
    """
    title = sanitize_line(title).partition(_UNDER)[0].strip()
    ends = [*(start for start, _ in headings[1:]), length]
    long = [heading for (start, heading), end in zip(headings, ends, strict=False) if end - start >= _SECTION]
    found = [plain for heading in long if (plain := _plain(heading, title, "", lang))]
    questions = [plain for plain in found if plain.endswith(_ASKS)]
    topics = [f"{plain} ({title})?" for plain in found if not plain.endswith(_ASKS)]
    return [each for each in (*questions, *topics) if len(each) <= _LONGEST and not is_injection(each)]


def _suggestions(analysis: Analysis, hits: Sequence[Hit], headings: Headings) -> Iterator[tuple[str, int]]:
    """Yield the definitions and the headings of each passage, a passage at a time."""
    for hit in hits:
        passage = hit.passage
        if passage.lang not in (analysis.lang, "und"):
            continue
        for thing in _defined(passage.text, analysis.lang):
            yield say("what_is", analysis.lang, thing=thing), passage.page_id
        title = sanitize_line(passage.title).partition(_UNDER)[0].strip()
        for start, heading in headings.get(passage.page_id, ()):
            is_above = start < passage.start and passage.title.endswith(f"{_UNDER}{heading}")
            if not is_above and not passage.start <= start < passage.end:
                continue
            if plain := _plain(heading, title, analysis.text, analysis.lang):
                said = say("said_about", analysis.lang, title=title, heading=plain)
                yield plain if plain.endswith(_ASKS) else said, passage.page_id


def _plain(heading: str, title: str, asked: str, lang: str) -> str:
    """Return the words of a heading that says something by itself, and something new; else ""."""
    plain = _NUMBER.sub("", sanitize_line(heading).rpartition(_UNDER)[2]).strip(" .:–-")
    if not 2 < len(plain) <= _LONGEST or _EMPTY.fullmatch(plain):
        return ""
    if plain.endswith(_ASKS):
        return "" if needs_thread(plain, lang) else plain
    words = set(terms_of(plain, lang))
    return "" if not title or any(words <= set(terms_of(said, lang)) for said in (title, asked)) else plain


def _defined(text: str, lang: str) -> Iterator[str]:
    """Yield what a passage's first sentences define."""
    pattern = _DEFINES.get(lang)
    for match in pattern.finditer(text) if pattern else ():
        thing = " ".join(match["thing"].split())
        if not _NO_THINGS.fullmatch(thing):
            yield re.sub(r"^(An?|The|Eine?|Der|Die|Das)\b", lambda article: article[0].lower(), thing)
