"""Settle who did it: of "Tarnholt was founded by two sisters", "who founded the company?" asks for what is behind "by".

Reads English, German and French. The question's verb is the word behind "who"; it is no part of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from domain import Focus
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import answer_type_of, last_question
from text.analyser import analyse, fold
from text.languages import word_set
from text.related_words import DERIVED, find_related
from text.stopwords import stop_words

#: the most confidence in words that take the place of those found
_MOVED = 0.7
#: the most words of the doer
_MOST_WORDS = 10
#: the most words between "was" and the verb; in German, where the verb is last, the doer stands there
_ADVERBS, _FRAME = 2, 14
#: the least length of a German participle without its "ge"
_VERB_CHARS = 4

_WHO = re.compile(
    r"(?:who|wer|qui|quién|quien|chi|quem)\s+(?:(?:has|have|had|hat|haben|hatte)\s+)?(\w+)", re.IGNORECASE
)
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_IS = word_set("be", "en", "fr") | word_set("passive")
_BY = {"en": "by", "de": "von", "fr": "par"}
#: what ends the doer
_BEHIND = frozenset(
    "in at on from for to during after before when while who which that as with using since until under and or but by"
    " im am bei nach vor seit mit für aus zu zum zur als en à au aux dans sur pour pendant depuis avec et qui que"
    " later then".split()
)
_JOINING = frozenset("and und et".split())
_TRAILING = re.compile(r"(?:[\s,]+(?:who|which|that|der|die|das|qui|que|and|und|et|has|have|had|also))*[\s,]*$")


@dataclass(frozen=True, kw_only=True)
class _Word:
    start: int
    end: int
    text: str
    is_verb: bool


def settle_doer(analysis: Analysis, sentence: str, focus: Focus) -> Focus | None:
    """Return the focus on who does what the question asks, without the verb; None where it is on something else."""
    asked = _WHO.match(last_question(analysis.text)) if answer_type_of(analysis.text) == "name" else None
    if asked is None or fold(asked[1]) in stop_words(analysis.lang):
        return focus
    words = list(_words(sentence, asked[1], analysis.lang))
    begin = max(sentence.rfind(mark, 0, focus.start) + 1 for mark in ";\n")
    ends = [at for mark in ";\n" if (at := sentence.find(mark, focus.end)) >= 0]
    clause = [word for word in words if begin <= word.start and word.end <= min(ends, default=len(sentence))]
    passive = _passive(sentence, clause, analysis.lang)
    if passive is None:
        return _before_verb(sentence, clause, focus)
    at, doer = passive
    if doer and doer[0] < focus.end and focus.start < doer[1]:
        return replace(focus, start=max(focus.start, doer[0]), end=min(focus.end, doer[1]))
    if focus.start >= at:
        return focus
    return replace(focus, start=doer[0], end=doer[1], confidence=min(focus.confidence, _MOVED)) if doer else None


def _words(sentence: str, verb: str, lang: str) -> Iterator[_Word]:
    found = [(match, analyse(match[0], lang)) for match in _WORD.finditer(sentence)]
    asked = dict.fromkeys(analyse(verb, lang), verb)
    related = find_related(asked, {term for _, terms in found for term in terms}, lang)
    verbs = {term for others in related.values() for term, weight in others.items() if weight >= DERIVED}
    for match, terms in found:
        is_verb = not verbs.isdisjoint(terms) or (lang == "de" and any(map(_is_participle, terms, asked)))
        yield _Word(start=match.start(), end=match.end(), text=match[0], is_verb=is_verb)


def _is_participle(term: str, verb: str) -> bool:
    """Return whether a German term is the participle of a verb: gebaut, of baut."""
    bare = term.removeprefix("ge")
    return bare != term and len(bare) >= _VERB_CHARS and (bare.startswith(verb) or verb.startswith(bare))


def _passive(sentence: str, clause: list[_Word], lang: str) -> tuple[int, tuple[int, int] | None] | None:
    """Return where "was" stands before the verb, and the doer or None; None in a sentence that is not passive."""
    for place, word in enumerate(clause):
        if word.text.casefold() not in _IS:
            continue
        reach = clause[place + 1 : place + 2 + (_FRAME if lang == "de" else _ADVERBS)]
        verb = next((at for at, other in enumerate(reach, start=place + 1) if other.is_verb), None)
        if verb is None or any(mark in sentence[word.end : clause[verb].start] for mark in ",:"):
            continue
        behind = range(place + 1, verb) if lang == "de" else range(verb + 1, len(clause))
        by = next((at for at in behind if clause[at].text.casefold() == _BY.get(lang, "by")), None)
        return word.start, None if by is None else _doer(sentence, clause[by + 1 : verb if lang == "de" else None])
    return None


def _doer(sentence: str, words: list[_Word]) -> tuple[int, int] | None:
    """Return where the doer stands at the start of some words; None for a way ("by selling"), a time or a list."""
    if not words or words[0].text[0].isdigit() or words[0].text.endswith("ing"):
        return None
    last = 0
    for at, (one, other) in enumerate(pairwise(words)):
        between = sentence[one.end : other.start]
        if "," in between and other.text[0].isupper():
            return None
        after = words[at + 2].text if at + 2 < len(words) else ""
        joins = other.text in _JOINING and after[:1].isupper()
        if between.strip() or (other.text in _BEHIND and not joins):
            break
        last = at + 1
    return (words[0].start, words[last].end) if last < _MOST_WORDS else None


def _before_verb(sentence: str, clause: list[_Word], focus: Focus) -> Focus | None:
    """Return the words of the focus before the verb; None where the verb is the first of them."""
    inside = [word for word in clause if word.is_verb and focus.start <= word.start and word.end <= focus.end]
    if not inside:
        return focus
    said = _TRAILING.sub("", sentence[focus.start : inside[0].start])
    return replace(focus, end=focus.start + len(said)) if said else None
