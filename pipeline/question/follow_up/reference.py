"""Replace what points back in a question: "it", "its", "that option", "one", "there", "he"."""

from __future__ import annotations

import re
from typing import Final

from domain.question import Turn
from pipeline.question.follow_up.frame import Frame, bare, definite, head_of, phrases
from pipeline.question.follow_up.words import Words, begins_with, find, is_plural, words_of

#: "it" that stands for nothing: "Is it safe to …?", "How long does it take to …?", "What time is it?"
_NOTHING: Final = re.compile(
    r"\bit (?:is |was |be )?(?:\w+ ){0,2}(?:to|that|if|when|whether|like)\b|\b(?:what time|how late) is it\b"
    r"|\bit (?:rain|snow)\w*|\bes (?:gibt|geht|regnet|möglich|erlaubt)\b|\b(?:gibt|geht|regnet) es\b"
    r"|\bes\b.*\bzu \w+en\b"
    r"|\bil (?:y a|faut|est possible)\b|\best-il possible\b",
    re.IGNORECASE,
)
_PERSON: Final = r"he|him|his|she|her"
#: words for what a program is made of
_THINGS: Final = (
    r"options?|flags?|commands?|functions?|files?|settings?|methods?|modules?|packages?|parameters?|variables?|programs?|tools?"
    r"|keys?|menus?|drivers?|fields?|option|befehl|datei|einstellung|funktion|paket|programm"
)
#: behind a word that stands for a whole thing or event
_ALONE: Final = (
    r"(?=$| (?:is|are|was|were|be|do|does|mean|happen|work|apply|true|so|too|also|needed|necessary)\b"
    r"| (?:in|on|at|for|with|by)\b| \w+ed$)"
)
_GERMAN_ARTICLES: Final = {"e": "die", "en": "den", "em": "dem", "er": "der", "es": "des", "": "der"}
#: words of a topic that may take "'s"
_MOST_POSSESSIVE: Final = 3


def points_back(text: str, lang: str) -> bool:
    """Return whether a question has a word that stands for something it does not name."""
    words = words_of(lang)
    return _pronoun(_NOTHING.sub(_hidden, text), lang, words) is not None


def _hidden(nothing: re.Match[str]) -> str:
    """Return an "it" that stands for nothing so that it is not taken for one that does."""
    return re.sub(r"\b(it|es|il)\b", r"\1_", nothing.group(), flags=re.IGNORECASE)


def resolve(text: str, last: Frame, turn: Turn, lang: str) -> str:
    """Return the question with what its words stand for in their place, or behind it in brackets."""
    resolved = _resolved(_NOTHING.sub(_hidden, text), last, turn, lang)
    return re.sub(r"\b(it|es|il)_", r"\1", resolved, flags=re.IGNORECASE)


def _resolved(text: str, last: Frame, turn: Turn, lang: str) -> str:
    words = words_of(lang)
    named = _thing_said(text, last, turn)
    if named != text:
        return named
    person = turn.short_answer if turn.short_answer and find("who|whom|wer|wen|qui|quién|chi|quem", last.asking) else ""
    topic = person if person and find(_PERSON, text) else definite(_referent(text, last, words), last.lang)
    replaced = text
    if lang == "en":
        replaced = _english(text, topic, last, words)
    elif lang == "de":
        replaced = _german(text, topic, words)
    if replaced == text:
        about = last.action if find("that|this|das|dies|then", text) else last.content if find("ones?", text) else topic
        return f"{text} ({about})"
    return _with_names(replaced, last)


def _referent(text: str, last: Frame, words: Words) -> str:
    """Return the phrase of the question before that a pronoun stands for.

    "They" are several; what was newly named ("a logo") rather than a name, unless it is to do something ("can it …?").
    """
    named = phrases(last)
    if find("they|them|their", text) and last.lang == "en":
        several = [phrase for phrase in named if is_plural(head_of(phrase, words_of("en")))]
        if several and not is_plural(head_of(last.subject or last.object, words_of("en"))):
            return several[-1]
    new = [phrase for phrase in named if begins_with(words_of(last.lang).indefinite, phrase)]
    acts = find(rf"(?:do|does|did|can|could|will|would|kann|wird) (?:{words.pronouns})", text)
    starts_elsewhere = last.verb and new and not last.object.startswith((*new, "the ", "my ", "its ", "their "))
    if new and (
        (last.subject in last.names and not acts and last.lang == "en") or (starts_elsewhere and " " in last.object)
    ):
        return new[-1] if not last.verb or not last.names or last.object.split()[0] not in last.names else last.object
    return last.subject or last.object or last.named


