"""Tell whether an English or German sentence states a yes/no question as a statement, or negates it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.question.analysis import Analysis
from pipeline.question.yes_no.grammar import added_names
from pipeline.question.yes_no.words import YesNo
from text.analyser import fold
from text.languages import language, word_set
from text.related_words import IRREGULAR_PASTS

_DO = {"do", "does", "did"}
_LANGUAGES = ("en", "de")
#: a statement about the past stays true when a place, a date or a person is added
_PAST = word_set("past", *_LANGUAGES)
#: negations that are not the word with n't
_CONTRACTED = {"can": ("cannot", "can't"), "will": ("won't",), "shall": ("shan't",)}
#: "Can I …?" is answered by "You can …"
_SECOND_PERSON = {"i": "you", "we": "you", "my": "your", "our": "your", "me": "you", "us": "you"}
#: words with which the question is about an unknown thing, or a choice
_OPEN = frozenset(
    "or oder it he she they this that these those you i we my your our his her their its es er sie dies das du ich wir "
    "mein dein unser ihr sein not nicht no kein keine any ever only nur almost fast".split()
)
_ARTICLES = frozenset("the a an der die das den dem ein eine einen einem".split())
_TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*")
#: a place, a date or a person, in names and numbers
_ADDED = added_names("(?:in|on|at|by|near|from|am|im|von|vom|bei|an) (?:the |dem |der |den )?", "of|von")

#: irregular English verb → its past; those added here are general synonyms among the related words
_PASTS = IRREGULAR_PASTS | {
    "become": "became", "begin": "began", "build": "built", "choose": "chose", "have": "had", "hide": "hid",
    "strike": "struck",
}  # fmt: skip
_VOWELS = "aeiou"


@dataclass(frozen=True, kw_only=True)
class _Question:
    auxiliary: str
    words: tuple[str, ...]  #: those after the auxiliary


def is_yes_no(question: str, lang: str) -> bool:
    """Return whether a question without its mark is an English or German yes/no question."""
    words = _folded(question)
    first = words[0].removesuffix("n't") if words else ""
    return len(words) > 1 and first in _auxiliaries(lang)


def says(analysis: Analysis, sentence: str) -> YesNo:
    """Return "yes" or "no" when a sentence states or negates just the question, a yes/no question."""
    question = _parse_question(analysis)
    if question is None:
        return ""
    tokens = list(_TOKEN.finditer(sentence))
    words = [_fold(token[0]) for token in tokens]
    if any(words == negation for negation in _negations(question, analysis.lang)):
        return "no"
    length = len(question.words) + (0 if question.auxiliary in _DO else 1)
    if len(words) < length or not _asserts(question, words[:length]):
        return ""
    added = sentence[tokens[length - 1].end() :].rstrip(".! ")
    return "yes" if not added or (question.auxiliary in _PAST and _ADDED.fullmatch(added)) else ""


def _parse_question(analysis: Analysis) -> _Question | None:
    """Return the parsed question; None when it does not name what it asks about, or leaves a choice."""
    words = _folded(analysis.text)
    if words[0] not in _auxiliaries(analysis.lang):
        return None
    if analysis.lang == "en" and words[1] in ("i", "we"):
        words = [words[0], *(_SECOND_PERSON.get(word, word) for word in words[1:])]
        if not (_OPEN - {"you", "your"}).isdisjoint(words):
            return None
        return _Question(auxiliary=words[0], words=tuple(words[1:]))
    if not _OPEN.isdisjoint(words):
        return None
    if words[1] in _ARTICLES and not analysis.entities:
        return None
    return _Question(auxiliary=words[0], words=tuple(words[1:]))


def _auxiliaries(lang: str) -> frozenset[str]:
    return word_set("be", lang) | word_set("auxiliaries", lang) if lang in _LANGUAGES else frozenset()


def _folded(text: str) -> list[str]:
    return [_fold(token[0]) for token in _TOKEN.finditer(text)]


def _fold(word: str) -> str:
    return fold(word.replace("’", "'"))


def _asserts(question: _Question, words: Sequence[str]) -> bool:
    """Return whether a sentence's words are the question's as a statement."""
    if question.auxiliary not in _DO:
        return any(list(words) == statement for statement in _statements(question, (question.auxiliary,)))
    differing = [at for at, (asked, word) in enumerate(zip(question.words, words, strict=True)) if asked != word]
    if question.auxiliary == "do":
        return not differing
    inflected = _is_past if question.auxiliary == "did" else _is_present
    return len(differing) == 1 and differing[0] > 0 and inflected(question.words[differing[0]], words[differing[0]])


def _statements(question: _Question, verb: Sequence[str]) -> Iterator[list[str]]:
    """Yield the question's words with the verb after each of them but the last."""
    for at in range(1, len(question.words)):
        yield [*question.words[:at], *verb, *question.words[at:]]


def _negations(question: _Question, lang: str) -> Iterator[list[str]]:
    plain = language(lang).negations[0]
    if lang == "en":
        contracted = {f"{question.auxiliary}n't", *_CONTRACTED.get(question.auxiliary, ())}
        for verb in ((question.auxiliary, plain), *((word,) for word in sorted(contracted))):
            yield from _statements(question, tuple(map(_fold, verb)))
        return
    for statement in _statements(question, (question.auxiliary,)):
        for at in range(2, len(statement) + 1):
            yield [*statement[:at], plain, *statement[at:]]


def _is_past(verb: str, word: str) -> bool:
    """Return whether ``word`` is the past of ``verb``; a form that is both is not taken for it."""
    if verb in _PASTS:
        return word == _PASTS[verb]
    if verb.endswith("e"):
        return word == f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return word == f"{verb[:-1]}ied"
    return word in (f"{verb}ed", f"{verb}{verb[-1:]}ed")


def _is_present(verb: str, word: str) -> bool:
    """Return whether ``word`` is ``verb`` after he, she or it."""
    if verb == "have":
        return word == "has"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return word == f"{verb[:-1]}ies"
    return word == (f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s")
