"""The shapes of questions in English and German, and the same asked or stated in other words.

A wording is a sentence, or the beginning of one: where a rule would leave a verb or a case in the wrong place, it does
not fit, and the question has one wording less.
"""

from __future__ import annotations

from typing import Final

from text.languages import any_of

#: "what" is followed by no noun there: neither "which does it cost" nor "the does it cost" is a wording
_VERB = r"(?:do|does|did|can|could|will|would|should|must|has|have|had|happens?|happened)\b"
#: "how much" and "how many" ask there for no noun: "what amount of is" is no wording
_NO_NOUN = rf"(?:is|are|was|were|of|to|more|less|longer|{_VERB[:-2]})\b"
#: a noun: German verbs stand there too, and adjectives that would need another ending, and both are small
_NOUN = r"(?-i:(?=[A-ZÄÖÜ]))"
_COSTS = r"how much (?:do|does|did|will|would) (.+?) cost\b ?(.*)"
_IS_MONEY = (
    r"((?:the|a|an|my|our|your|its|their|\S+['’]s) (?:\w+ )?(?:fee|fare|price|rent|charge|fine|tax|deposit)s?\b.*)"
)
_HAS_PRICE = r"how much (?:is|are|was|were) ((?:the|an?|one|it|they|\d+)\b(?! (?:left|known)\b).*)"

#: what stands behind "the" in a statement: a verb that follows its subject, and no "does the ferry carry" or "is it"
_OTHER_SUBJECT = r"(?:i|you|he|she|it|we|they|there|(?-i:[A-Z]\w*))"
_DETERMINED = rf"(?:{_OTHER_SUBJECT}|the|an?|this|that|these|those|my|your|our|his|her|its|their|\w+['’]s)"
_STATED = (
    r"(?!.*\b(?:do|does|did|can|could|will|would|should|must|may|might)\b)"
    rf"(?!.*\b(?:has|have|had) {_OTHER_SUBJECT}\b)(?!.*\b(?:is|are|was|were) {_DETERMINED}\b)(.+)"
)
#: a thing or person: neither "the tower made of" nor "it called" is one
_THING = (
    r"(?!(?:i|you|he|she|it|we|they|there)\b)"
    r"(?!.*\b(?:of|for|in|on|at|to|from|with|by|about|like|called|named|made|used|known)$)"
)
#: a German noun without an article, whose case needs no ending
_BARE = r"(?!(?:de[rmns]|die|das|eine?[mnrs]?|(?:m|d|s|uns|eu|ihr|k)eine?[mnrs]?|ihre?[mnrs]?|diese[mnrs]?)\b)"
#: a German noun alone that is the same after "für" and after "zwischen"
_SAME_IN_DATIVE = r"((?-i:[A-ZÄÖÜ])\w*(?:n|s|ie|ik|heit|keit|ung|schaft|tät))"
#: a German sentence whose verb goes to its end behind "die": it has one part, and its verb is whole
_PREFIX = "an|ab|auf|aus|bei|ein|fest|her|hin|los|mit|nach|statt|teil|um|vor|weg|zu|zurück|zusammen"
_VERB_AND_REST = rf"(\w+)(?!.* (?:{_PREFIX})$) ([^,;:]+)"

#: question shape → the same question asked another way
PARAPHRASES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "en": (
        (r"how (?:do|can|could|should|would) (?:i|you|we|one) (.+)", "what is the way to {0}"),
        (r"how to (.+)", "what is the way to {0}"),
        (r"what(?: is|'s) the (?:difference|distinction) between (.+)", "how do {0} differ"),
        (r"what (?:is|are) the (?:causes?|reasons?) (?:of|for) (.+)", "what led to {0}"),
        (r"what (?:does|do) (.+?) do", "what is the purpose of {0}"),
        (r"what (?:does|do) (.+?) mean", "what is the meaning of {0}"),
        (rf"what (?:is|are|was|were) {_THING}((?:the|\S+['’]s) .+)", "can you name {0}"),
        (rf"what (?:is|are) {_THING}(.+)", "what is meant by {0}"),
        (r"who (?:is|was) (.+)", "which person is {0}"),
        (r"who (.+)", "which person {0}"),
        (r"when (did|was|were) (.+)", "in what year {0} {1}"),
        (r"when (is|are|does|do|will) (.+)", "under what conditions {0} {1}"),
        (r"where (did|was|were|is|are|does|do|can|will) (.+)", "in what place {0} {1}"),
        (r"why (.+)", "for what reason {0}"),
        (rf"how many (?:of )?(?!{_NO_NOUN})(.+)", "what number of {0}"),
        (_COSTS, "what is the price of {0} {1}"),
        (rf"how much (is|are|was|were) {_IS_MONEY}", "how high {0} {1}"),
        (_HAS_PRICE, "what is the price of {0}"),
        (rf"how much (?:of )?(?!{_NO_NOUN})(.+)", "what amount of {0}"),
        (r"which (.+)", "what {0}"),
        (rf"what (?!(?:is|are|was|were)\b)(?!{_VERB})(.+)", "which {0}"),
    ),
    "de": (
        (r"wie (?:kann|soll|sollte|muss) (?:ich|man) (.+)", "auf welche Weise kann man {0}"),
        (r"(?:was|wie) denke ich über (.+)", "was ist meine Perspektive auf {0}"),
        (r"wie verstehe ich (.+)", "wie sehe ich {0}"),
        (rf"was ist der unterschied zwischen {_BARE}(.+)", "worin unterscheiden sich {0}"),
        (r"was sind die (\w+) von (.+) für (.+)", "welche {0} ergeben sich aus {1} für {2}"),
        (rf"was (?:ist|sind) {_BARE}(.+)", "was versteht man unter {0}"),
        (rf"was bedeutet {_BARE}(.+)", "was ist die Bedeutung von {0}"),
        (r"wer (?:ist|war) (.+)", "welche Person ist {0}"),
        (r"wer (.+)", "welche Person {0}"),
        (r"wann ((?:wird|werden|soll|sollte|muss|kann|darf) .+)", "unter welchen Bedingungen {0}"),
        (r"wann (.+)", "in welchem Jahr {0}"),
        (r"wo (.+)", "an welchem Ort {0}"),
        (rf"(?:{any_of('why', 'de')}) (.+)", "aus welchem Grund {0}"),
        (r"wie ?viel (kostete?[tn]?|kosten) (.+)", "was {0} {1}"),
        (r"wie ?viel (ist|sind|war|waren) (.+)", "wie hoch {0} {1}"),
        (r"wie ?viel beträgt (.+)", "wie hoch ist {0}"),
        (rf"wie ?viele {_NOUN}(.+)", "welche Anzahl {0}"),
        (rf"wie ?viel {_NOUN}(.+)", "welche Menge {0}"),
        (r"welches ((?-i:[A-ZÄÖÜ]).+)", "was für ein {0}"),
        (r"welchem (.+)", "was für einem {0}"),
    ),
}

