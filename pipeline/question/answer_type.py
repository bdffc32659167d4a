"""Find the kind of thing a question asks for, and rate how well a sentence gives one that the question does not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from pipeline.llm import Form
from pipeline.question.analysis import Analysis
from text.languages import LANGUAGES, language, pattern_of
from text.sentences import sentence_spans

AnswerType = Literal["time", "money", "number", "name", "place", "reason", "way", "symbol", "any"]

#: in the order in which they are tried
_KINDS: tuple[AnswerType, ...] = ("way", "time", "money", "number", "place", "name", "symbol", "reason")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
#: a capitalised word that does not begin the sentence
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÁÉÍÓÚ][\w’'-]+")
#: two of them in a row, anywhere
_FULL_NAME = re.compile(r"(?<![\w’'.-])[A-ZÄÖÜ][\w’'.-]+ (?:(?:von|van|de|der|of|the|al|bin) )*[A-ZÄÖÜ][\w’'-]+")
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][\w'-]*")
#: words after a number that may name the thing counted; letters that two forms of a word share
_UNIT_WITHIN, _STEM = 4, 5
#: the fit of a number of something else, and of a single capitalised word
_SOME_NUMBER, _SOME_NAME = 0.4, 0.4
#: a name in code: called, dotted, with an underscore, in camel case, an option
_SYMBOL = re.compile(r"[A-Za-z_][\w.]*(?=\()|\w+(?:\.\w+)+|\w+_\w+|[A-Z][a-z]+[A-Z]\w+|(?<!\w)--?[a-z][\w-]*|[A-Z]{3,}")
_NAMES: Final = ("number", "time", "units", "money", "free", "place", "reason", "way")


def answer_type_of(question: str) -> AnswerType:
    """Return the kind of thing a question asks for, by its last sentence that is a question."""
    return _type_of(last_question(question))


@lru_cache(maxsize=256)
def last_question(text: str) -> str:
    """Return the last sentence that ends in a question mark, without it; the whole text where none does."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    asked = [sentence for sentence in sentences if sentence.rstrip("\"'”’») ").endswith(("?", "？"))]
    return (asked[-1] if asked else text).strip().rstrip("?？ ")


@lru_cache(maxsize=256)
def _type_of(question: str) -> AnswerType:
    return next((kind for kind in _KINDS if _asks(kind).search(question)), "any")


@cache
def _asks(kind: str) -> re.Pattern[str]:
    """Return the pattern that all languages together have for a kind of thing, or for several of them."""
    patterns = (language(lang).answer_types.get(kind, "") for lang in sorted(LANGUAGES))
    return re.compile(rf"(?<!\w)(?:{'|'.join(filter(None, patterns))})(?!\w)", re.IGNORECASE)


def asks_for_all(question: str) -> bool:
    """Return whether a question asks how to do something, or for several things: a whole list, or steps, answers."""
    return answer_type_of(question) == "way" or _asks("several").search(last_question(question)) is not None


def form_of(analysis: Analysis) -> Form:
    """Return the form in which a question is best answered: of 501 questions, 119 in steps, 40 in a list, 2 in code.

    A writer keeps to prose where the pages have no several steps or things.
    """
    kind = answer_type_of(analysis.text)
    named = [entity for entity in analysis.entities if not entity[0].isdigit()]
    if analysis.question_type == "comparative" and len(named) > 1:
        return "table"
    if kind == "way" or (kind == "any" and analysis.question_type == "procedural"):
        return "steps"
    if kind == "symbol":
        return "code"
    return "list" if asks_for_all(analysis.text) else "prose"


def rate_fit(kind: AnswerType, question: str, sentence: str, lang: str = "en") -> float:
    """Return how well a sentence gives such a thing, [−1, 1]: 1 surely, −1 not at all; 0 when ``kind`` is "any".

    ``lang`` is the sentence's (ISO 639-1).
    """
    if kind == "any":
        return 0.0
    if kind == "number":
        return _number_fit(question, sentence, lang)
    if kind == "name":
        return _name_fit(question, sentence)
    return 1.0 if _holds(kind, question, sentence, forms_of(lang)) else -1.0


def _holds(kind: AnswerType, question: str, sentence: str, forms: Forms) -> bool:
    if kind == "place":
        return bool(forms.place.search(sentence))
    if kind == "reason":
        return bool(forms.reason.search(sentence))
    if kind == "way":
        return bool(forms.way.search(sentence))
    if kind == "symbol":
        return any(symbol.casefold() not in question.casefold() for symbol in _SYMBOL.findall(sentence))
    new = set(_DIGITS.findall(sentence)) - set(_DIGITS.findall(question))
    if kind == "money":
        amount = bool(new or forms.number.search(sentence) or forms.free.search(sentence))
        return amount and bool(forms.money.search(sentence))
    found = [_DIGITS.match(each) for each in forms.time.findall(sentence)]
    return any(digits is None or digits[0] in new for digits in found)


def _number_fit(question: str, sentence: str, lang: str) -> float:
    """Rate a number of the counted thing 1, another number less, and none, a year or the question's own number −1."""
    asked = set(_DIGITS.findall(question))
    words = _TOKEN.findall(sentence)
    numbers = [at for at, word in enumerate(words) if is_number(word, lang) and word not in asked]
    counted = _asks("counted").search(question)
    stems = {word.casefold()[:_STEM] for group in counted.groups("") for word in group.split()} if counted else set()
    fits = any(word.casefold()[:_STEM] in stems for at in numbers for word in words[at + 1 : at + 1 + _UNIT_WITHIN])
    if not fits and all(_YEAR.fullmatch(words[at]) for at in numbers):
        return -1.0
    return 1.0 if fits or counted is None else _SOME_NUMBER


def is_number(word: str, lang: str = "en") -> bool:
    """Return whether a word of the language is a number, in digits or letters."""
    return word[0].isdigit() or bool(forms_of(lang).number.fullmatch(word.partition("-")[0]))


def _name_fit(question: str, sentence: str) -> float:
    """Rate a full name 1, a single capitalised word less, and none or the question's own name −1."""
    asked = set(re.findall(r"\w+", question.casefold()))
    if any(asked.isdisjoint(re.findall(r"\w+", name.casefold())) for name in _FULL_NAME.findall(sentence)):
        return 1.0
    return _SOME_NAME if any(name.casefold() not in asked for name in _NAME.findall(sentence)) else -1.0


@dataclass(frozen=True, kw_only=True)
class Forms:
    """The patterns of what a sentence gives."""

    number: re.Pattern[str]  #: in words
    time: re.Pattern[str]  #: its one group holds the digits, too
    money: re.Pattern[str]
    free: re.Pattern[str]  #: an amount without a number
    place: re.Pattern[str]
    reason: re.Pattern[str]
    way: re.Pattern[str]


@cache
def forms_of(lang: str) -> Forms:
    """Return the forms of a sentence in the language (ISO 639-1); those of English and German where it has none."""
    number, time, units, money, free, place, reason, way = (pattern_of("forms", name, lang) for name in _NAMES)
    return Forms(
        number=_words(number),
        time=re.compile(rf"\b({time}|\d{{3,4}}|\d{{1,2}}[:h]\d\d|\d+(?:[.,:]\d+)? ?(?:{units}))(?!\w)", re.IGNORECASE),
        money=re.compile(rf"[£$€¥]|\b(?:{money}|{free})(?!\w)", re.IGNORECASE),
        free=_words(free),
        place=_words(place),
        reason=_words(reason),
        way=re.compile(rf"\w\(|\w\.\w+|>>>|\b(?:{way})(?!\w)", re.IGNORECASE),
    )


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)
