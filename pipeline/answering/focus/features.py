"""Compute the features of each run of words that could be the short answer: its form, and its place in the sentence.

The features are those of the logistic regression baseline of the SQuAD paper (Rajpurkar 2016, §5) that need no parser:
the form of the words by the kind of thing asked for, the neighbouring words, the distance of the question's words,
their rarity, their number.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import AnswerType, answer_type_of, is_number
from text.analyser import analyse, fold
from text.languages import any_of
from text.rarity import rarity
from text.related_words import best_weight, find_related
from text.stopwords import stop_words

#: the most words and marks of a candidate
MAX_TOKENS = 10
#: the greatest distance of a question's word, and the decay length of its weight, both in words
_REACH, _FADING = 12, 4.0

_TOKEN = re.compile(r"[$£€¥]?\d+(?:[.,:/–-]\d+)*(?:%|°[CF]?)?|[^\W\d_]+(?:[-'’.&/]\w+)*|\w+|\S")
_MONEY = "$£€¥"


def _asked(*names: str) -> str:
    """Return the pattern of the English and German question words of these names."""
    return "|".join(any_of(name, "en", "de") for name in names)


_MONTH = re.compile(any_of("months", "en", "de"))
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d|\d{3,4}s")
_ASKING = re.compile(
    rf"\b(?:(how many|how much|wie viele?)|({_asked('how')})|({_asked('what', 'which')})|({_asked('who')})"
    rf"|({_asked('when')})|({_asked('where')})|({_asked('why')}))\b"
)
_ASKED_WITH = ("how many", "how", "what", "who", "when", "where", "why")
#: "what type of immunity": the words that name the thing asked for
_NAMED = re.compile(r"\b(?:what|which|welche\w*|how many|how much|wie viele?)\s+((?:\w+\s+){0,2}\w+)", re.IGNORECASE)
_SMALL_IN_NAMES = frozenset({"of", "the", "and", "von", "der", "de", "la"})
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "ein", "eine"})
#: stop words that may begin an answer all the same
_MAY_BEGIN = _ARTICLES | {"no", "not", "because", "by", "to", "in", "due"}


def _classes(words: str) -> dict[str, str]:
    return {word: name for name, _, some in (line.partition(":") for line in words.split("/")) for word in some.split()}


_BEFORE = _classes(
    "be:is are was were been be ist sind war waren/by:by von/in:in im/at:at am/on:on auf/of:of/to:to zu/for:for für"
    "/from:from between aus/as:as als/with:with mit/cause:because due since weil wegen/article:the a an der die das den"
    " ein eine/called:called named known termed genannt/that:that which who/and:and or und oder/about:about around"
    " approximately etwa rund/than:than"
) | {",": "comma", ";": "comma", ":": "comma", "–": "comma", "(": "bracket", '"': "quote", "“": "quote"}
_AFTER = _classes(
    "be:is was are were ist war/and:and or und oder/of:of/in:in/to:to/for:for/by:by/that:that which who"
) | {",": "comma", ";": "comma", ":": "comma", ".": "end", ")": "bracket", "(": "bracket", '"': "quote", "”": "quote"}


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A run of words of a sentence, ``sentence[start:end]``, with its features."""

    start: int
    end: int
    features: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class _Token:
    """A word or mark of the sentence, with its relation to the question."""

    start: int
    end: int
    text: str
    folded: str
    is_word: bool
    is_empty: bool  #: it is a stop word
    told: float  #: the weight of the question's word that it matches, 0 if none
    rarity: float
    names: bool  #: it is one of the words that name the thing asked for


def candidates(analysis: Analysis, sentence: str) -> Iterator[Candidate]:
    """Yield every run of up to ten words and marks that could be the short answer."""
    tokens = _tokens(analysis, sentence)
    kind, asked_with = answer_type_of(analysis.text), _asked_with(analysis.text)
    total = sum(token.told for token in tokens) or 1.0
    folded = analysis.text.casefold()
    for start, first in enumerate(tokens):
        if not first.is_word or (first.is_empty and first.folded not in _MAY_BEGIN):
            continue
        for end in range(start + 1, min(len(tokens), start + MAX_TOKENS) + 1):
            last = tokens[end - 1]
            if last.text in ".;!?":
                break
            if last.is_empty or not (last.is_word or last.text in ')%"”'):
                continue
            part = tokens[start:end]
            features = _inside(part, kind, asked_with, total) | _around(tokens, start, end, kind, asked_with)
            said = " ".join(token.text for token in part if token.is_word).casefold()
            features["in question"] = float(said in folded)
            yield Candidate(start=first.start, end=last.end, features=features)


