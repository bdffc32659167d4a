"""Find what points back in a question, and replace it: "it", "its", "that option", "one", "there", "he".

An "it" that stands for nothing does not point back: "Is it safe to …?".
"""

import re
from collections.abc import Sequence
from typing import Final

from domain.question import Turn
from pipeline.question.entities import find_entities
from pipeline.question.follow_up.frame import Frame, phrases
from pipeline.question.follow_up.phrase import (
    BE,
    Words,
    bare,
    before_preposition,
    begins_with,
    definite,
    find,
    head_of,
    is_plural,
    words_of,
)

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
#: what the asker has or wants, and does nothing to
_HAVING: Final = ("need", "have", "get", "want", "know", "see", "find")
_PERSON: Final = r"he|him|his|she|her"
#: the articles of what a German pronoun may stand for
_MASCULINE: Final = "der|den|dem|ein|einen|einem|mein|meinen|meinem"
_AGREEING: Final = {
    "er": _MASCULINE,
    "ihn": _MASCULINE,
    "ihm": f"{_MASCULINE}|das",
    "sie": "die|der|eine|einer|meine|meiner",
    "es": "das|dem|ein|einem|mein|meinem",
}
_GERMAN_ARTICLES: Final = {"e": "die", "en": "den", "em": "dem", "er": "der", "es": "des", "": "der"}
#: words of a topic that may take "'s"
_MOST_POSSESSIVE: Final = 3


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
        back += r"|the same(?=$| (?:for|with|on|in|to|thing)\b)|there$|then$|the (?:former|latter|first one|second one)"
    elif lang == "de":
        back += rf"|{DAR}|dort|dasselbe|das gleiche|(?:die|den|das|dem)(?=$| [a-zäöüß]+en$)"
        back += r"|ein(?:e[nrms]?|s)(?=$| (?:an|ab|auf|aus|ein|zu|[a-zäöüß]+en)$)"
        # "Sie" is polite, and "ihr" may be
        return re.search(rf"(?<![\w-])(?:{back})(?![\w-])", text) or re.search(r"^(?:Sein|Ihr)e?\b(?= [A-ZÄÖÜ])", text)
    elif lang == "fr" and (
        inverted := re.search(rf"^c['’]est\b|{_INVERTED.format(asking=words.asking)}", text, re.IGNORECASE)
    ):
        return inverted
    return find(back, text)


def resolve(text: str, last: Frame, turn: Turn, lang: str) -> str:
    """Return the question with what its words stand for in their place, or behind it in brackets."""
    resolved = _resolved(NOTHING.sub(hidden, text), last, turn, lang)
    return re.sub(r"\b(it|es|il)_", r"\1", resolved, flags=re.IGNORECASE)


def _resolved(text: str, last: Frame, turn: Turn, lang: str) -> str:
    words = words_of(lang)
    named = _thing_said(text, last, turn)
    if named != text:
        return named
    if said := _said_of_all(text, last, turn, lang):
        return said
    topic = _topic(text, last, turn, lang)
    replaced = text
    if lang == "en":
        replaced = _english(text, topic, last, words)
    elif lang == "de":
        replaced = _german(text, topic, words)
    if replaced == text:
        done = last.action if last.verb else last.content
        about = done if find("that|this|das|dies|then", text) else last.content if find("ones?", text) else topic
        return f"{text} ({about})"
    return _with_names(replaced, last)


def _said_of_all(text: str, last: Frame, turn: Turn, lang: str) -> str:
    """Return the question with the whole of what was asked or answered before, where it is about that; else ""."""
    goes = begins_with(words_of(last.lang).prepositions, last.object)
    if last.verb and (last.verb not in _HAVING or goes) and re.search(r"\bit (?:cost|take)$", text):
        return f"{text} to {last.action}"
    if turn.short_answer and find("where|wo|où", last.asking) and find("there|that|dort|là|là-bas", text):
        return f"{text} ({turn.short_answer})"
    someone = last.asking.casefold() == "wer" and not begins_with(BE, last.rest)
    return f"{text} ({last.text})" if someone and not turn.short_answer and not _agreeing(text, last) else ""


