"""Find the kind of thing a question asks for, and rate how well a sentence gives one that the question does not."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from pipeline.question.answer_forms import Forms, forms_of
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
        r"|^como (?:posso|se|faço|devo|\w+[aei]r)(?!\w)"
        r"|^hoe \w+ (?:ik|je|men|we|wij|u)(?!\w)",
    ),
    (
        "time",
        # in the present a condition may be asked for: "When does the cache expire?"
        r"^(?:since |until |from )?when(?! (?:does|do|are|can|could|should|would|must|is an?)(?!\w))"
        r"|(?:what|which) (?:year|date|day|month|decade|century)"
        r"|^(?:seit |bis |ab )?wann(?! (?:wird|werden|soll\w*|muss|müssen|kann|können|darf|dürfen|ist eine?)(?!\w))"
        r"|welche[mnrs]? (?:jahr\w*|tag|datum|monat|jahrhundert)"
        # in the present a condition may be asked for: only the past asks for a time
        r"|^quand (?:\S+ )*?(?<!y )(?:a|ont|furent|fut|était|est-ce qu\S+ (?:\S+ )?(?:a|ont))(?!\w)"
        r"|^¿?cuándo (?:se )?(?:\w+(?:ó|aron|ieron)|fue(?:ron)?|nació|murió)(?!\w)"
        r"|^quando (?:è stat\w|fu(?:rono)?|\w+ò|nacque|morì)(?!\w)"
        r"|^quando (?:foi|foram|\w+(?:ou|eu|iu))(?!\w)"
        r"|^wanneer (?:is(?! een)|was|werd|werden|begon|eindigde|stierf)(?!\w)"
        r"|^(?:en|de) quelle année|^¿?en qué año|^in (?:che|quale) anno|^em que ano|^in welk jaar",
    ),
    (
        "money",
        r"how much (?:does|do|did|is|was|would|money)(?: .+)? (?:cost|pay|paid|charged?|worth|price|fare|ticket|fee)\w*"
        r"|what (?:is|was|are|were|does|do|did) .*(?:price|cost|fare|fee|costs)"
        r"|was kostet|wie ?viel (?:kostet|kosten)|wie teuer"
        r"|^combien (?:ça |cela )?co[uû]te|^quel est le prix|cuánto (?:cuesta|vale)|quanto (?:costa|custa)"
        r"|^wat kost(?:te|en)?|^hoeveel kost(?:te|en)?|^hoe duur",
    ),
    (
        "number",
        r"how (?:many|much|long|far|old|tall|big|large|often|high|fast|deep|wide|heavy)|what (?:percent\w*)"
        rf"|what (?:is|was|are|were) (?:\S+ ){{1,3}}?{_MEASURES}|(?:at )?(?:what|which) {_MEASURES}"
        r"|numeric(?:al)? value|number of|wie ?(?:viele?|lange|weit|alt|hoch|groß|oft|schnell|tief|breit|schwer)"
        r"|welche anzahl"
        r"|^combien(?! (?:\S+ )?co[uû]te)|cuánt[oa]s?(?! (?:cuesta|vale))|^quant[oiae]s?(?! (?:costa|custa))"
        r"|^hoe(?:veel(?! kost)| (?:lang|ver|oud|hoog|groot|vaak|snel|diep|breed|zwaar))",
    ),
    (
        "place",
        r"^(?:from |to |and |near )?where|where$|(?:what|which) (?:city|country|state|place|town)"
        r"|^(?:wo|wohin|woher)|welche[mnrs]? (?:stadt|land|ort)"
        r"|^(?:d['’])?où|^¿?(?:a)?d[oó]nde|^dove|^(?:a)?onde"
        r"|^(?:van |naar )?waar(?:heen|vandaan)?",
    ),
    (
        "name",
        r"^(?:by |for |to |with |and |in )?(?:who|whom|whose)|by whom|who$"
        r"|(?:what|which) (?:person|man|woman|king|queen)"
        r"|^(?:wer|wen|wem|wessen)|^(?:à |de |par )?qui|^¿?(?:a |de |por )?qui[eé]n(?:es)?"
        r"|^(?:da |di )?chi|^(?:de |por )?quem"
        r"|^wie (?:heeft|hebben|is|was|zijn|bouwde|schreef|maakte)",
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
        r"|^pourquoi|^¿?por qué|^perché|^por qu[eê]|^porqu[eê]|^waarom",
    ),
)
_ASKED = tuple((kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)) for kind, words in _ASKS)

_SEVERAL = re.compile(
    r"(?<!\w)(?:(?:what|which)(?: \w+){0,3} (?:are|were|do|have|can|should|must|may)(?!\w)"
    r"|^(?:please )?(?:list|name|enumerate) (?:the|all)"
    r"|what (?:are|were|goes|belongs|comes)|steps|welche(?! (?:ist|war))(?!\w)|nenne|wie lauten|was sind (?:die|alle)"
    r"|quel(?:le)?s|étapes|cuáles|qué \w+s (?:hay|son|existen|puedo|puede[ns]?|debo|debe[ns]?|tienen?|necesito)|pasos"
    r"|quali|passaggi|quais|passos|wat zijn|stappen"
    r"|welke \w+(?:en|s) (?:zijn|bestaan|kan|kun|kunt|kunnen|mag|mogen|moet|moeten|heb|heeft|hebben|worden))(?!\w)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
#: a capitalised word that does not begin the sentence
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÁÉÍÓÚ][\w’'-]+")
#: two of them in a row, anywhere
_FULL_NAME = re.compile(r"(?<![\w’'.-])[A-ZÄÖÜ][\w’'.-]+ (?:(?:von|van|de|der|of|the|al|bin) )*[A-ZÄÖÜ][\w’'-]+")
#: the things that "how many" counts
_COUNTED = re.compile(
    r"(?:how many|number of|wie ?viele?) ((?:[^\W\d_]+ ?){1,3})"
    r"|(?:combien d(?:e |['’])|cu[aá]nt[oa]s |quant(?:[ie]|[oa]s) )"
    r"(?!(?:temps|hay|son|sono|c[ei]|são|há)(?!\w))([^\W\d_]+)"
    r"|hoeveel ([^\W\d_]+(?:en|s))(?!\w)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][\w'-]*")
#: words after a number that may name the thing counted; letters that two forms of a word share
_UNIT_WITHIN, _STEM = 4, 5
#: the fit of a number of something else, and of a single capitalised word
_SOME_NUMBER, _SOME_NAME = 0.4, 0.4
#: a name in code: called, dotted, with an underscore, in camel case, an option
_SYMBOL = re.compile(r"[A-Za-z_][\w.]*(?=\()|\w+(?:\.\w+)+|\w+_\w+|[A-Z][a-z]+[A-Z]\w+|(?<!\w)--?[a-z][\w-]*|[A-Z]{3,}")


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
    counted = _COUNTED.search(question)
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
