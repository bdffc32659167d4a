"""Questions that ask whether: "Yes" or "No" where a sentence says the question's own words, in order, or denies them.

"Was the lighthouse built in 1874?" is settled by "The lighthouse was built in 1874 by Robert Tallis.", and by nothing
that has to be concluded. Where a doubt is left the answer is neither: better none than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from domain import Answer, Hit
from pipeline.question.analysis import Analysis
from pipeline.question.verbs import is_past, is_present
from text.analyser import fold
from text.sentences import sentence_spans

Settles = Literal["", "yes", "no"]

_WORDS = {"en": {"yes": "Yes", "no": "No"}, "de": {"yes": "Ja", "no": "Nein"}}
_DO = {"do", "does", "did"}
_AUXILIARIES = {
    "en": {"is", "are", "was", "were", "has", "have", "had", "can", *_DO},
    "de": {"ist", "sind", "war", "waren", "hat", "haben", "hatte", "hatten", "wurde", "wurden", "kann", "können"},
}
#: only what is over stays true whatever is added of where, when and by whom
_PAST = {"was", "were", "had", "did", "war", "waren", "hatte", "hatten", "wurde", "wurden"}
_NOT = {"en": "not", "de": "nicht"}
#: what leaves open what is asked about, or of what it holds
_OPEN = frozenset(
    "or oder it he she they this that these those you i we my your our his her their its es er sie dies das du ich wir "
    "mein dein unser ihr sein not nicht no kein keine any ever only nur almost fast".split()
)
_ARTICLES = frozenset("the a an der die das den dem ein eine einen einem".split())
_TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*")
#: where, when and by whom, in names and numbers
_ADDED = re.compile(
    r"(?:,? (?:in|on|at|by|near|from|am|im|von|vom|bei|an) (?:the |dem |der |den )?"
    r"(?:(?:[A-ZÄÖÜ\d][\w’'.-]*|of|von)[ ,]?)+)*"
)
#: a page that tells of what is not so
_UNTRUE = re.compile(
    r"\b(?:myth|misconception|fiction|fictional|false|fake|hoax|rumou?r|joke|satire|quiz|novel|legend|april fool"
    r"|mythos|irrtum|irrtümer|gerücht|witz|roman|legende|falsch|märchen|sage)",
    re.IGNORECASE,
)
#: what takes a sentence back
_BUT = re.compile(
    r"(?:but|however|yet|in fact|actually|false|wrong|not true|not so|that is (?:not|false|wrong)|this is (?:not|false"
    r"|wrong)|no\b|aber|doch|jedoch|falsch|das (?:ist falsch|stimmt nicht)|tatsächlich|nein)\b",
    re.IGNORECASE,
)
_SAID = re.compile(r"(yes|no|ja|nein)\s*(?=[,;:.!–—])", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    auxiliary: str
    words: tuple[str, ...]  #: those after it


def is_yes_no(analysis: Analysis) -> bool:
    """Return whether a question asks whether something is so."""
    words = _folded(analysis.text)
    return len(words) > 1 and words[0] in _AUXILIARIES.get(analysis.lang, ()) and "?" in analysis.text


def answers_yes_no(analysis: Analysis, text: str, start: int, end: int, *, title: str = "") -> Settles:
    """Return whether the sentence ``text[start:end]`` of a passage says, or denies, just what is asked."""
    asked = _asked(analysis)
    sentence = text[start:end].strip()
    if asked is None or not sentence.endswith((".", "!")) or _is_doubtful(text, start, end, title):
        return ""
    found = list(_TOKEN.finditer(sentence))
    said = [_fold(token[0]) for token in found]
    if any(said == each for each in _denials(asked, analysis.lang)):
        return "no"
    length = len(asked.words) + (0 if asked.auxiliary in _DO else 1)
    if len(said) < length or not _asserts(asked, said[:length]):
        return ""
    added = sentence[found[length - 1].end() :].rstrip(".! ")
    return "yes" if not added or (asked.auxiliary in _PAST and _ADDED.fullmatch(added)) else ""


def add_yes_no(analysis: Analysis, answer: Answer, first: Settles, hits: Sequence[Hit]) -> Answer:
    """Return the answer to a question that asks whether, its first sentence saying yes or no: ``first``, if anything.

    Not where a sentence of the hits says the contrary. What such a question names is no short answer to it.
    """
    if not answer.sentences or not is_yes_no(analysis):
        return answer
    sentences = [(hit, span) for hit in hits for span in sentence_spans(hit.passage.text)] if first else []
    contrary = {_settled(analysis, hit, span) for hit, span in sentences} - {"", first}
    says = "" if contrary else word_for(first, analysis.lang)
    return replace(answer, sentences=(replace(answer.sentences[0], focus=None, says=says), *answer.sentences[1:]))


def _settled(analysis: Analysis, hit: Hit, span: tuple[int, int]) -> Settles:
    return answers_yes_no(analysis, hit.passage.text, *span, title=hit.passage.title)


def word_for(settled: Settles, lang: str) -> str:
    """Return "Yes" or "No" in the question's language; "" where neither is settled."""
    return _WORDS.get(lang, _WORDS["en"])[settled] if settled else ""


