"""Take a question apart: its question word, its verb, its subject and object, the phrases and names in it.

By the shapes that questions have; what is of no known shape has a name, or its words, as what it is about.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from pipeline.question.entities import find_entities
from text.languages import any_of, language, word_set
from text.terms import content_words

_ENDINGS = "?？!. "
#: a participle, as far as its ending tells, and what is said of things as those are
PARTICIPLE: Final = re.compile(
    r"\w+ed|\w+(?:ak|att|it|itt|ok|os|oz|riv|all|idd)en|built|made|kept|set|held|sold|sent|found|known|shown|put|read"
    r"|cut|lost|paid|done|born|won|torn|worn|thrown|drawn|grown|open|free|available|safe|public"
)
#: that most questions about a thing have
_VERBS: Final = (
    "(?:apply|arrive|be|begin|close|come|cost|do|end|expire|go|happen|have|include|last|leave|look|mean|measure|need|open"
    "|run|say|show|stand|start|stay|stop|take|weigh|work)"
)
_AFTER_NAMES: Final = re.compile(r"['’]s?$")
#: words of a subject without a determiner, as in "guided tours"
_MOST_BARE: Final = 3
#: of which one stands for another: "on Linux", "on Windows"
_KINDS: Final = (
    frozenset("linux windows mac macos debian ubuntu fedora suse arch android ios redhat".split()),
    frozenset("hourly daily weekly monthly quarterly yearly annual".split()),
    frozenset("stündlich täglich wöchentlich monatlich jährlich".split()),
    frozenset("journalier hebdomadaire mensuel trimestriel annuel".split()),
)
#: days, months and parts of the year, of which one stands for another of its own row
_DAYS: Final = frozenset(
    day.removesuffix("s") for day in (*word_set("weekdays", "en", "de", "fr", "es", "it"), "weekend", "wochenende")
)
_MONTHS: Final = word_set("months", "en", "de") | word_set("seasons", "en", "de")
#: parts of time besides days and months
_TIMES: Final = word_set("times") | word_set("seasons", "fr", "es", "it")
#: who asks, in the languages whose words for that matter
_ASKERS: Final = {"en": "i|we|you|one|people|someone", "de": "ich|wir|man|du|sie"}
#: the noun that a German question word belongs to, before the verb: "Arbeitsspeicher braucht Blender"
_GERMAN_ASKED: Final = r"(?:[a-zäöüß]+ )?(?:[A-ZÄÖÜ][\w-]* )+(?=[a-zäöüß]+(?:(?:t|en|te|ten) \S|e ich ))"
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


#: forms of "to be"
BE: Final = any_of("be", "en", "de", "fr", "es", "it", "pt")


@cache
def words_of(lang: str) -> Words:
    """Return the words of a language; of English for one that is not known."""
    return Words(**(language(lang).follow_up or language("en").follow_up))


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
    names: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """Return what the question is about, as it can stand in another one."""
        return self.subject or self.object or (phrases(self) or [self.content])[-1]

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
    noun = re.match(_GERMAN_ASKED, rest) if lang == "de" else None
    verb = noun or re.match(rf"(?:[\w'’-]+ ){{1,5}}?(?=(?:{words.auxiliaries})\s)", rest, re.IGNORECASE)
    if asked and verb and "est-ce" not in asking.casefold():  # "What kind of notation is …"
        asking, rest = f"{asking} {verb.group()}".strip(), rest[verb.end() :]
    names = tuple(name for name in find_entities(question, lang) if not name[0].isdigit())
    frame = Frame(text=text, lang=lang, asking=asking, rest=rest, names=names)
    return _by_asker(frame) or _by_subject(frame, words) or frame


def phrases(frame: Frame) -> list[str]:
    """Return what the question names with a determiner, in order: "a logo", "the title frame"."""
    words = words_of(frame.lang)
    after = f"{words.prepositions}|{words.auxiliaries}|if|when|while|as|that|which|who|and|or|I|you|we"
    ends = rf"(?=,|\s(?:{after})\b|$)"
    named = f"{words.determiners}|{words.possessives}"
    found = re.finditer(rf"(?<![\w-])(?:{named}) (?:[\w'’.-]+ ?){{1,5}}?{ends}", frame.text, re.IGNORECASE)
    return [match.group().strip() for match in found]


def _by_asker(frame: Frame) -> Frame | None:
    """Return the frame of what the asker does: "How do I install nginx?", "Wie installiere ich nginx?"."""
    who, aux = _ASKERS.get(frame.lang, _ASKERS["en"]), words_of(frame.lang).auxiliaries
    shape = rf"(?:to|(?:{aux}) (?:{who})(?: have to| need to)?) ([\w-]+)(?: (.+))?"
    if frame.lang == "de":
        shape = rf"(\w+(?:e|t|en)) (?:{who}) (.+)"
    found = re.fullmatch(shape, frame.rest, re.IGNORECASE)
    return replace(frame, verb=found[1], object=found[2] or "") if found else None


def _by_subject(frame: Frame, words: Words) -> Frame | None:
    """Return the frame of a question with a subject of its own: "Where is nginx kept?", "Can HomeBank …?"."""
    begun = begins_with(words.auxiliaries, frame.rest)
    if begun is None:
        if frame.lang == "de" and frame.asking and (verb := re.match(r"(\w+t) (?!es\b)(?=\S)", frame.rest)):
            return replace(frame, subject=first_phrase(frame.rest[verb.end() :], frame.lang))
        done = re.match(rf"(?:se |si )?[a-zà-ÿ]+ (?=(?i:{words.determiners}) |[A-ZÄÖÜ])", frame.rest)
        if done and frame.asking:
            return replace(frame, subject=frame.rest[done.end() :])  # "Who built the lighthouse of Skagen?"
        return None
    there = re.match(rf"there (?:(?:{words.prepositions}) )?", after := frame.rest[begun.end() :].strip())
    after = after[there.end() :] if there else after  # "How many steps are there in the lighthouse?"
    if re.fullmatch(BE, begun.group(), re.IGNORECASE):
        return replace(frame, subject=before_participle(after))
    return replace(frame, subject=first_phrase(after, frame.lang))


def find(pattern: str, text: str) -> re.Match[str] | None:
    """Return where whole words of the pattern stand first, whatever their case."""
    return re.search(rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def begins_with(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of whole words of the pattern at the beginning, whatever their case."""
    return re.match(rf"(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def bare(question: str) -> str:
    """Return a question without its marks."""
    return question.strip().rstrip(_ENDINGS).lstrip("¿¡ ")


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


def before_participle(text: str) -> str:
    """Return what is before the participle that ends a clause: "the old tower" of "the old tower built in"."""
    parts = text.split()
    for at, word in enumerate(parts[1:], start=1):
        last = at == len(parts) - 1 or word.endswith(",")
        if PARTICIPLE.fullmatch(word.rstrip(",")) and (
            last or find("by|in|on|from|at|with|for|von|in|auf|für", parts[at + 1])
        ):
            return " ".join(parts[:at])
    return text


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
    return " ".join(parts[:2])


def is_day(word: str) -> bool:
    """Return whether a word names a day of the week, or several: "Sundays", "sonntags"."""
    return word.casefold().removesuffix("s") in _DAYS


def is_time(phrase: str) -> bool:
    """Return whether a phrase says when: "winter", "2019", "the year after", "public holidays"."""
    return any(is_day(part) or is_year(part) or part in _MONTHS | _TIMES for part in phrase.casefold().split())


def is_year(word: str) -> bool:
    """Return whether a word is the number of a year."""
    return re.fullmatch(r"1\d{3}|20\d\d", word) is not None


def is_plural(noun: str) -> bool:
    """Return whether an English noun looks like several things."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun not in _NO_NOUNS


def same_kind(one: str, other: str) -> bool:
    """Return whether two words name things of one kind, other ones."""
    one, other = one.casefold(), other.casefold()
    days, years = is_day(one) and is_day(other), is_year(one) and is_year(other)
    return one != other and (days or years or any(one in kind and other in kind for kind in (_MONTHS, *_KINDS)))