def _pronoun(text: str, lang: str, words: Words) -> re.Match[str] | None:
    back = f"{words.pronouns}|{words.possessives}"
    if lang == "en":
        back += rf"|(?:that|this|these|those){_ALONE}|(?:that|this|these|those) (?:{_THINGS})"
        back += r"|(?:another|the \w+|which|new|add|make|get) ones?"
        back += r"|the same|there$|then$|the (?:former|latter|first one|second one)"
    elif lang == "de":
        back += r"|dar?(?:von|für|mit|in|auf|zu|bei|nach|über|an|gegen|durch)|dort|dasselbe|das gleiche"
        back += r"|das(?=$| (?:auch|so|nötig)\b)|eine[nrms]?(?=$| (?:an|ab|auf|aus|ein|zu)$)"
        # "Sie" is polite, and "ihr" may be
        return re.search(rf"(?<![\w-])(?:{back})(?![\w-])", text) or re.search(r"^(?:Sein|Ihr)e?\b(?= [A-ZÄÖÜ])", text)
    return find(back, text)


def _thing_said(text: str, last: Frame, turn: Turn) -> str:
    """Return the question with the name that the answer gave a thing: "that option" → "the option --no-cache"."""
    said = turn.short_answer
    found = find(rf"(?:that|this|diese[rsnm]?) ({_THINGS})", text)
    if not said or found is None or found[1].casefold()[:4] not in last.text.casefold():
        return text
    article = "the " if found.group().casefold().startswith(("th",)) else ""
    return f"{text[: found.start()]}{article}{found[1]} {said}{text[found.end() :]}"


def _english(text: str, topic: str, last: Frame, words: Words) -> str:
    one = find(r"which (?:one|of them|of the two|of these)", text)
    if one and (both := re.search(r"between (.+?) and (.+)|(\S+) or (\S+)", last.text)):
        first, second = (both[1], both[2]) if both[1] else (both[3], both[4])
        return f"{text[: one.start()]}{one.group()}, {first} or {second},{text[one.end() :]}"
    if one := find(r"(?:another |a (?:new|different|second) )?ones?", text):
        noun = head_of(last.object or last.subject or "", words)
        if noun and noun not in last.names and not (one.group().endswith("ones") and not is_plural(noun)):
            of = one.group().rsplit(" ", 1)[0] if " " in one.group() else "a"
            return f"{text[: one.start()]}{of} {noun}{text[one.end() :]}"
    text = re.sub(r"\b(?:its|their|his|her) (?=\w)", lambda _: _possessive(topic), text, count=1, flags=re.IGNORECASE)
    return re.sub(
        r"(?<![\w'’])(?:it|they|them|he|she|him)(?![\w’'])", lambda _: topic, text, count=1, flags=re.IGNORECASE
    )


def _possessive(topic: str) -> str:
    ending = "'" if topic.endswith("s") else "'s"
    return f"{topic}{ending} " if len(topic.split()) <= _MOST_POSSESSIVE else f"({topic}) "


def _german(text: str, topic: str, words: Words) -> str:
    owner = re.search(r"\b(?:[Ss]ein|[Ii]hr)(e[nmrs]?)? (\w+)", text)
    if owner and owner[2][0].isupper():
        article = _GERMAN_ARTICLES[owner[1] or ""]
        return f"{text[: owner.start()]}{article} {owner[2]} von {topic}{text[owner.end() :]}"
    if alone := re.search(r"\beine[nrms]?(?=$| (?:an|ab|auf|aus|ein|zu)$)", text):
        return f"{text[: alone.start()]}{topic}{text[alone.end() :]}"
    return re.sub(r"\b(?:es|er|sie|ihn|ihm|ihnen|das)\b(?! [A-ZÄÖÜ])", lambda _: topic, text, count=1)


def _with_names(text: str, last: Frame) -> str:
    """Return the question with the name that the one before was asked about, where it says so: "in KiCad"."""
    if not last.names or any(name.casefold() in text.casefold() for name in last.names):
        return text
    name = last.names[-1]
    place = re.search(rf"\b(?:in|on|with|for|unter|mit|bei) (?:[\w'’]+ )?{re.escape(name)}", last.text)
    return f"{bare(text)} {place.group()}" if place else f"{bare(text)} ({name})"
