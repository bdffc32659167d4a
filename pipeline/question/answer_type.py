"""Find the kind of thing a question asks for, and rate how well a sentence gives one that the question does not."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from text.sentences import sentence_spans

AnswerType = Literal["time", "money", "number", "name", "place", "reason", "way", "symbol", "any"]

#: quantities: a number answers, whatever question word is used
_MEASURES = (
    r"(?:height|depth|length|width|speed|weight|size|area|population|temperature|distance|output|rate|percentage|amount"
    r"|number|age|capacity|voltage|pressure|rainfall|diameter|range|gust|total|average|maximum|minimum|precision)"
)
_ASKS: tuple[tuple[AnswerType, str], ...] = (
    (
        "way",
        r"how (?:(?:do|can|could|should|would|must|may) (?:i|you|we|one|my|your|a|someone)|to)"
        r"|wie (?:kann|soll|sollte|muss|mach\w*|bekomm\w*|stell\w*"
        r"|werd\w*|hol\w*|lös\w*|änder\w*) (?:ich|man|wir)"
        r"|^comment(?! s['’]appell)|^¿?cómo(?! se llama)|^come (?:si|posso|faccio|devo|\w+[aei]re)(?!\w)"
        r"|^como (?:posso|se|faço|devo|\w+[aei]r)(?!\w)",
    ),
    (
        "time",
        # in the present a condition may be asked for: "When does the cache expire?"
        r"^(?:since |until |from )?when(?! (?:does|do|are|can|could|should|would|must|is an?)(?!\w))"
        r"|(?:what|which) (?:year|date|day|month|decade|century)"
        r"|^(?:seit |bis |ab )?wann(?! (?:wird|werden|soll\w*|muss|müssen|kann|können|darf|dürfen|ist eine?)(?!\w))"
        r"|welche[mnrs]? (?:jahr\w*|tag|datum|monat|jahrhundert)"
        # in the present a condition may be asked for: only the past asks for a time
        r"|^quand (?:\S+ )*?(?:a|ont|furent|fut|était|est-ce qu\S+ (?:\S+ )?(?:a|ont))(?!\w)"
        r"|^¿?cuándo (?:\w+(?:ó|aron|ieron)|fue(?:ron)?|nació|murió)(?!\w)"
        r"|^quando (?:è stat\w|fu(?:rono)?|\w+ò|nacque|morì)(?!\w)"
        r"|^quando (?:foi|foram|\w+(?:ou|eu|iu))(?!\w)"
        r"|^(?:en|de) quelle année|^¿?en qué año|^in (?:che|quale) anno|^em que ano",
    ),
    (
        "money",
        r"how much (?:does|do|did|is|was|would|money)(?: .+)? (?:cost|pay|paid|charged?|worth|price|fare|ticket|fee)\w*"
        r"|what (?:is|was|are|were|does|do|did) .*(?:price|cost|fare|fee|costs)"
        r"|was kostet|wie ?viel (?:kostet|kosten)|wie teuer"
        r"|^combien (?:ça |cela )?co[uû]te|^quel est le prix|cuánto (?:cuesta|vale)|quanto (?:costa|custa)",
    ),
    (
        "number",
        r"how (?:many|much|long|far|old|tall|big|large|often|high|fast|deep|wide|heavy)|what (?:percent\w*)"
        rf"|what (?:is|was|are|were) (?:\S+ ){{1,3}}?{_MEASURES}|(?:at )?(?:what|which) {_MEASURES}"
        r"|numeric(?:al)? value|number of|wie ?(?:viele?|lange|weit|alt|hoch|groß|oft|schnell|tief|breit|schwer)"
        r"|welche anzahl"
        r"|^combien(?! (?:\S+ )?co[uû]te)|cuánt[oa]s?(?! (?:cuesta|vale))|^quant[oiae]s?(?! (?:costa|custa))",
    ),
    (
        "place",
        r"^(?:from |to |and |near )?where|where$|(?:what|which) (?:city|country|state|place|town)"
        r"|^(?:wo|wohin|woher)|welche[mnrs]? (?:stadt|land|ort)"
        r"|^(?:d['’])?où|^¿?(?:a)?d[oó]nde|^dove|^(?:a)?onde",
    ),
    (
        "name",
        r"^(?:by |for |to |with |and |in )?(?:who|whom|whose)|by whom|who$"
        r"|(?:what|which) (?:person|man|woman|king|queen)"
        r"|^(?:wer|wen|wem|wessen)|^(?:à |de |par )?qui|^¿?(?:a |de |por )?qui[eé]n(?:es)?"
        r"|^(?:da |di )?chi|^(?:de |por )?quem",
    ),
    (
        "symbol",
        r"(?:what|which) (?:\w+ )?(?:function|method|class|module|exception|error|flag|option|argument|parameter"
        r"|attribute|command|decorator|constant|keyword|operator|setting|variable)"
        r"|welche[mnrs]? (?:funktion|methode|klasse|option|ausnahme|befehl|modul)",
    ),
    (
        "reason",
        r"why|what (?:is|was) the reason|^(?:warum|weshalb|wieso)|aus welchem grund"
        r"|^pourquoi|^¿?por qué|^perché|^por qu[eê]|^porqu[eê]",
    ),
)
_ASKED = tuple((kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)) for kind, words in _ASKS)

_SEVERAL = re.compile(
    r"(?<!\w)(?:(?:what|which)(?: \w+){0,3} (?:are|were|do|have|can|should|must|may)(?!\w)"
    r"|^(?:please )?(?:list|name|enumerate) (?:the|all)"
    r"|what (?:are|were|goes|belongs|comes)|steps|welche(?! (?:ist|war))(?!\w)|nenne|quel(?:le)?s)(?!\w)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|dozen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|half|hundreds?|thousands?|millions?|billions?|twice|once"
    r"|single|zero|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|\w+zig|hundert|tausend"
    r"|million(?:en)?|milliarden?|ein(?:e[rmns]?)? (?:drittel|viertel|halb\w*))\b",
    re.IGNORECASE,
)
#: "may" and "march" are other words when they are not capitalised
_CALENDAR = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?i:noon|midnight|centur(?:y|ies)|decades?|spring|summer|autumn|winter)"
    r"|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tags?|Mittwochs?"
    r"|Jahrhunderts?|Frühling|Herbst|Sommer|Winter|\d{3,4}s?|\d{1,2}:\d\d|age \d+"
    r"|\d+(?:[.:]\d\d)? ?(?:(?i:uhr|[ap]m|o['’]clock|years?|months?|weeks?|days?|hours?|minutes?"
    r"|jahren?|monaten?|wochen?|tagen?"
    r"|stunden?|minuten?|ans|mois|semaines?|jours?|heures?|h)))\b"
)
#: what a thing costs is said in any unit: "It costs 20 pieces of gold."
_COSTS = re.compile(
    r"\b(?:cost\w*|pric\w+|pay|pays|paid|charg\w+|fees?|fares?|gold|kost\w+|preis\w*|gebühr\w*|co[uû]te\w*|prix|cuesta\w*"
    r"|precio\w*|prezz\w+|custa\w*|preço\w*)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[£$€¥]|\b(?:pounds?|dollars?|euros?|cents?|pence|francs?|marks?|pfund|mark|franken|free|kostenlos|million"
    r"|billion)\b",
    re.IGNORECASE,
)
#: a capitalised word that does not begin the sentence
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÁÉÍÓÚ][\w’'-]+")
#: two of them in a row, anywhere
_FULL_NAME = re.compile(r"(?<![\w’'.-])[A-ZÄÖÜ][\w’'.-]+ (?:(?:von|van|de|der|of|the|al|bin) )*[A-ZÄÖÜ][\w’'-]+")
#: the things that "how many" counts
_COUNTED = re.compile(r"(?:how many|number of|wie ?viele?) ((?:[^\W\d_]+ ?){1,3})", re.IGNORECASE)
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][\w'-]*")
#: words after a number that may name the thing counted; letters that two forms of a word share
_UNIT_WITHIN, _STEM = 4, 5
#: the fit of a number of something else, and of a single capitalised word
_SOME_NUMBER, _SOME_NAME = 0.4, 0.4
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
#: a name in code: called, dotted, with an underscore, in camel case, an option
_SYMBOL = re.compile(r"[A-Za-z_][\w.]*(?=\()|\w+(?:\.\w+)+|\w+_\w+|[A-Z][a-z]+[A-Z]\w+|(?<!\w)--?[a-z][\w-]*|[A-Z]{3,}")
_WAY = re.compile(
    r"\w\(|\w\.\w+|>>>|\b(?:use|uses|using|call|by|with|can|must|should|to|kann|muss|mit|durch)\b", re.IGNORECASE
)


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
    return next((kind for kind, pattern in _ASKED if pattern.search(question)), "any")


def asks_for_all(question: str) -> bool:
    """Return whether a question asks how to do something, or for several things: a whole list, or steps, answers."""
    return answer_type_of(question) == "way" or _SEVERAL.search(last_question(question)) is not None


def rate_fit(kind: AnswerType, question: str, sentence: str) -> float:
    """Return how well a sentence gives such a thing, [−1, 1]: 1 surely, −1 not at all; 0 when ``kind`` is "any"."""
    if kind == "any":
        return 0.0
    if kind == "number":
        return _number_fit(question, sentence)
    if kind == "name":
        return _name_fit(question, sentence)
    return 1.0 if _holds(kind, question, sentence) else -1.0


def _holds(kind: AnswerType, question: str, sentence: str) -> bool:
    if kind == "place":
        return bool(_PLACE.search(sentence))
    if kind == "reason":
        return bool(_REASON.search(sentence))
    if kind == "way":
        return bool(_WAY.search(sentence))
    if kind == "symbol":
        return any(symbol.casefold() not in question.casefold() for symbol in _SYMBOL.findall(sentence))
    new = set(_DIGITS.findall(sentence)) - set(_DIGITS.findall(question))
    if kind == "money":
        amount = bool(new or _NUMBER_WORDS.search(sentence) or "free" in sentence)
        return amount and bool(_MONEY.search(sentence) or _COSTS.search(sentence))
    found = [_DIGITS.match(each) for each in _CALENDAR.findall(sentence)]
    return any(digits is None or digits[0] in new for digits in found)


def _number_fit(question: str, sentence: str) -> float:
    """Rate a number of the counted thing 1, another number less, and none, a year or the question's own number −1."""
    asked = set(_DIGITS.findall(question))
    words = _TOKEN.findall(sentence)
    numbers = [at for at, word in enumerate(words) if is_number(word) and word not in asked]
    counted = _COUNTED.search(question)
    stems = {word.casefold()[:_STEM] for word in counted[1].split()} if counted else set()
    fits = any(word.casefold()[:_STEM] in stems for at in numbers for word in words[at + 1 : at + 1 + _UNIT_WITHIN])
    if not fits and all(_YEAR.fullmatch(words[at]) for at in numbers):
        return -1.0
    return 1.0 if fits or counted is None else _SOME_NUMBER


def is_number(word: str) -> bool:
    """Return whether a word is a number, in digits or letters."""
    return word[0].isdigit() or bool(_NUMBER_WORDS.fullmatch(word.partition("-")[0]))


def _name_fit(question: str, sentence: str) -> float:
    """Rate a full name 1, a single capitalised word less, and none or the question's own name −1."""
    asked = set(re.findall(r"\w+", question.casefold()))
    if any(asked.isdisjoint(re.findall(r"\w+", name.casefold())) for name in _FULL_NAME.findall(sentence)):
        return 1.0
    return _SOME_NAME if any(name.casefold() not in asked for name in _NAME.findall(sentence)) else -1.0
