"""What kind of thing a question asks for, and whether a sentence holds one that the question does not name itself."""

from __future__ import annotations

import re
from typing import Literal

AnswerType = Literal["time", "money", "number", "name", "place", "reason", "way", "any"]

#: what is measured in numbers, whatever word asks for it
_MEASURES = (
    r"(?:height|depth|length|width|speed|weight|size|area|population|temperature|distance|output|rate|percentage|amount"
    r"|number|age|capacity|voltage|pressure|rainfall|diameter|range|gust|total|average|maximum|minimum|precision)"
)
_ASKS: tuple[tuple[AnswerType, str], ...] = (
    (
        "time",
        r"when|(?:what|which|in what|in which) (?:year|date|day|month|decade|century)|wann"
        r"|welche[mnrs]? (?:jahr\w*|tag|datum|monat|jahrhundert)",
    ),
    (
        "money",
        r"how much (?:does|do|did|is|was|would|money)(?: .+)? (?:cost|pay|paid|charged?|worth|price|fare|ticket|fee)\w*"
        r"|what (?:is|was|are|were|does|do|did) .*(?:price|cost|fare|fee|costs)"
        r"|was kostet|wie ?viel (?:kostet|kosten)|wie teuer",
    ),
    (
        "number",
        r"how (?:many|much|long|far|old|tall|big|large|often|high|fast|deep|wide|heavy)|what (?:percent\w*)"
        rf"|what (?:is|was|are|were) (?:\S+ ){{1,3}}?{_MEASURES}|(?:at )?(?:what|which) {_MEASURES}"
        r"|number of|wie ?(?:viele?|lange|weit|alt|hoch|groß|oft|schnell|tief|breit|schwer)|welche anzahl",
    ),
    (
        "place",
        r"where|(?:what|which) (?:city|country|state|place|town)|wo|wohin|woher|welche[mnrs]? (?:stadt|land|ort)",
    ),
    ("name", r"who|whom|whose|(?:what|which) (?:person|man|woman|king|queen)|wer|wen|wem|wessen"),
    ("reason", r"why|what (?:is|was) the reason|warum|weshalb|wieso|aus welchem grund"),
    ("way", r"how (?:do|can|could|should|would|to|must|does|may)|wie (?:kann|soll|sollte|muss)"),
)
_ASKED = tuple((kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)) for kind, words in _ASKS)

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|dozen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|half|hundreds?|thousands?|millions?|billions?|twice|once"
    r"|one|single|zero|none|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|\w+zig|hundert|tausend"
    r"|million(?:en)?|milliarden?|ein(?:e[rmns]?)? (?:drittel|viertel|halb\w*))\b",
    re.IGNORECASE,
)
_CALENDAR = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|century|decade"
    r"|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|noon|midnight|christmas|easter"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember|jahrhunderts?|frühling|herbst|sommer|\d{3,4}s?"
    r"|\d{1,2}(?::\d\d|(?:st|nd|rd|th)\b)?|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[£$€¥]|\b(?:pounds?|dollars?|euros?|cents?|pence|francs?|marks?|pfund|mark|franken|free|kostenlos|million"
    r"|billion)\b",
    re.IGNORECASE,
)
#: a capitalised word that does not begin the sentence
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÁÉÍÓÚ][\w’'-]+")
_GERMAN_NAME = re.compile(r"[A-ZÄÖÜ][\w’'-]+ (?:von |van |de )?[A-ZÄÖÜ][\w’'-]+")
_PLACE = re.compile(
    r"\b(?:in|at|near|on|from|to|off|under|beside|between|along|into|inside|behind|above|below|of|im|am|aus|bei|nach"
    r"|auf|unter|zwischen|neben|vom|zum)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|so as|due to|owing to|as a result|in order|for fear|reasons?|caus\w+|therefore|thus"
    r"|hence|led to|result\w*|would|could|so|to \w+|for \w+ing|by \w+ing|if|otherwise|avoid\w*|prevent\w*|danger\w*"
    r"|weil|damit|deshalb|daher|wegen|aufgrund|um|denn|dadurch|grund|ursache)\b",
    re.IGNORECASE,
)
_WAY = re.compile(
    r"\w\(|\w\.\w+|>>>|\b(?:use|uses|using|call|by|with|can|must|should|to|kann|muss|mit|durch)\b", re.IGNORECASE
)


def asked_for(question: str) -> AnswerType:
    """Give the kind of thing the question asks for."""
    return next((kind for kind, pattern in _ASKED if pattern.search(question)), "any")


def fit(kind: AnswerType, question: str, sentence: str) -> float:
    """Give 1 when the sentence holds such a thing, −1 when it does not, 0 where the question asks for anything."""
    if kind == "any":
        return 0.0
    return 1.0 if _holds(kind, question, sentence) else -1.0


def _holds(kind: AnswerType, question: str, sentence: str) -> bool:
    new = set(_DIGITS.findall(sentence)) - set(_DIGITS.findall(question))
    if kind == "name":
        return _names_another(question, sentence)
    if kind == "place":
        return bool(_PLACE.search(sentence))
    if kind == "reason":
        return bool(_REASON.search(sentence))
    if kind == "way":
        return bool(_WAY.search(sentence))
    if kind == "money":
        return bool(_MONEY.search(sentence)) and (
            bool(new) or bool(_NUMBER_WORDS.search(sentence)) or "free" in sentence
        )
    if kind == "number":
        return bool(new) or bool(_NUMBER_WORDS.search(sentence))
    return any(
        not found[0].isdigit() or any(found.startswith(each) for each in new) for found in _CALENDAR.findall(sentence)
    )


def _names_another(question: str, sentence: str) -> bool:
    asked = set(re.findall(r"\w+", question.casefold()))
    return any(name.casefold() not in asked for name in _NAME.findall(sentence))