#: question shape → the beginning of a statement or heading that would answer it
SHIFTS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "en": (
        (r"how (?:do|can|could|should|would) (?:i|you|we|one) (.+)", "the way to {0}"),
        (r"how to (.+)", "the way to {0}"),
        (r"what(?: is|'s) the difference between (.+)", "the difference between {0} is"),
        (r"what does (.+) mean", "{0} means"),
        (r"what do (.+) mean", "{0} mean"),
        (r"what does (.+?) do", "{0} is used to"),
        (rf"what (is|are|was|were) {_THING}(.+)", "{1} {0}"),
        (rf"who (is|was) {_THING}(.+)", "{1} {0}"),
        (rf"who (?!(?:is|was|were)\b){_STATED}", "the person who {0}"),
        (rf"how many (?:of )?(?!{_NO_NOUN})(.+?) (?:are|were) there\b ?(.*)", "the number of {0} {1}"),
        (_COSTS, "the price of {0} {1}"),
        (rf"how much (is|are|was|were) {_IS_MONEY}", "{1} {0}"),
        (_HAS_PRICE, "the price of {0}"),
        (rf"how much (?:of )?(?!{_NO_NOUN})(.+?) (?:is|was) there\b ?(.*)", "the amount of {0} {1}"),
        (rf"(?:which|what) (?!(?:is|are|was|were)\b)(?!{_VERB}){_STATED}", "the {0}"),
    ),
    "de": (
        (r"wie (?:kann|soll|sollte|muss) (?:ich|man) (.+)", "so kann man {0}"),
        (r"(?:was|wie) denke ich über (.+)", "meine Meinung zum Thema {0} wäre"),
        (r"wie verstehe ich (.+)", "mein Verständnis: {0}"),
        (rf"was sind die (\w+) von (.+) für {_SAME_IN_DATIVE}", "die Beziehung zwischen {1} und {2}"),
        (r"was sind die (\w+) von (.+) für (.+)", "die {0} von {1} für {2}"),
        (r"was ist der unterschied zwischen (.+)", "der Unterschied zwischen {0} ist"),
        (r"was (ist|sind|war|waren) (?!(?:er|sie|es|ich|du|wir|ihr|man)\b)(.+)", "{1} {0}"),
        (r"was bedeutet (.+)", "{0} bedeutet"),
        (r"wer (ist|war) (.+)", "{1} {0}"),
        (rf"wer {_VERB_AND_REST}", "die Person, die {1} {0}"),
        (rf"wann {_VERB_AND_REST}", "der Zeitpunkt, zu dem {1} {0}"),
        (rf"wo {_VERB_AND_REST}", "der Ort, an dem {1} {0}"),
        (rf"(?:{any_of('why', 'de')}) {_VERB_AND_REST}", "der Grund, aus dem {1} {0}"),
        (r"wie ?viel (?:kostete?[tn]?|kosten) (.+)", "der Preis: {0}"),
        (r"wie ?viel (ist|sind|war|waren) (.+)", "{1} {0}"),
        (r"wie ?viel beträgt (.+)", "{0} beträgt"),
        (rf"wie ?viele {_NOUN}(.+?) gibt es\b ?(.*)", "die Anzahl {0} {1}"),
        (rf"wie ?viel {_NOUN}(.+?) gibt es\b ?(.*)", "die Menge {0} {1}"),
        (r"welche (.+) gibt es\b ?(.*)", "es gibt {1} {0}"),
    ),
}
