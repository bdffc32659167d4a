"""Complete a follow-up with the question before it: a fragment goes where its kind stands, a pronoun is replaced.

"And on Windows?", "Why?"; "its", "that option", "one", "there", "he". An "it" that stands for nothing does not point
back: "Is it safe to …?".
"""

import re
from collections.abc import Iterator
from typing import Final

from domain.question import Turn
from pipeline.question.follow_up.frame import (
    BE,
    Frame,
    Words,
    before_preposition,
    begins_with,
    find,
    head_of,
    is_plural,
    is_time,
    phrases,
    same_kind,
    words_of,
)

#: what compares, and "than"
_COMPARED: Final = {
    "en": (r"(?-i:[a-z]{3,}er)|worse|(?:more|less) \w+", "than"),
    "de": (r"(?-i:[a-zäöüß]{3,}er)|(?:mehr|weniger) \w+", "als"),
    "fr": (r"(?:plus|moins) \w+|mieux|meilleure?s?|pires?", "que"),
}
#: what one of several things is called without its noun: "the oldest"
_ORDER: Final = r"the (?:\w+ )?(?:\w{3,}est|next|other|best)$"
_DEFINITE: Final = (
    "the|its|their|his|her|der|die|das|den|dem|seine?[nmr]?|ihre?[nmr]?|le|la|les|l['’]|son|sa|ses|leurs?|el|los|las|il|lo"
    "|gli"
)
#: where a fragment may stand in the question before it, begin and end, and what is put there
Place = tuple[int, int, str]
#: "it" that stands for nothing: "Is it safe to …?", "How long does it take to …?", "What time is it?"
_NOTHING: Final = re.compile(
    r"\bit (?:is |was |be )?(?:\w+ ){0,2}(?:to(?= \w)|that|if|when|whether|like)\b|\b(?:what time|how late) is it\b"
    r"|\b(?:gibt|geht|regnet) es\b|\bes (?:gibt|geht|regnet)\b|\bil (?:y a|faut)\b",
    re.IGNORECASE,
)
#: "Où est-il né", and not "Où le poète est-il né"
_INVERTED: Final = (
    r"^(?:(?:{asking})(?: de temps)? )?(?!a-t|y |faut|est-il possible|existe)[\w'’]+(?:-t)?-(?:il|elle)s?\b"
)
#: words for what a program is made of
_THINGS: Final = r"options?|flags?|commands?|functions?|files?|settings?|methods?|modules?|packages?|programs?|tools?"
#: behind a word that stands for a whole thing or event
_ALONE: Final = (
    r"(?=$| (?:from|than|to|is|are|was|were|be|do|does|mean|happen|work|apply|true|so|too|also|needed|necessary)\b"
    r"| (?:in|on|at|for|with|by)\b| \w+ed$)"
)
#: what stands for all that was said
_DONE: Final = "that|this|das|dies|then|the same"
_BACK: Final = {
    "en": rf"(?:that|this|these|those){_ALONE}|(?:that|this|these|those) (?:{_THINGS})|ones?"
    r"|the same(?=$| (?:be|for|with|on|in|to|thing)\b)|(?<!are )(?<!is )there$|then$",
    "de": r"dar?(?:von|für|mit|in|auf|zu|bei|nach|über|an|gegen|durch)|dort|dasselbe"
    r"|(?:die|den|das|dem)(?=$| [a-zäöüß]+en$)|ein(?:e[nrms]?|s)(?=$| (?:an|ab|auf|aus|ein|zu|[a-zäöüß]+en)$)",
}


def ask_otherwise(asking: str, last: Frame) -> str:
    """Return the question before with another question word: "Why?" → "Why is the file kept there?"."""
    rest = last.rest if last.asking else last.text[:1].lower() + last.text[1:]
    begins = begins_with(words_of(last.lang).auxiliaries, rest)
    return f"{asking} {rest}" if begins else f"{last.text}? {asking}"


def compare(question: str, last: Frame, lang: str) -> str | None:
    """Return a question with what it compares with: "Is a greyhound faster?" → "… faster than a cheetah?"."""
    pattern, than = _COMPARED.get(lang, ("(?!)", ""))
    compares = re.match(rf"(?:{BE}) (?P<whom>.*) (?:{pattern})$", question, re.IGNORECASE)
    if compares is None or find("than|als|or|oder|que", question):
        return None
    last_word = question.split()[-1]
    if is_time(last_word) or find(words_of(lang).prepositions, last_word):  # "went under"
        return None
    return f"{question} {than} {last.subject or last.topic}"


