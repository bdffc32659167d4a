"""Take a question apart: its question word, its verb, its subject and object, and the places that it names.

By the shapes that questions have; what is of no known shape has a name, or its words, as what it is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from pipeline.question.entities import find_entities
from pipeline.question.follow_up.words import Words, begins_with, find, is_plural, words_of
from text.terms import content_words

_ENDINGS = "?？!. "
#: a participle, as far as its ending tells
_PARTICIPLE: Final = re.compile(
    r"\w+ed|\w{2,}en|built|made|kept|set|held|sold|sent|found|known|shown|stored|called|put|read|cut|lost|paid|done|born|won"
    r"|ge\w+(?:t|en)|be\w+t|ver\w+t|\w+iert"
)
_AFTER_NAMES: Final = re.compile(r"['’]s?$")
_ASKERS: Final = {
    "en": r"i|we|you|one|people|someone",
    "de": r"ich|wir|man|du|sie",
    "fr": r"je|j['’]|on|nous|vous",
    "es": r"yo|se|nosotros",
    "it": r"io|si|noi",
    "pt": r"eu|se|nós",
}
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


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A question taken apart."""

    text: str  #: without its mark
    lang: str
    asking: str  #: its question word, "" for yes or no
    rest: str  #: what follows that
    subject: str = ""  #: who does it; "" where it is the asker
    verb: str = ""  #: what the asker does
    object: str = ""  #: what the asker does it to, with what follows
    names: tuple[str, ...] = field(default=())

    @property
    def topic(self) -> str:
        """Return what the question is about, as it can stand in another one."""
        return definite(self.subject or self.object or self.named, self.lang)

    @property
    def named(self) -> str:
        """Return what it names, by a name or with a determiner; else its words."""
        return (*self.names, *reversed(phrases(self)), self.content)[0]

    @property
    def action(self) -> str:
        """Return what is asked about as a whole: "install nginx under Debian"."""
        return " ".join(filter(None, (self.verb, self.object))) or self.topic

    @property
    def content(self) -> str:
        """Return its words that carry a topic."""
        return " ".join(dict.fromkeys(content_words(self.text, self.lang)))


def frame_of(question: str, lang: str) -> Frame:
    """Return the question's frame."""
    words = words_of(lang)
    text = bare(question)
    asked = begins_with(rf"(?:(?:{words.prepositions}) )?(?:{words.asking})", text)
    asking = asked.group() if asked else ""
    rest = text[len(asking) :].strip()
    if asked and (verb := _verb_after(rest, words)):  # "What kind of notation is …"
        asking, rest = text[: len(text) - len(rest) + verb].strip(), rest[verb:]
    names = tuple(name for name in find_entities(question, lang) if not name[0].isdigit())
    frame = Frame(text=text, lang=lang, asking=asking, rest=rest, names=names)
    return _by_asker(frame) or _by_subject(frame, words) or frame


def phrases(frame: Frame) -> list[str]:
    """Return what the question names with a determiner, in order: "a logo", "the title frame"."""
    words = words_of(frame.lang)
    after = f"{words.prepositions}|{words.auxiliaries}|{words.conditions}|as|that|which|who|and|or|I|you|we"
    ends = rf"(?=,|\s(?:{after})\b|$)"
    found = re.finditer(rf"(?<![\w-])(?:{words.determiners}) (?:[\w'’.-]+ ?){{1,5}}?{ends}", frame.text, re.IGNORECASE)
    return [match.group().strip() for match in found]


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


def _verb_after(rest: str, words: Words) -> int:
    """Return where the verb after a question phrase of some words stands; 0 where there is none, or none is needed."""
    if begins_with(words.auxiliaries, rest):
        return 0
    found = re.match(rf"(?:[\w'’-]+ ){{1,5}}?(?=(?:{words.auxiliaries})\s)", rest, re.IGNORECASE)
    return found.end() if found else 0


