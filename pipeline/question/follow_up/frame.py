"""Take a question apart: its question word, its verb, its subject and object, and the places that it names.

By the shapes that questions have; what is of no known shape has a name, or its words, as what it is about.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.question.entities import find_entities
from pipeline.question.follow_up.phrase import (
    BE,
    Words,
    bare,
    before_participle,
    before_predicate,
    begins_with,
    definite,
    first_phrase,
    words_of,
)
from text.terms import content_words

_SENTENCES: Final = re.compile(r"[.!?] ")
_ASKERS: Final = {
    "en": r"i|we|you|one|people|someone",
    "de": r"ich|wir|man|du|sie",
    "fr": r"je|j['’]|on|nous|vous",
    "es": r"yo|se|nosotros",
    "it": r"io|si|noi",
    "pt": r"eu|se|nós",
}
#: the noun that a German question word belongs to, before the verb: "Arbeitsspeicher braucht Blender"
_GERMAN_ASKED: Final = r"(?:[a-zäöüß]+ )?(?:[A-ZÄÖÜ][\w-]* )+(?=[a-zäöüß]+(?:(?:t|en|te|ten) \S|e ich ))"


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
        determined = [] if _SENTENCES.search(self.text) else phrases(self)
        return determined[-1] if determined else self.content

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
    verb = _verb_after(rest, words) if asked and "est-ce" not in asking.casefold() else 0
    if verb:  # "What kind of notation is …"
        asking, rest = text[: len(text) - len(rest) + verb].strip(), rest[verb:]
    names = tuple(name for name in find_entities(question, lang) if not name[0].isdigit())
    frame = Frame(text=text, lang=lang, asking=asking, rest=rest, names=names)
    return _by_asker(frame) or _by_subject(frame, words) or frame


def phrases(frame: Frame) -> list[str]:
    """Return what the question names with a determiner, in order: "a logo", "the title frame"."""
    words = words_of(frame.lang)
    after = f"{words.prepositions}|{words.auxiliaries}|{words.conditions}|as|that|which|who|and|or|I|you|we"
    ends = rf"(?=,|\s(?:{after})\b|$)"
    named = f"{words.determiners}|{words.possessives}"
    found = re.finditer(rf"(?<![\w-])(?:{named}) (?:[\w'’.-]+ ?){{1,5}}?{ends}", frame.text, re.IGNORECASE)
    return [match.group().strip() for match in found]


def _verb_after(rest: str, words: Words) -> int:
    """Return where the verb after a question phrase of some words stands; 0 where there is none, or none is needed."""
    if words is words_of("de") and (found := re.match(_GERMAN_ASKED, rest)):
        return found.end()
    found = re.match(rf"(?:[\w'’-]+ ){{1,5}}?(?=(?:{words.auxiliaries})\s)", rest, re.IGNORECASE)
    return found.end() if found else 0


def _by_asker(frame: Frame) -> Frame | None:
    """Return the frame of what the asker does: "How do I install nginx?", "Wie installiere ich nginx?"."""
    who = _ASKERS.get(frame.lang, _ASKERS["en"])
    aux = words_of(frame.lang).auxiliaries
    if frame.lang == "de":
        found = re.fullmatch(
            rf"(\w+(?:e|t|en)) (?:{who}) (.+?)( (?:an|ab|auf|aus|ein|um|zu|vor|weg))?", frame.rest, re.IGNORECASE
        )
        return replace(frame, verb=found[1] + (found[3] or ""), object=found[2]) if found else None
    if found := re.fullmatch(
        rf"(?:to|(?:{aux}) (?:{who})(?: have to| need to)?) ([\w-]+(?: (?:up|off|out|on|down)(?= ))?) (.+)",
        frame.rest,
        re.IGNORECASE,
    ):
        return replace(frame, verb=found[1], object=found[2])
    return None


def _by_subject(frame: Frame, words: Words) -> Frame | None:
    """Return the frame of a question with a subject of its own: "Where is nginx kept?", "Can HomeBank …?"."""
    begun = begins_with(words.auxiliaries, frame.rest)
    if begun is None:
        if frame.lang == "de" and frame.asking and (verb := re.match(r"(\w+t) (?!es\b)(?=\S)", frame.rest)):
            return replace(frame, subject=first_phrase(frame.rest[verb.end() :], frame.lang))
        plural = r"(?=(?:[a-z-]+ )?[a-z]+s\b)" if frame.asking.casefold() == "who" else "(?!)"
        done = re.match(rf"[a-z]+ {plural}", frame.rest) or re.match(
            rf"(?:se |si )?[a-zà-ÿ]+ (?=(?i:{words.determiners}) |[A-ZÄÖÜ])", frame.rest
        )
        if done and frame.asking:
            return replace(frame, subject=frame.rest[done.end() :])  # "Who built the lighthouse of Skagen?"
        return None
    after = frame.rest[begun.end() :].strip()
    if re.fullmatch(BE, begun.group(), re.IGNORECASE):
        return replace(frame, subject=before_participle(after) if frame.asking else before_predicate(after, words))
    return replace(frame, subject=first_phrase(after, frame.lang))