def substitute(fragment: str, last: Frame, words: Words) -> str:
    """Return the question before with the fragment in the place of what is of its kind, or else at its end."""
    stands_before = begins_with(words.prepositions, fragment)
    preposition = stands_before.group() if stands_before else ""
    body = fragment[len(preposition) :].strip()
    for start, end, text in _places(preposition, body, last, words):
        return last.text[:start] + text + last.text[end:]
    return f"{last.text}{'' if preposition or is_time(body) else ','} {fragment}"


def _places(preposition: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield where a fragment may stand, the likeliest first; nothing for what is only added."""
    yield from _same_noun(body, last, words)
    yield from _same_kind(body, last)
    if preposition:
        yield from _same_preposition(preposition, body, last, words)
    elif not is_time(body):
        yield from _phrases(body, last, words)


def _phrases(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the phrases in whose place one without a preposition may stand."""
    if begins_with(_DEFINITE, body):
        yield from _known(body, last, words)
    for phrase in (last.object, last.subject):
        plain = before_preposition(phrase, words)
        if not (re.fullmatch(r"[a-z-]+[a-rt-z]", body) and begins_with(_DEFINITE, plain)):  # "and close?"
            yield from _in_place_of(plain, body, last, words)


def _same_noun(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the phrase with the same noun: "SNMP drivers" for "USB drivers"."""
    without = _undetermined(body, words)
    head = head_of(without, words)
    described = without.split().index(head) if head in without.split() else 0
    found = re.search(rf"(?:[\w'’.-]+ ){{{described}}}{re.escape(head)}(?![\w-])", last.text, re.IGNORECASE)
    if head and described and found:
        yield *found.span(), " ".join(without.split()[: described + 1])


def _same_kind(body: str, last: Frame) -> Iterator[Place]:
    body = re.sub(r" ones?$", "", body)
    for match in re.finditer(r"[\w.+-]+", last.text):
        if body and same_kind(body.split()[-1], match.group()):
            yield *match.span(), body


def _same_preposition(preposition: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield what has the same preposition, a time for a time and nothing else."""
    ends = rf"(?=\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    for found in re.finditer(rf"(?<![\w-]){re.escape(preposition)} (.+?{ends})", last.text, re.IGNORECASE):
        if not begins_with(words.asking, found[1]) and is_time(found[1]) == is_time(body):
            put = f"{preposition.casefold()} {_with_noun(body, found[1], words, last.lang)}"
            yield *found.span(), put


def _known(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield what a known thing may stand for: "the configuration file" for "its log", not for the program's name."""
    asked = last.object or last.subject
    if asked.casefold() not in {name.casefold() for name in last.names} and begins_with(words.determiners, asked):
        return
    for phrase in phrases(last):
        if begins_with(_DEFINITE, phrase) and phrase not in asked:
            yield from _in_place_of(phrase, body, last, words)


def _in_place_of(phrase: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    found = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", last.text) if phrase else None
    if found:
        yield *found.span(), _with_noun(body, phrase, words, last.lang)


def _with_noun(body: str, phrase: str, words: Words, lang: str) -> str:
    """Return a fragment with the noun that it leaves out: "the bigger one", "den zweiten"."""
    noun = head_of(phrase, words)
    if lang == "en":
        return f"{body} {noun}" if find(_ORDER, body) else re.sub(r"(?<= )ones?$", lambda _: noun, body)
    lacks = lang == "de" and body[-1:].islower() and body.split()[-1].islower() and noun[:1].isupper()
    return f"{body} {noun}" if lacks else body


def _undetermined(phrase: str, words: Words) -> str:
    return re.sub(rf"^(?:{words.determiners})\s+", "", phrase, flags=re.IGNORECASE)


def points_back(text: str, lang: str) -> bool:
    """Return whether a question has a word that stands for something it does not name."""
    words, text = words_of(lang), _NOTHING.sub(_hidden, text)
    back = "|".join(filter(None, (words.pronouns, words.possessives, _BACK.get(lang))))
    if lang == "de":  # "Sie" is polite
        return re.search(rf"(?<![\w-])(?:{back})(?![\w-])", text) is not None
    inverted = rf"^c['’]est\b|{_INVERTED.format(asking=words.asking)}" if lang == "fr" else "(?!)"
    return bool(find(back, text) or re.search(inverted, text, re.IGNORECASE))


def resolve(question: str, last: Frame, turn: Turn, lang: str) -> str:
    """Return the question with what its words stand for in their place, or behind it in brackets."""
    text, words = _NOTHING.sub(_hidden, question), words_of(lang)
    topic = _topic(text, last, turn, lang)
    replaced = _english(text, topic, last, words) if lang == "en" else _german(text, topic) if lang == "de" else text
    if replaced == text and find("ones?", text):
        replaced = f"{text} ({last.content})"
    elif replaced == text:
        replaced = f"{text} ({_in_brackets(text, topic, last, turn)})"
    elif last.names and not any(name.casefold() in replaced.casefold() for name in last.names):
        replaced = f"{replaced} ({last.names[-1]})"
    if _asked_who(last) and lang != "en" and turn.short_answer not in replaced:  # things have the pronouns of persons
        replaced = f"{replaced} ({turn.short_answer})"
    return re.sub(r"\b(it|es|il)_", r"\1", replaced, flags=re.IGNORECASE)


#: pronouns of persons, and articles of things that share them
_PERSONS: Final = {
    "en": {"he|she|they|him|her|them|his|their": "(?!)"},
    "de": {"er|ihn|ihm": "de[rnm]|ein(?:en|em)?", "sie|ihr": "die|der|eine"},
}


def _asked_who(last: Frame) -> bool:
    return re.match(r"(?:who|whom|wer|wen|qui)\b", last.asking, re.IGNORECASE) is not None


def _in_brackets(text: str, topic: str, last: Frame, turn: Turn) -> str:
    """Return what stands behind a question where it has no place within it."""
    if turn.short_answer and not _asked_who(last):
        return turn.short_answer
    if find(_DONE, text) or _asked_who(last):
        return last.action if last.verb else last.content
    return topic


def _hidden(nothing: re.Match[str]) -> str:
    """Return an "it" that stands for nothing so that it is not taken for one that does."""
    return re.sub(r"\b(it|es|il)\b", r"\1_", nothing.group(), flags=re.IGNORECASE)


def _topic(text: str, last: Frame, turn: Turn, lang: str) -> str:
    """Return what a pronoun stands for: what the answer names, or else what the question before is about."""
    pronouns = _PERSONS.get(lang, {"(?!)": ""}).items()
    of_person = any(find(pronoun, text) and not begins_with(article, last.topic) for pronoun, article in pronouns)
    if turn.short_answer and (of_person if _asked_who(last) else re.match("which|what", last.asking, re.IGNORECASE)):
        return turn.short_answer
    if of_person and _asked_who(last) and lang == "en" and not begins_with(BE, last.rest):
        return f"the person who {last.rest}"
    new = [phrase for phrase in phrases(last) if begins_with(words_of(last.lang).indefinite, phrase)]
    return new[-1] if new and last.subject in last.names else last.topic


def _english(text: str, topic: str, last: Frame, words: Words) -> str:
    if one := find("(?<!which )ones?", text):
        noun = head_of(last.object or last.subject, words)
        if noun and noun not in last.names and not (one.group().endswith("s") and not is_plural(noun)):
            return f"{text[: one.start()]}{'' if find('another one', text) else 'a '}{noun}{text[one.end() :]}"
    text = re.sub(r"\b(?:its|their|his|her) (?=\w)", lambda _: f"{topic}'s ", text, count=1, flags=re.IGNORECASE)
    pronoun = r"(?<![\w'’])(?:it|they|them|he|she|him|her)(?![\w’'])"
    return re.sub(pronoun, lambda _: topic, text, count=1, flags=re.IGNORECASE)


def _german(text: str, topic: str) -> str:
    return re.sub(r"\b(?:es|er|sie|ihn|ihm|ihnen|das)\b(?! [A-ZÄÖÜ])", lambda _: topic, text, count=1)
