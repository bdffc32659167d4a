"""Find what points back in a question: "it", "its", "that option", "one", "there", "he".

An "it" that stands for nothing does not: "Is it safe to …?".
"""

from __future__ import annotations

import re
from typing import Final

from pipeline.question.follow_up.words import Words, find, words_of

#: "it" that stands for nothing: "Is it safe to …?", "How long does it take to …?", "What time is it?"
NOTHING: Final = re.compile(
    r"\bit (?:is |was |be )?(?:\w+ ){0,2}(?:to(?= \w)|that|if|when|whether|like)\b|\b(?:what time|how late) is it\b"
    r"|\bit (?:rain|snow)\w*|\bes (?:gibt|geht|regnet|möglich|erlaubt)\b|\b(?:gibt|geht|regnet) es\b"
    r"|\bes\b.*\b(?:zu \w+|\w+zu\w+)en\b"
    r"|\bil (?:y a|faut|est possible)\b|\best-il possible\b",
    re.IGNORECASE,
)
#: "there" that stands for no place: "Which colours are there?"; behind other questions it may
EXISTS: Final = re.compile(
    r"^(?P<what>(?:which|what|how many|how much) (?!else\b|more\b)\w.* (?:is|are|was|were)) there$", re.IGNORECASE
)
#: "to build": what is built was said before
_NO_OBJECT: Final = re.compile(r"\bit (?:\w+ ){1,2}to (?!be\b)\w+$|\bes\b.*\bzu (?-i:[a-zäöüß]+en)$", re.IGNORECASE)
#: "Où est-il né", and not "Où le poète est-il né"
_INVERTED: Final = (
    r"^(?:(?:{asking})(?: de temps)? )?(?!a-t|y |faut|est-il possible|existe)[\w'’]+(?:-t)?-(?:il|elle)s?\b"
)
#: words for what a program is made of
THINGS: Final = (
    r"options?|flags?|commands?|functions?|files?|settings?|methods?|modules?|packages?|parameters?|variables?|programs?|tools?"
    r"|keys?|menus?|drivers?|fields?|option|befehl|datei|einstellung|funktion|paket|programm"
)
#: behind a word that stands for a whole thing or event
_ALONE: Final = (
    r"(?=$| (?:from|than|to|is|are|was|were|be|do|does|mean|happen|work|apply|true|so|too|also|needed|necessary)\b"
    r"| (?:in|on|at|for|with|by)\b| \w+ed$)"
)
DAR: Final = "dar?(?:von|für|mit|in|auf|zu|bei|nach|über|an|gegen|durch)"


def points_back(text: str, lang: str) -> bool:
    """Return whether a question has a word that stands for something it does not name."""
    words = words_of(lang)
    return _pronoun(NOTHING.sub(hidden, text), lang, words) is not None


def lacks_object(text: str) -> bool:
    """Return whether a question ends with a verb for what was said before: "What does it cost to build"."""
    return _NO_OBJECT.search(text) is not None


def hidden(nothing: re.Match[str]) -> str:
    """Return an "it" that stands for nothing so that it is not taken for one that does."""
    return re.sub(r"\b(it|es|il)\b", r"\1_", nothing.group(), flags=re.IGNORECASE)


def _pronoun(text: str, lang: str, words: Words) -> re.Match[str] | None:
    back = f"{words.pronouns}|{words.possessives}"
    if lang == "en":
        back += rf"|(?:that|this|these|those){_ALONE}|(?:that|this|these|those) (?:{THINGS})"
        back += r"|(?:another|the (?!only)\w+|which|new|add|make|get|need|buy|find|use|rent|order|have|there) ones?"
        back += r"(?! of th)"
        back += r"|(?!chapter|number|type|day|part|level|phase|any|every|some|no|this|that)[a-z]+ one$"
        back += r"|(?:(?<=is )|(?<=was )|(?<=does )|(?<=will ))(?:that|this)(?= \w+(?:$| (?:to|for|in|on|with)\b))"
        back += r"|the same(?=$| (?:for|with|on|in|to|thing)\b)|there$|then$|the (?:former|latter|first one|second one)"
    elif lang == "de":
        back += rf"|{DAR}|dort|dasselbe|das gleiche|(?:die|den|das|dem)(?=$| [a-zäöüß]+en$)"
        back += r"|das(?=$| (?:auch|so|nötig)\b| (?-i:[a-zäöüß]+)$)"
        back += r"|ein(?:e[nrms]?|s)(?=$| (?:an|ab|auf|aus|ein|zu|[a-zäöüß]+en)$)"
        # "Sie" is polite, and "ihr" may be
        return re.search(rf"(?<![\w-])(?:{back})(?![\w-])", text) or re.search(r"^(?:Sein|Ihr)e?\b(?= [A-ZÄÖÜ])", text)
    elif lang == "fr" and (
        inverted := re.search(rf"^c['’]est\b|{_INVERTED.format(asking=words.asking)}", text, re.IGNORECASE)
    ):
        return inverted
    return find(back, text)
