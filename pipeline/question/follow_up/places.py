"""Find where a fragment may stand in the question before it: in the place of what is of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pipeline.question.entities import find_entities
from pipeline.question.follow_up.frame import Frame, phrases
from pipeline.question.follow_up.kinds import is_attribute, is_measured, is_plural, is_time, is_year, same_kind
from pipeline.question.follow_up.phrase import before_preposition, head_of
from pipeline.question.follow_up.words import Words, begins_with, find
from text.languages import any_of

#: "children under twelve", "people over 65": one thing
_AGED: Final = rf" (?:under|over|above|below|aged|older than|younger than) (?:\d+|{any_of('ones', 'en')})(?: years)?"
#: whom or what something is for: several without a determiner, or one that is new
_FOR_WHOM: Final = re.compile(rf"(?<![\w-])for ((?:[a-z]+s|children|people|men|women)(?:{_AGED})?)(?![\w-])")
_FOR_ONE: Final = re.compile(r"(?<![\w-])for (an? (?:[\w-]+ ){0,2}?[\w-]+)(?=$| (?:in|at|on|with|from|to)\b)")
#: what is added to a question rather than put into the place of something
_ADVERBS: Final = (
    "back|there|now|later|alone|again|online|abroad|zurück|hin|dort|jetzt|später|allein|wieder|danach|davor"
    "|là-bas|maintenant|après|avant|retour"
)
#: what one of several things is called without its noun: "the oldest"
_ORDER: Final = (
    r"the (?:\w+ )?(?!forest|guest|west|test|rest|nest|interest|request|harvest|contest|chest)"
    r"(?:\w{3,}est|next|other|best)$"
)
#: of one preposition, with and without an article
_FORMS: Final = (
    "de|du|des", "à|au|aux", "in|im", "zu|zum|zur|nach", "von|vom", "an|am", "bei|beim", "de|del|do|da", "a|al|ao",
    "di|del|della|dei", "em|no|na|nos|nas", "in|nel|nella",
)  # fmt: skip
_OWN: Final = "my|our|meine?[nmr]?|unsere?[nmr]?|mon|ma|mes|notre|nos"
DEFINITE: Final = (
    "the|its|their|his|her|der|die|das|den|dem|seine?[nmr]?|ihre?[nmr]?|le|la|les|l['’]|son|sa|ses|leurs?|el|los|las|il|lo"
    "|gli"
)


class Place(NamedTuple):
    """Where a fragment may stand in the question before it, and how."""

    start: int
    end: int
    text: str  #: what is put there


class Fragment(NamedTuple):
    """What a follow-up says that is no sentence: "on Windows", "the library"."""

    preposition: str
    body: str


def places(fragment: Fragment, last: Frame, words: Words) -> Iterator[Place]:
    """Yield where the fragment may stand, and how, the likeliest first; nothing for what is only added."""
    preposition, body = fragment
    asked = head_of(last.object or last.subject, words)
    if is_measured(head_of(body, words)) and not is_measured(asked):
        return  # "What about the yearly fee?" of where a file lies
    yield from _same_noun(body, last, words)
    yield from _same_kind(body, last, words)
    if not body or is_added(body):
        return
    if preposition:
        yield from _same_preposition(preposition, body, last, words)
    elif not is_time(body):
        yield from _phrases(body, last, words)


def is_added(body: str) -> bool:
    """Return whether a fragment is added to a question rather than put into the place of something: "back", "now"."""
    return find(_ADVERBS, body) is not None


def names_of(text: str, lang: str, words: Words) -> list[str]:
    """Return what a text names; not a German noun with an article, which may be any thing."""
    named = find_entities(text, lang)
    if lang != "de":
        return list(named)
    return [
        name
        for name in named
        if " " in name or not find(rf"(?:{words.determiners}) (?:(?-i:[a-zäöüß]+) )?{re.escape(name)}", text)
    ]


def _phrases(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the phrases in whose place one without a preposition may stand."""
    several, new = is_plural(body) and " " not in body, begins_with("an?", body)
    if whom := (_FOR_WHOM.search(last.text) if several else _FOR_ONE.search(last.text) if new else None):
        yield Place(*whom.span(1), body)
    if begins_with(words.indefinite, body):
        yield from _subject(body, last, words)
        yield from _indefinite(body, last, words)
    elif names_of(f"x {body}", last.lang, words):
        yield from _names(body, last, words)
    elif begins_with(DEFINITE, body):
        yield from _known(body, last, words)
        if is_attribute(head_of(body, words)) and not _asks_for_attribute(last, words):
            return
    for phrase in (last.object, last.subject):
        plain = before_preposition(phrase, words)
        if begins_with(words.prepositions, plain) and not begins_with("du|des", plain):
            continue
        if begins_with(_OWN, body) and begins_with(words.indefinite, plain):
            continue  # "and my son?" is for whom, not what
        if not (re.fullmatch(r"[a-z-]+[a-rt-z]", body) and begins_with(DEFINITE, plain)):  # "and close?"
            yield from _in_place_of(plain, body, last, words)


