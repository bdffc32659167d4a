"""What kind of thing a question asks for, and whether a sentence holds one that the question does not name itself."""

from __future__ import annotations

import re
from typing import Literal

AnswerType = Literal["time", "number", "name", "any"]

_ASKS: tuple[tuple[AnswerType, str], ...] = (
    (
        "time",
        r"when|(?:what|which|in what|in which) (?:year|date|day|month|decade|century)|wann"
        r"|welche[mnrs]? (?:jahr\w*|tag|datum|monat|jahrhundert)",
    ),
    (
        "number",
        r"how (?:many|much|long|far|old|tall|big|large|often|high|fast|deep)|what (?:percent\w*|number|amount)"
        r"|number of|wie ?(?:viele?|lange|weit|alt|hoch|groß|oft|schnell|tief)|wie viel prozent|welche anzahl",
    ),
    ("name", r"who|whom|whose|where|(?:what|which) (?:city|country|state|person)|wer|wen|wem|wessen|wo|wohin|woher"),
)
_ASKED = tuple((kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)) for kind, words in _ASKS)

_DIGITS = re.compile(r"\d+")
_NUMBER_WORDS = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|hundred|thousand|million|billion"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|million(?:en)?|milliarden?)\b",
    re.IGNORECASE,
)
_CALENDAR = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|century|decade"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember|jahrhunderts?|\d{3,4}s?)\b",
    re.IGNORECASE,
)
#: a capitalised word that does not begin the sentence
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÁÉÍÓÚ][\w’'-]+")


def asked_for(question: str) -> AnswerType:
    """Give the kind of thing the question asks for."""
    return next((kind for kind, pattern in _ASKED if pattern.search(question)), "any")


def fit(kind: AnswerType, question: str, sentence: str) -> float:
    """Give 1 when the sentence holds such a thing, −1 when it does not, 0 where the question asks for anything."""
    if kind == "any":
        return 0.0
    return 1.0 if _holds(kind, question, sentence) else -1.0


def _holds(kind: AnswerType, question: str, sentence: str) -> bool:
    if kind == "name":
        asked = set(re.findall(r"\w+", question.casefold()))
        return any(name.casefold() not in asked for name in _NAME.findall(sentence))
    new = set(_DIGITS.findall(sentence)) - set(_DIGITS.findall(question))
    if kind == "number":
        return bool(new) or bool(_NUMBER_WORDS.search(sentence))
    return any(not found.isdigit() or found in new for found in _CALENDAR.findall(sentence))