def said_first(sentence: str) -> Settles:
    """Say what a sentence begins with that a model wrote: yes, no, or neither."""
    found = _SAID.match(sentence)
    if found is None:
        return ""
    return "yes" if found[1].lower() in ("yes", "ja") else "no"


def _asked(analysis: Analysis) -> _Asked | None:
    """What is asked, where it names what it asks about and leaves nothing open."""
    words = _folded(analysis.text)
    if not is_yes_no(analysis) or not _OPEN.isdisjoint(words):
        return None
    if words[1] in _ARTICLES and not analysis.entities:
        return None
    return _Asked(auxiliary=words[0], words=tuple(words[1:]))


def _folded(text: str) -> list[str]:
    return [_fold(token[0]) for token in _TOKEN.finditer(text)]


def _fold(word: str) -> str:
    return fold(word.replace("’", "'"))


def _asserts(asked: _Asked, said: Sequence[str]) -> bool:
    if asked.auxiliary not in _DO:
        return any(list(said) == each for each in _declared(asked, (asked.auxiliary,)))
    differing = [at for at, (word, other) in enumerate(zip(asked.words, said, strict=True)) if word != other]
    if asked.auxiliary == "do":
        return not differing
    inflected = is_past if asked.auxiliary == "did" else is_present
    return len(differing) == 1 and differing[0] > 0 and inflected(asked.words[differing[0]], said[differing[0]])


def _declared(asked: _Asked, verb: Sequence[str]) -> Iterator[list[str]]:
    """The question's words as a statement: its verb after one of them."""
    for at in range(1, len(asked.words)):
        yield [*asked.words[:at], *verb, *asked.words[at:]]


def _denials(asked: _Asked, lang: str) -> Iterator[list[str]]:
    if lang == "en":
        cannot = ("cannot",) if asked.auxiliary == "can" else (f"{asked.auxiliary}n't",)
        for verb in ((asked.auxiliary, _NOT[lang]), cannot):
            yield from _declared(asked, tuple(map(_fold, verb)))
        return
    for statement in _declared(asked, (asked.auxiliary,)):
        for at in range(2, len(statement) + 1):
            yield [*statement[:at], _NOT[lang], *statement[at:]]


def _is_doubtful(text: str, start: int, end: int, title: str) -> bool:
    """Return whether what stands around a sentence says that it is quoted, made up, or taken back."""
    before, after = text[:start].rstrip(), text[end:].lstrip(' "”’»)\n')
    return (
        before.endswith((":", "“", "„", "«", '"', "‘", "'"))
        or _UNTRUE.search(title) is not None
        or _UNTRUE.search(before[-300:]) is not None
        or _UNTRUE.search(after[:200]) is not None
        or _BUT.match(after) is not None
    )