def _topic(text: str, last: Frame, turn: Turn, lang: str) -> str:
    """Return what the pronoun of a question stands for: whom the answer names, or a phrase of the question before."""
    asked_who = find("who|whom|wer|wen|qui|quién|chi|quem", last.asking)
    if turn.short_answer and asked_who and (find(_PERSON, text) or (lang == "de" and not _agreeing(text, last))):
        return turn.short_answer
    return _asked_for(text, last, turn) or definite(_referent(text, last, words_of(lang)), last.lang)


def _asked_for(text: str, last: Frame, turn: Turn) -> str:
    """Return what the question before asked for, where that does something: "the service that answers DNS"; else ""."""
    if last.lang != "en" or begins_with("do|does|did|can|could|should|must|may|will|would", last.rest):
        return ""
    if find(_PERSON, text):
        return f"the person who {last.rest}" if find("who", last.asking) and not begins_with(BE, last.rest) else ""
    noun = re.fullmatch(r"(?:which|what) (\w+)", last.asking, re.IGNORECASE)
    if noun and turn.short_answer[:1].isupper():
        return turn.short_answer
    if noun is None or begins_with(BE, last.rest) or (is_plural(noun[1]) != bool(find("they|them|their", text))):
        return ""
    that = "" if begins_with(words_of("en").prepositions, last.rest) else "that "
    return f"the {noun[1]} {turn.short_answer}" if turn.short_answer else f"the {noun[1]} {that}{last.rest}"


def _referent(text: str, last: Frame, words: Words) -> str:
    """Return the phrase of the question before that a pronoun stands for.

    "They" are several; what was newly named ("a logo") rather than a name, unless it is to do something ("can it …?").
    """
    named = phrases(last)
    if find("they|them|their", text) and last.lang == "en":
        several = _several(named, last)
        if several and not is_plural(head_of(last.subject or last.object, words_of("en"))):
            return several
    new = [phrase for phrase in named if begins_with(words_of(last.lang).indefinite, phrase)]
    acts = find(rf"(?:do|does|did|can|could|will|would|kann|wird) (?:{words.pronouns})", text)
    starts_elsewhere = last.verb and new and not last.object.startswith((*new, "the ", "my ", "its ", "their "))
    if new and (
        (last.subject in last.names and not acts and last.lang == "en") or (starts_elsewhere and " " in last.object)
    ):
        return new[-1] if not last.verb or not last.names or last.object.split()[0] not in last.names else last.object
    return last.subject or last.object or last.named


def _agreeing(text: str, last: Frame) -> str:
    """Return the German phrase of the question before whose article agrees with the pronoun; "" where none does."""
    pronoun = re.search(r"(?<![\w-])(er|ihn|ihm|sie|es)(?![\w-])", text)
    if last.lang != "de" or pronoun is None:
        return ""
    articles = _AGREEING[pronoun[1]]
    named = (last.subject, last.object, *phrases(last))
    return next((phrase for phrase in named if re.match(rf"(?:{articles}) ", phrase, re.IGNORECASE)), "")


def _several(named: Sequence[str], last: Frame) -> str:
    """Return what the English question before says of several things: with a determiner, asked for, or bare; or ""."""
    words = words_of("en")
    determined = [phrase for phrase in named if is_plural(head_of(phrase, words))]
    asked = re.search(r"(?:which|what|how many) (\w+)$", last.asking, re.IGNORECASE)
    if determined or (asked and is_plural(asked[1])):
        return determined[-1] if determined else f"the {asked[1]}" if asked else ""
    bare_ones = [word for word in last.rest.split()[1:] if is_plural(word) and word.islower()]
    return bare_ones[-1] if bare_ones else ""