def _by_asker(frame: Frame) -> Frame | None:
    """Return the frame of what the asker does: "How do I install nginx?", "Wie installiere ich nginx?"."""
    who = _ASKERS.get(frame.lang, _ASKERS["en"])
    aux = words_of(frame.lang).auxiliaries
    if frame.lang == "de":
        if found := re.fullmatch(rf"(?:{aux}) (?:{who}) (.+) (\w+en)", frame.rest, re.IGNORECASE):
            return _acting(frame, found[2], found[1])
        if found := re.fullmatch(
            rf"(\w+(?:e|t|en)) (?:{who}) (.+?)( (?:an|ab|auf|aus|ein|um|zu|vor|weg))?", frame.rest, re.IGNORECASE
        ):
            return _acting(frame, found[1] + (found[3] or ""), found[2])
        return None
    if found := re.fullmatch(
        rf"(?:to|(?:{aux}) (?:{who})(?: have to| need to)?) ([\w-]+(?: (?:up|off|out|on|down)(?= ))?) (.+)",
        frame.rest,
        re.IGNORECASE,
    ):
        return _acting(frame, found[1], found[2])
    if frame.lang != "en" and (found := re.fullmatch(rf"(?:(?:{who})\s?)?(\w+) (.+)", frame.rest, re.IGNORECASE)):
        return _acting(frame, found[1], found[2]) if frame.asking else None
    return None


def _acting(frame: Frame, verb: str, done_to: str) -> Frame:
    return Frame(
        text=frame.text,
        lang=frame.lang,
        asking=frame.asking,
        rest=frame.rest,
        names=frame.names,
        verb=verb,
        object=done_to,
    )


def _by_subject(frame: Frame, words: Words) -> Frame | None:
    """Return the frame of a question with a subject of its own: "Where is nginx kept?", "Can HomeBank …?"."""
    begun = begins_with(words.auxiliaries, frame.rest)
    if begun is None:
        if frame.lang == "de" and frame.asking and (verb := re.match(r"(\w+t) (?=\S)", frame.rest)):
            return _with_subject(frame, _first_phrase(frame.rest[verb.end() :], frame.lang))
        if done := re.match(rf"\w+ (?=(?:{words.determiners}) )", frame.rest) if frame.asking else None:
            return _with_subject(frame, frame.rest[done.end() :])  # "Who built the lighthouse of Skagen?"
        if (
            frame.asking
            and (which := re.match(r"(?:which|what|welche\w?) (\w+)", frame.text, re.IGNORECASE))
            and not frame.names
        ):
            return _with_subject(frame, f"the {which[1]}" if frame.lang == "en" else which[1])
        return None
    after = frame.rest[begun.end() :].strip()
    if re.match(rf"(?:{words.pronouns}|there)\b", after, re.IGNORECASE):
        return None
    if re.fullmatch("is|are|was|were|ist|sind|war|waren|est|sont|es|son|è|sono|é|são", begun.group(), re.IGNORECASE):
        return _with_subject(frame, _before_participle(after))
    return _with_subject(frame, _first_phrase(after, frame.lang))


def _with_subject(frame: Frame, subject: str) -> Frame:
    return Frame(
        text=frame.text, lang=frame.lang, asking=frame.asking, rest=frame.rest, names=frame.names, subject=subject
    )


def _before_participle(text: str) -> str:
    """Return what is before the participle that ends a clause: "the old tower" of "the old tower built in"."""
    parts = text.split()
    for at, word in enumerate(parts[1:], start=1):
        last = at == len(parts) - 1
        if _PARTICIPLE.fullmatch(word.casefold()) and (
            last or find("by|in|on|from|at|with|for|von|in|auf|für", parts[at + 1])
        ):
            return " ".join(parts[:at])
    return re.sub(r" (?:for|like|about|called|used)$", "", text)


def _first_phrase(text: str, lang: str) -> str:
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