def _same_noun(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the phrase with the same noun: "SNMP drivers" for "USB drivers"."""
    without = _undetermined(body, words)
    head = head_of(without, words)
    described = without.split().index(head) if head in without.split() else 0
    found = re.search(rf"(?:[\w'’.-]+ ){{{described}}}{re.escape(head)}(?![\w-])", last.text, re.IGNORECASE)
    if head and described and found:
        starts = begins_with(f"{words.auxiliaries}|{words.prepositions}|{words.determiners}", found.group())
        start = found.end() - len(head) if starts and described == 1 else found.start()
        yield Place(start, found.end(), " ".join(without.split()[: described + 1]))
    described_by = re.match(rf"([\w'’-]+ (?:{words.prepositions}) )[\w'’-]+$", without)
    if described_by and (found := re.search(rf"\b{re.escape(described_by[1])}[\w'’-]+", last.text, re.IGNORECASE)):
        yield Place(*found.span(), without)


def _same_kind(body: str, last: Frame, words: Words) -> Iterator[Place]:
    body = re.sub(r" ones?$", "", body)
    named = body.split()[-1] if body.split() else ""
    for match in re.finditer(r"[\w.+-]+", last.text):
        if same_kind(named, match.group()):
            before = re.search(rf"(?<!\w)(?:{words.determiners})\s+$", last.text[: match.start()], re.IGNORECASE)
            known = before if before and not is_year(body) else match
            yield Place(known.start(), match.end(), body)


def _same_preposition(preposition: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield what has the same preposition, a time for a time and nothing else."""
    ends = rf"(?=\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    same = next((forms for forms in _FORMS if preposition.casefold() in forms.split("|")), re.escape(preposition))
    for found in re.finditer(rf"(?<![\w-])(?:{same}) (.+?(?:{_AGED}|(?!{_AGED}){ends}))", last.text, re.IGNORECASE):
        if not begins_with(words.asking, found[1]) and is_time(found[1]) == is_time(body):
            phrase = found[1] if last.lang == "en" and begins_with("the", found[1]) else _up_to_name(found[1])
            put = f"{preposition.casefold()} {_with_noun(body, phrase, words, last.lang)}"
            yield Place(found.start(), found.start(1) + len(phrase), put)


def _up_to_name(phrase: str) -> str:
    """Return a phrase without the verb behind its name, or its German noun: "Lyon take", "im Stadtwald zelten"."""
    found = re.match(r"(?:[a-zà-ÿ]+ ){0,2}(?:[A-ZÄÖÜ][\w'’-]* ?)+", phrase)
    return found.group().strip() if found else phrase


def _subject(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the subject where it names something new: what follows it is the verb."""
    at = last.text.find(last.subject)
    if begins_with("an?", last.subject) and begins_with("an?", body) and at >= 0:
        yield Place(at, at + len(last.subject), _with_noun(body, last.subject, words, last.lang))


def _indefinite(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the last phrase that names something new: "a category" for "a payee"; "one" takes its noun."""
    ends = rf"(?=\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    found = list(
        re.finditer(
            rf"(?<![\w-])(?:{words.indefinite}) (?:(?!{words.prepositions})[\w'’.-]+ ?){{1,4}}?{ends}",
            last.text,
            re.IGNORECASE,
        )
    )
    if found:
        noun = head_of(found[-1].group(), words)
        put = re.sub(r"^one(?= |$)", f"a {noun}", body, flags=re.IGNORECASE)
        yield Place(*found[-1].span(), _with_noun(put, found[-1].group(), words, last.lang))


def _names(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the name in whose place another one may stand: that of the subject or the object, or else the last one."""
    known = begins_with(words.determiners, body)
    for phrase in (last.object, last.subject):
        plain = before_preposition(phrase, words)
        owner = re.search(rf"\s(?:of|von|de) ((?!(?:{words.determiners})\b)[\w.-]+)$", phrase)
        named = next((name for name in last.names if name in phrase), owner[1] if owner else "")
        bare = _undetermined(plain, words)
        if plain and (
            bare == named or (known and (not named or named in plain)) or (bare == plain and " " not in plain)
        ):
            yield from _in_place_of(plain, body, last, words)
        elif named:
            yield from _in_place_of(named, body, last, words)
    if last.names and not known:
        yield from _in_place_of(last.names[-1], body, last, words)


def _known(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield what a known thing may stand for: "the configuration file" for "its log", not for the program's name.

    What things have stands for what a thing has ("the price of the ticket"), and what has it for its owner.
    """
    has, asked = is_attribute(head_of(body, words)), last.object or last.subject
    owner = re.search(rf"\s(?:{words.prepositions})\s+((?:{words.determiners})\s.+)$", asked, re.IGNORECASE)
    joined = re.search(r"\s(?:du|des|del|della|do|da|vom|zum|zur)\s+([\w-]+)$", asked)
    if not has and is_attribute(head_of(asked, words)):
        if owner:
            yield from _in_place_of(owner[1], body, last, words)
        if joined:
            yield from _in_place_of(joined[1], _undetermined(body, words), last, words)
    if asked.casefold() not in {name.casefold() for name in last.names} and begins_with(words.determiners, asked):
        return
    for phrase in phrases(last):
        if begins_with(DEFINITE, phrase) and phrase not in asked:
            yield from _in_place_of(phrase, body, last, words)


def _asks_for_attribute(last: Frame, words: Words) -> bool:
    """Return whether a question asks for what a thing has: "What is the price?", "Who is the head of the school?"."""
    asked = last.object or last.subject
    owned = re.search(r"\s(?:of|von|der|des|de|du|del|di|della|do|da)\s", asked)
    asks = re.match(r"(?:what|who|was|wer|qui|quel\w*|qué|quién|che|chi|qual\w*)\b", last.asking, re.IGNORECASE)
    return is_attribute(head_of(asked, words)) or bool(owned and asks)


def _in_place_of(phrase: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    found = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", last.text) if phrase else None
    if found:
        yield Place(*found.span(), _with_noun(body, phrase, words, last.lang))


def _with_noun(body: str, phrase: str, words: Words, lang: str) -> str:
    """Return a fragment with the noun that it leaves out: "the bigger one", "den zweiten"."""
    noun = head_of(phrase, words)
    if lang == "en":
        return f"{body} {noun}" if find(_ORDER, body) else re.sub(r"(?<= )ones?$", noun, body)
    lacks = lang == "de" and body[-1:].islower() and body.split()[-1].islower() and noun[:1].isupper()
    return f"{body} {noun}" if lacks else body


def _undetermined(phrase: str, words: Words) -> str:
    return re.sub(rf"^(?:{words.determiners})\s+", "", phrase, flags=re.IGNORECASE)
