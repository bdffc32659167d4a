"""Take phrases apart: where the subject of a question ends, what a phrase is about, what it is without additions."""

from __future__ import annotations

import re
from typing import Final

from pipeline.question.follow_up.kinds import is_plural
from pipeline.question.follow_up.words import Words, begins_with, find, words_of

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