def _tokens(analysis: Analysis, sentence: str) -> list[_Token]:
    lang = analysis.lang
    found = [(match, analyse(match[0], lang)) for match in _TOKEN.finditer(sentence)]
    stand_for = find_related(analysis.terms, {term for _, terms in found for term in terms}, lang)
    weights = {term: rarity(term, lang) for term in analysis.terms}
    empty, names = stop_words(lang), _naming(analysis.text, lang)
    return [
        _Token(
            start=match.start(),
            end=match.end(),
            text=match[0],
            folded=(folded := fold(match[0])),
            is_word=(is_word := match[0][0].isalnum() or match[0][0] in _MONEY),
            is_empty=folded in empty,
            told=max((weights[term] * best_weight(others, terms) for term, others in stand_for.items()), default=0.0),
            rarity=max((rarity(term, lang) for term in terms), default=0.0) if is_word else 0.0,
            names=not names.isdisjoint(terms),
        )
        for match, terms in found
    ]


def _asked_with(question: str) -> str:
    match = _ASKING.search(question.casefold())
    return _ASKED_WITH[match.lastindex - 1] if match and match.lastindex else "none"


def _naming(question: str, lang: str) -> set[str]:
    """Return the terms of "type of immunity" in "What type of immunity …", up to the first stop word after one."""
    match, terms = _NAMED.search(question), set[str]()
    for word in match[1].split() if match else ():
        if fold(word) not in stop_words(lang):
            terms.update(analyse(word, lang))
        elif terms:
            break
    return terms


def _inside(part: Sequence[_Token], kind: AnswerType, asked_with: str, total: float) -> dict[str, float]:
    """Return the features of the words themselves."""
    words = [token.text for token in part if token.is_word]
    bare = [word for word in words if fold(word) not in _ARTICLES] or words
    form, count = form_of(bare), len(part)
    told = [token.told for token in part]
    return {
        f"{kind}: {form}": 1.0,
        f"{asked_with}: {form}": 1.0,
        f"{asked_with}: {_size(count)}": 1.0,
        _size(count): 1.0,
        "told": sum(told) / total,
        "some told": float(any(told)),
        "all told": float(all(token.told or token.is_empty or not token.is_word for token in part)),
        "rarity": sum(token.rarity for token in part) / count,
        "most rarity": max(token.rarity for token in part),
        "empty": sum(token.is_empty for token in part) / count,
        "marks": float(not all(token.is_word for token in part)),
        "article": float(part[0].folded in _ARTICLES),
        "names it": float(any(token.names for token in part)),
        "-ing": float(words[0].endswith("ing")),
        "-ed": float(words[0].endswith("ed")),
        "-ly": float(words[-1].endswith("ly")),
    }


def _around(tokens: Sequence[_Token], start: int, end: int, kind: AnswerType, asked_with: str) -> dict[str, float]:
    """Return the features of the words' place in the sentence."""
    before, after = tokens[start - 1] if start else None, tokens[end] if end < len(tokens) else None
    first, last = tokens[start], tokens[end - 1]
    left, right = _class(before, _BEFORE), _class(after, _AFTER)
    return {
        f"after {left}": 1.0,
        f"{kind if kind != 'any' else asked_with}: after {left}": 1.0,
        f"before {right}": 1.0,
        "told before": sum(tokens[at].told * _fade(start - 1 - at) for at in range(max(0, start - _REACH), start)),
        "told after": sum(tokens[at].told * _fade(at - end) for at in range(end, min(len(tokens), end + _REACH))),
        "told right before": float(before is not None and before.told > 0),
        "told right after": float(after is not None and after.told > 0),
        "names it beside": float(any(token.names for token in (before, after) if token)),
        "cuts a name before": float(
            start > 1 and before is not None and before.text[0].isupper() and first.text[0].isupper()
        ),
        "cuts a name after": float(after is not None and after.text[0].isupper() and last.text[0].isupper()),
        "cuts a number": float(after is not None and last.text[0].isdigit() and after.is_word and not after.is_empty),
        "whole run": float(_is_edge(before) and _is_edge(after)),
        "late": start / len(tokens),
    }


def form_of(words: Sequence[str]) -> str:
    """Return the form of the words: money, a date, a number, a name."""
    text, first = " ".join(words), words[0]
    if any(word[0] in _MONEY for word in words):
        return "money"
    if "%" in text or "percent" in text:
        return "percentage"
    has_digit = any(char.isdigit() for char in text)
    if has_digit and _MONTH.search(text):
        return "date"
    if len(words) == 1 and _YEAR.fullmatch(first):
        return "year"
    if is_number(first):
        return "number" if len(words) == 1 else "number of"
    if has_digit:
        return "with a number"
    capitals = [word[0].isupper() for word in words if word[0].isalpha() and word not in _SMALL_IN_NAMES]
    if capitals and all(capitals):
        return "name" if len(capitals) == 1 else "full name"
    return "with a name" if any(capitals) else "word" if len(words) == 1 else "words"


def _size(count: int) -> str:
    return f"{count} long" if count <= 3 else "4-6 long" if count <= 6 else "7 long and more"


def _class(token: _Token | None, classes: Mapping[str, str]) -> str:
    if token is None:
        return "nothing"
    return classes.get(token.folded) or ("empty" if token.is_empty else "word" if token.is_word else "mark")


def _is_edge(token: _Token | None) -> bool:
    return token is None or token.is_empty or not token.is_word


def _fade(distance: int) -> float:
    return 0.5 * math.exp(-distance / _FADING)
