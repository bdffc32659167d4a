"""Take phrases apart, and tell what kind of thing a word names: a time, what other things have, several things."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from text.languages import any_of, language, word_set

_ENDINGS = "?？!. "
#: a participle, as far as its ending tells, and what is said of things as those are
PARTICIPLE: Final = re.compile(
    r"\w+ed|\w+(?:ak|att|it|itt|ok|os|oz|riv|all|idd)en|built|made|kept|set|held|sold|sent|found|known|shown|put|read"
    r"|cut|lost|paid|done|born|won|torn|worn|thrown|drawn|grown|open|free|available|safe|public"
    r"|ge\w+t|be\w+t|ver\w+t|\w+iert|(?:be|ent|er|ge|ver|zer)\w+en"
)
#: that most questions about a thing have
_VERBS: Final = (
    "(?:apply|arrive|be|begin|close|come|cost|do|end|expire|go|happen|have|include|last|leave|look|mean|measure|need|open"
    "|run|say|show|stand|start|stay|stop|take|weigh|work)"
)
_AFTER_NAMES: Final = re.compile(r"['’]s?$")
#: words of a subject without a determiner, as in "guided tours"
_MOST_BARE: Final = 3
#: what joins a noun to the one that it belongs to
_LINKS: Final = {
    "en": "of",
    "de": "von|der|des",
    "fr": "de|du|des",
    "es": "de|del",
    "it": "di|del|della",
    "pt": "de|do|da",
}
_LISTED: Final = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_ATTRIBUTES, _MEASURED = frozenset(_LISTED["attributes"].split()), frozenset(_LISTED["measured"].split())
_ENDS_OF_ATTRIBUTES: Final = tuple(_LISTED["ends_of_attributes"].split())
_KINDS: Final = tuple(frozenset(kind.split()) for kind in _LISTED["kinds"])
#: days, months and parts of the year, of which one stands for another of its own row
_DAYS: Final = frozenset(
    day.removesuffix("s") for day in (*word_set("weekdays", "en", "de", "fr", "es", "it"), "weekend", "wochenende")
)
_MONTHS: Final = word_set("months", "en", "de") | word_set("seasons", "en", "de")
#: parts of time besides days and months
_TIMES: Final = word_set("times") | word_set("seasons", "fr", "es", "it")
#: end as several things do, and are no nouns
_NO_NOUNS: Final = frozenset("its as has was does yes always".split())


@dataclass(frozen=True, kw_only=True)
class Words:
    """Patterns of one language, to be matched without regard to case."""

    lead: str  #: before what is asked: "and", "but then"
    about: str  #: "what about"
    asking: str  #: a question word, with what belongs to it
    prepositions: str
    determiners: str
    indefinite: str  #: those of the determiners that name something new
    auxiliaries: str  #: verbs that stand before the subject of a question
    pronouns: str  #: of the third person
    possessives: str
    conditions: str = r"(?!)"  #: "if", "when"


#: forms of "to be"
BE: Final = any_of("be", "en", "de", "fr", "es", "it", "pt")


@cache
def words_of(lang: str) -> Words:
    """Return the words of a language; of English for one that is not known."""
    return Words(**(language(lang).follow_up or language("en").follow_up))


def find(pattern: str, text: str) -> re.Match[str] | None:
    """Return where whole words of the pattern stand first, whatever their case."""
    return re.search(rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def begins_with(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of whole words of the pattern at the beginning, whatever their case."""
    return re.match(rf"(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def bare(question: str) -> str:
    """Return a question without its marks."""
    return question.strip().rstrip(_ENDINGS).lstrip("¿¡ ")


def definite(phrase: str, lang: str) -> str:
    """Return a phrase that named something new as one that names what is known: "a symbol" → "the symbol"."""
    if lang == "en":
        phrase = re.sub(r"^(?:which|what) ", "the ", phrase, flags=re.IGNORECASE)
        return re.sub(r"^(?:an?|some|any|another|each|every) ", "the ", phrase, flags=re.IGNORECASE)
    return phrase


def head_of(phrase: str, words: Words) -> str:
    """Return the noun of a phrase: the last word before a preposition."""
    if asked := re.match(r"(?:which|what) (\w+)", phrase, re.IGNORECASE):
        return asked[1]
    first = re.split(
        rf"(?<!^)\s+(?:{words.prepositions}|and|or|und|oder|that|which|who)\s+", phrase, flags=re.IGNORECASE
    )[0]
    parts = first.split()
    return _AFTER_NAMES.sub("", parts[-1]) if parts else ""


def before_preposition(phrase: str, words: Words) -> str:
    """Return a phrase without what follows a preposition in it."""
    return re.split(rf"(?<=\S)\s(?:{words.prepositions})\s", f"{phrase} ", flags=re.IGNORECASE)[0].strip()


def before_predicate(text: str, words: Words) -> str:
    """Return what is before the predicate that ends a question for yes or no: "the water" of "the water clean"."""
    subject = before_participle(text)
    if subject != text:
        return subject
    found = re.fullmatch(r"(.+?) (?:an? (?:\w+ )?|eine? (?:\w+ )?)?[a-zäöüß-]+", text)
    return found[1] if found and not find(rf"(?:{words.prepositions}|{words.determiners})$", found[1]) else text


def before_participle(text: str) -> str:
    """Return what is before the participle that ends a clause: "the old tower" of "the old tower built in"."""
    parts = text.split()
    for at, word in enumerate(parts[1:], start=1):
        last = at == len(parts) - 1 or word.endswith(",")
        if PARTICIPLE.fullmatch(word.rstrip(",")) and (
            last or find("by|in|on|from|at|with|for|von|in|auf|für", parts[at + 1])
        ):
            return " ".join(parts[:at])
    return re.sub(r" (?:for|like|about|called|used)$", "", text)


def first_phrase(text: str, lang: str) -> str:
    """Return the noun phrase that a text begins with: a determiner with its noun, or a name."""
    parts = text.split()
    if not parts:
        return ""
    if begins_with(words_of(lang).determiners, parts[0]) is None:
        several = (at for at, word in enumerate(parts[:_MOST_BARE], start=1) if is_plural(word))
        named = next(several, 1) if lang == "en" and parts[0].islower() else 1
        while named < len(parts) and parts[named][0].isupper() and parts[named - 1][-1] not in ",;":
            named += 1
        return _AFTER_NAMES.sub("", " ".join(parts[:named]))
    if lang == "en" and (found := re.match(rf"\w+ (?:[a-z-]+ ){{2,3}}?(?={_VERBS}(?: |$))", text)):
        return found.group().strip()  # "the council tax cost"
    prepositions = words_of(lang).prepositions
    whole = rf"\w+ (?:[a-z-]+ ){{1,3}}(?=(?:{prepositions}) (?:[A-Z][\w'’-]* )+(?!(?:{prepositions})\b)[a-z])"
    if lang == "en" and (found := re.match(whole, text)):  # "the flood gate in Skagen stay open"
        return found.group().strip()
    end = 2
    while end < len(parts) and (
        parts[end][0].isupper()
        or find(_LINKS.get(lang, _LINKS["en"]), parts[end])
        or find(_LINKS.get(lang, _LINKS["en"]), parts[end - 1])
    ):
        end += 1
    return " ".join(parts[:end])


def is_day(word: str) -> bool:
    """Return whether a word names a day of the week, or several: "Sundays", "sonntags"."""
    return word.casefold().removesuffix("s") in _DAYS


def is_month(word: str) -> bool:
    """Return whether a word names a month or a season."""
    return word.casefold() in _MONTHS


def is_time(phrase: str) -> bool:
    """Return whether a phrase says when: "winter", "2019", "the year after", "public holidays"."""
    parts = phrase.split()
    return any(is_day(part) or is_month(part) or is_year(part) or part.casefold() in _TIMES for part in parts)


def is_year(word: str) -> bool:
    """Return whether a word is the number of a year."""
    return re.fullmatch(r"1\d{3}|20\d\d", word) is not None


def is_attribute(noun: str) -> bool:
    """Return whether a noun names what other things have: "port", "Telefonnummer"."""
    if noun.casefold() in _ATTRIBUTES or (is_plural(noun) and noun[:-1].casefold() in _ATTRIBUTES):
        return True
    return noun[:1].isupper() and noun.endswith(_ENDS_OF_ATTRIBUTES)


def is_measured(noun: str) -> bool:
    """Return whether a noun names money or a time of day: "fee", "Öffnungszeiten", "Eintrittspreis"."""
    word = noun.casefold()
    return word in _MEASURED or (
        noun[:1].isupper() and word.endswith(("gebühr", "kosten", "preis", "preise", "zeiten"))
    )


def is_plural(noun: str) -> bool:
    """Return whether an English noun looks like several things."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun not in _NO_NOUNS


def same_kind(one: str, other: str) -> bool:
    """Return whether two words name things of one kind, other ones."""
    one, other = one.casefold(), other.casefold()
    if one != other and any(is_kind(one) and is_kind(other) for is_kind in (is_day, is_month, is_year)):
        return True
    return one != other and any(one in kind and other in kind for kind in _KINDS)
