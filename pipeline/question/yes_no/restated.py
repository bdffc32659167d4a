"""Tell whether a sentence states a yes/no question as a statement, or negates it, in languages with a grammar here.

The statements are made from the question: "La tour de Vierburg est-elle haute ?" is answered by "La tour de Vierburg
est haute", and negated by "La tour de Vierburg n'est pas haute".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pipeline.question.analysis import Analysis
from pipeline.question.yes_no.grammar import Grammar, grammar_of
from pipeline.question.yes_no.words import YesNo
from text.languages import Words, language, word_set

_TOKEN: Final = re.compile(r"\w+(?:['’.,-]\w+)*")
#: "Est-ce que Vierburg est …?", "Vierburg est-elle …?"
_WHETHER: Final = re.compile(r"est[- ]ce qu(?:e |['’])", re.IGNORECASE)
_INVERTED: Final = re.compile(r"(?!qu')([^-]+)(?:-t)?-(?:il|elle|ils|elles|on|ce)")
_THERE_IS: Final = ("il", "y", "a")
_VOWELS: Final = "aeiouyhàâéèêëîïôûü"
#: subjects before which no negation stands
_SUBJECTS: Final = frozenset("usted você vocês".split())
#: languages with a verb in the second place and another in the last, whose negation stands between them
_VERB_SECOND: Final = ("de", "nl")
#: those where a verb may begin a statement, and where a statement with a question mark is a question
_VERB_FIRST: Final = ("es", "it", "pt")
#: a longer question is hardly stated word by word, and has too many statements
_MOST_WORDS: Final = 30


@dataclass(frozen=True, kw_only=True)
class _Question:
    before: Words = ()  #: words before the verb
    verb: Words = ()  #: none where it is not known
    after: Words = ()
    beginnings: tuple[Words, ...] = ()  #: those of the statement instead, in a question about the asker or anyone


@dataclass(frozen=True, kw_only=True)
class _Restated:
    statements: frozenset[Words]
    negations: frozenset[Words]
    is_past: bool  #: a statement about the past stays true when a place, a date or a person is added


def is_yes_no(question: str, lang: str) -> bool:
    """Return whether a question without its mark is a yes/no question in one of these languages."""
    return _parse(question, lang) is not None


def says(analysis: Analysis, sentence: str) -> YesNo:
    """Return "yes" or "no" when a sentence states or negates just the question, a yes/no question."""
    restated = _restate(analysis.text, analysis.lang, bool(analysis.entities))
    if restated is None:
        return ""
    tokens = list(_TOKEN.finditer(sentence))
    words = tuple(_small(token[0]) for token in tokens)
    if words in restated.negations:
        return "no"
    stated = next((each for each in restated.statements if words[: len(each)] == each), None)
    if stated is None:
        return ""
    added = sentence[tokens[len(stated) - 1].end() :].rstrip(".! ")
    grammar = grammar_of(analysis.lang)
    may_add = grammar.added if grammar and restated.is_past else None
    return "yes" if not added or (may_add and may_add.fullmatch(added)) else ""


def _small(word: str) -> str:
    """Return a word in small letters; its accents stay: "è" is no "e"."""
    return unicodedata.normalize("NFC", word.replace("’", "'")).casefold()


def _words(text: str) -> Words:
    return tuple(_small(token[0]) for token in _TOKEN.finditer(text))


@lru_cache(maxsize=256)
def _parse(question: str, lang: str) -> _Question | None:
    """Return the parts of a yes/no question, or None when it is none."""
    grammar, words = grammar_of(lang), _words(question)
    if grammar is None or len(words) < 2 or _asks_for_a_thing(grammar, words):
        return None
    if lang == "fr":
        return _parse_french(grammar, question, words)
    if about_anyone := _about_anyone(grammar, words):
        return about_anyone
    if words[0] in grammar.verbs:
        return _Question(verb=words[:1], after=words[1:])
    return _parse_statement(grammar, words) if lang in _VERB_FIRST and grammar.joins.isdisjoint(words) else None


def _asks_for_a_thing(grammar: Grammar, words: Words) -> bool:
    """Return whether a question has a question word, or asks somebody to tell something."""
    if any(not grammar.asks.isdisjoint(word.split("'")) for word in words):
        return True
    return grammar.requests is not None and grammar.requests.search(" ".join(words)) is not None


def _parse_french(grammar: Grammar, question: str, words: Words) -> _Question | None:
    if whether := _WHETHER.match(question):
        words = _words(question[whether.end() :])
        there_is = _Question(verb=_THERE_IS, after=words[3:]) if words[:3] == _THERE_IS else None
        return there_is or _about_anyone(grammar, words) or _parse_statement(grammar, words) or _Question(before=words)
    if words[:2] == ("y", "a-t-il"):
        return _Question(verb=_THERE_IS, after=words[2:])
    if about_anyone := _about_anyone(grammar, words):
        return about_anyone
    at, verb = next(((at, found[1]) for at, word in enumerate(words) if (found := _INVERTED.fullmatch(word))), (0, ""))
    before = words[:at]
    if not verb or not grammar.joins.isdisjoint(before) or any(word.startswith("qu'") for word in before):
        return None
    return _Question(before=before, verb=(verb,) if before else (), after=words[at + 1 :])


def _about_anyone(grammar: Grammar, words: Words) -> _Question | None:
    found = ((words[length:], grammar.beginnings.get(words[:length])) for length in (1, 2))
    return next((_Question(after=after, beginnings=beginnings) for after, beginnings in found if beginnings), None)


def _parse_statement(grammar: Grammar, words: Words) -> _Question | None:
    """Return the parts of a question that has the words of its statement: up to its first verb, and from there."""
    at = next((at for at, word in enumerate(words[:-1]) if at and word in grammar.verbs), None)
    return None if at is None else _Question(before=words[:at], verb=(words[at],), after=words[at + 1 :])


@lru_cache(maxsize=256)
def _restate(question: str, lang: str, names_something: bool) -> _Restated | None:
    """Return the statements of a question; None when it does not name what it asks about, or leaves a choice."""
    parsed, grammar = _parse(question, lang), grammar_of(lang)
    if parsed is None or grammar is None or not (parsed.beginnings or names_something):
        return None
    if not _is_clear(grammar, parsed, lang):
        return None
    verbs = parsed.beginnings or (parsed.verb,)
    statements = frozenset(words for verb in verbs for words in _statements(grammar, parsed, verb, lang))
    if lang in _VERB_SECOND:
        negations = frozenset(negated for words in statements for negated in _negated_later(words, lang))
    else:
        negations = frozenset(
            words
            for verb in verbs
            for other in _with_none(parsed, lang)
            for words in _statements(grammar, other, _negated(verb, lang), lang)
        )
    is_past = not grammar.past.isdisjoint(parsed.verb) or not grammar.been.isdisjoint(parsed.after[:1])
    return _Restated(statements=statements, negations=negations, is_past=is_past)


def _is_clear(grammar: Grammar, question: _Question, lang: str) -> bool:
    """Return whether a question has all parts, and no pronoun or other word that leaves open what is asked."""
    words = question.before + question.after
    if not question.after or not (question.verb or question.beginnings) or len(words) > _MOST_WORDS:
        return False
    if not grammar.open.isdisjoint(words):
        return False
    if grammar.attached and any(map(grammar.attached.fullmatch, words)):
        return False
    pair = question.after[-2:] if lang in _VERB_SECOND else question.after[:2]
    if pair[0] in grammar.pronouns and grammar.infinitive and grammar.infinitive.fullmatch(pair[-1]):
        return False
    return grammar.pronouns.isdisjoint(question.before[-1:])


def _statements(grammar: Grammar, question: _Question, verb: Words, lang: str) -> Iterator[Words]:
    """Yield the words of the statements with ``verb``: where it stood, or else wherever it may stand."""
    before, after = question.before, question.after
    if before or question.beginnings or lang == "fr":
        yield before + verb + after
        return
    for at in range(0 if lang in _VERB_FIRST else 1, len(after)):
        yield after[:at] + verb + after[at:]
    # "¿Está abierto el museo de Vierburg?" – "El museo de Vierburg está abierto"
    said = 1 + (after[0] in grammar.been)
    is_copula = lang in _VERB_FIRST and verb[-1] in word_set("be", lang)
    if said == 2 or (is_copula and after[0] not in grammar.pronouns):
        for end in range(said + 1, len(after) + 1):
            yield after[said:end] + verb + after[:said] + after[end:]


def _negated(verb: Words, lang: str) -> Words:
    """Return a verb with its negation: "vous ne pouvez pas", "no se puede"."""
    if lang == "fr":
        return _negated_french(verb)
    at = 1 if verb[0] in _SUBJECTS else 0
    bare, attached, _ = verb[-1].partition("-se")
    return (*verb[:at], language(lang).negations[0], *(("se", bare) if attached else verb[at:]))


def _negated_french(verb: Words) -> Words:
    if verb == _THERE_IS:
        return ("il", "n'y", "a", "pas")
    *subject, said = verb
    return (*subject, *((f"n'{said}",) if said[0] in _VOWELS else ("ne", said)), "pas")


def _with_none(question: _Question, lang: str) -> Iterator[_Question]:
    """Yield a question, and in French also with "de" as after a negation: "un phare" – "pas de phare"."""
    yield question
    if lang == "fr" and question.after[0] in ("un", "une", "des"):
        yield replace(question, after=("de", *question.after[1:]))


def _negated_later(statement: Words, lang: str) -> Iterator[Words]:
    """Yield a German or Dutch statement with its negation somewhere behind the verb, in Dutch also with "geen"."""
    for at in range(2, len(statement) + 1):
        yield (*statement[:at], language(lang).negations[0], *statement[at:])
    if lang == "nl" and "een" in statement:
        at = statement.index("een")
        yield (*statement[:at], "geen", *statement[at + 1 :])