def _thing_said(text: str, last: Frame, turn: Turn) -> str:
    """Return the question with the name that the answer gave a thing: "that option" → "the option --no-cache"."""
    said = turn.short_answer
    found = find(rf"(?:that|this|diese[rsnm]?) ({THINGS})", text)
    if not said or found is None or found[1].casefold()[:4] not in last.text.casefold():
        return text
    article = "the " if found.group().casefold().startswith(("th",)) else ""
    return f"{text[: found.start()]}{article}{found[1]} {said}{text[found.end() :]}"


def _english(text: str, topic: str, last: Frame, words: Words) -> str:
    one = find(r"which (?:one|of them|of the two|of these)", text)
    if one := find(r"(?:another |a (?:new|different|second) )?ones?", text):
        noun = _kind_of(last.object or last.subject, words)
        if noun and noun not in last.names and not (one.group().endswith("ones") and not is_plural(noun)):
            of = one.group().rsplit(" ", 1)[0] if " " in one.group() else "a"
            return f"{text[: one.start()]}{of} {noun}{text[one.end() :]}"
    text = re.sub(r"\bher(?=$| (?:in|on|at|for|by|with)\b)", "him", text)
    text = re.sub(r"\b(?:its|their|his|her) (?=\w)", lambda _: _possessive(topic), text, count=1, flags=re.IGNORECASE)
    return re.sub(
        r"(?<![\w'’])(?:it|they|them|he|she|him)(?![\w’'])", lambda _: topic, text, count=1, flags=re.IGNORECASE
    )


def _kind_of(phrase: str, words: Words) -> str:
    """Return what "one" stands for, without its article and what follows: "bus pass" of "a bus pass for children"."""
    phrase = re.sub(rf"^(?:{words.prepositions}) ", "", phrase, flags=re.IGNORECASE)
    plain = re.sub(rf"^(?:{words.determiners}) ", "", before_preposition(phrase, words), flags=re.IGNORECASE)
    return head_of(phrase, words) if begins_with("which|what", phrase) or " " not in plain else plain


def _possessive(topic: str) -> str:
    ending = "'" if topic.endswith("s") else "'s"
    return f"{topic}{ending} " if len(topic.split()) <= _MOST_POSSESSIVE else f"({topic}) "


def _german(text: str, topic: str, words: Words) -> str:
    owner = re.search(r"\b(?:[Ss]ein|[Ii]hr)(e[nmrs]?)? (\w+)", text)
    if owner and owner[2][0].isupper():
        article = _GERMAN_ARTICLES[owner[1] or ""]
        return f"{text[: owner.start()]}{article} {owner[2]} von {topic}{text[owner.end() :]}"
    if alone := re.search(r"\bein(?:e[nrms]?|s)(?=$| (?:an|ab|auf|aus|ein|zu|[a-zäöüß]+en)$)", text):
        return f"{text[: alone.start()]}{topic}{text[alone.end() :]}"
    pronoun = r"\b(?:es|er|sie|ihn|ihm|ihnen|das)\b(?! [A-ZÄÖÜ])|\b(?:die|den|dem)\b(?=$| [a-zäöüß]+en$)"
    return re.sub(pronoun, lambda _: topic, text, count=1)


def _with_names(text: str, last: Frame) -> str:
    """Return the question with the name that the one before was asked about, where it says so: "in KiCad"."""
    if not last.names or any(name.casefold() in text.casefold() for name in last.names):
        return text
    if set(find_entities(text, last.lang)) - set(find_entities(last.text, last.lang)):
        return text  # it names a place of its own
    named = (
        rf"(?:in|on|with|for|from|to|unter|mit|bei|von|nach) (?:[\w'’]+ )?(?:{'|'.join(map(re.escape, last.names))})"
    )
    place = re.search(rf"\b{named}(?: {named})*", last.text)
    return f"{bare(text)} {place.group()}" if place else f"{bare(text)} ({last.names[-1]})"
