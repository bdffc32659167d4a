"""Complete a fragment with the question before it: "And on Windows?", "What about Apache?", "Why?"."""

from __future__ import annotations

import re
from typing import Final

from pipeline.question.follow_up.frame import Frame
from pipeline.question.follow_up.kinds import is_day, is_measured, is_month, is_plural, is_time
from pipeline.question.follow_up.phrase import PARTICIPLE, head_of
from pipeline.question.follow_up.places import DEFINITE, Fragment, is_added, places
from pipeline.question.follow_up.words import BE, Words, begins_with, find, words_of
from text.languages import any_of

#: what begins a question behind its question word
_BEGINS: Final = re.compile(rf"^(?:{any_of('be', 'en')}|{any_of('auxiliaries', 'en')}) ")
#: asked for by "how", and said of what is done rather than of a thing
_AMOUNTS: Final = "many|much|long|often|far|fast|soon|late|early|well|viele?|lange|oft|weit|schnell|bald|spät|früh|gut"
#: question words whose place another cannot take without a loss: they are the subject, or have a noun
_LOST: Final = r"wer|qui|quién|chi|quem|(?:how (?:many|much)|which|what|wie viele?|welche\w?|quel\w*|combien d\S+) \S+"
#: what compares, and "than"
_COMPARED: Final = {
    "en": (r"(?-i:[a-z]{3,}er)|worse|(?:more|less) \w+", "than"),
    "de": (r"(?-i:[a-zäöüß]{3,}er)|(?:mehr|weniger) \w+", "als"),
    "fr": (r"(?:plus|moins) \w+|mieux|meilleure?s?|pires?", "que"),
}


def ask_otherwise(asking: str, last: Frame) -> str:
    """Return the question before with another question word: "Why?" → "Why is the file kept there?"."""
    rest = last.rest if last.asking else last.text[:1].lower() + last.text[1:]
    if (measure := re.fullmatch(r"(how|wie) (\w+)", asking, re.IGNORECASE)) and not find(_AMOUNTS, measure[2]):
        if begins_with(measure[1], last.asking) and begins_with(BE, rest):
            return f"{asking} {rest}"
        be = "ist" if last.lang == "de" else "are" if is_plural(last.topic) else "is"
        return f"{asking} {be} {last.topic}"
    if find(_LOST, last.asking) or find("which ones?|which|welche[rs]?", asking):
        return f"{last.text}? {asking}"
    only_named = last.asking and re.fullmatch(rf"(?:{BE}) {re.escape(last.subject)}", rest, re.IGNORECASE)
    begins = begins_with(words_of(last.lang).auxiliaries, rest) or last.lang != "en"
    return f"{last.text}? {asking}" if only_named or not begins else f"{asking} {rest}"


def compare(question: str, last: Frame, lang: str) -> str | None:
    """Return a question with what it compares with: "Is a greyhound faster?" → "… faster than a cheetah?"."""
    pattern, than = _COMPARED.get(lang, ("(?!)", ""))
    compares = re.match(rf"(?:{BE}) (?P<whom>.*) (?:{pattern})$", question, re.IGNORECASE)
    if compares is None or find("than|als|or|oder|que", question) or is_time(question.split()[-1]):
        return None
    words = words_of(lang)
    noun = find(rf"there|(?:{words.prepositions}|{words.indefinite})$", compares["whom"])  # "Is he a baker?"
    if noun or begins_with(words.prepositions, question.split()[-1]):
        return None
    return f"{question} {than} {last.subject or last.topic}"


def go_on(question: str, last: Frame) -> str | None:
    """Return a question that leaves out its verb, with it: "Why should I?" → "Why should I install nginx?"."""
    asker = r"i|we|you|one|ich|wir|man"
    if last.verb and find(rf"(?:should|can|could|must|may|do|would|soll|sollte|muss|kann|darf) (?:{asker})$", question):
        return f"{question} {last.action}"
    return None


def substitute(fragment: str, last: Frame, words: Words) -> str:
    """Return the question before with the fragment in the place of what is of its kind, or else at its end.

    A known thing that fits nowhere is asked for itself, with the rest of the question as its subject.
    """
    stands_before = begins_with(words.prepositions, fragment)
    preposition = stands_before.group() if stands_before else ""
    body = _with_noun(fragment[len(preposition) :].strip(), last)
    for place in places(Fragment(preposition, body), last, words):
        return last.text[: place.start] + place.text + last.text[place.end :]
    if preposition:
        return f"{last.text} {fragment[0].lower()}{fragment[1:]}"
    joined = _joined(body, last.lang)
    if is_measured(head_of(body, words)):
        about = next((name for name in last.names if not is_time(name)), last.topic)
        return f"{fragment} ({about})"
    if not joined and last.rest and begins_with(DEFINITE, body) and not is_time(body):
        return f"{fragment} ({_BEGINS.sub('', last.rest)})"  # another thing of the same subject
    return f"{last.text}{'' if is_time(body) or is_added(body) else ','} {joined}{fragment}"


def _with_noun(body: str, last: Frame) -> str:
    """Return a fragment with the noun that its "ones" stands for: "green ones" → "green lentils"."""
    several = [word for word in last.text.split() if is_plural(word) and word.islower()]
    return re.sub(r"\bones$", several[-1], body) if several and " " in body else body


def _joined(body: str, lang: str) -> str:
    """Return what joins a time to a question: "on" before days, "in" before months."""
    if lang != "en" or begins_with("the|last|next|every", body):
        return ""
    return "on " if is_day(body.split()[-1]) else "in " if is_month(body.split()[-1]) else ""


def do_otherwise(fragment: str, last: Frame) -> str | None:
    """Return the question before with another verb: "And mirror it?" → "How do I mirror a symbol?"."""
    if last.lang == "de" and last.verb and re.fullmatch("[a-zäöüß]{3,}en", fragment):
        return re.sub(rf"(?<!\S){re.escape(last.verb)}(?!\S)", fragment, last.text)
    ends = last.text.rpartition(" ")[2]
    if PARTICIPLE.fullmatch(fragment.partition(" ")[0]) and PARTICIPLE.fullmatch(ends):
        return f"{last.text.removesuffix(ends)}{fragment}"
    verb = re.fullmatch(r"([a-z]+) (?:it|them|that|this|one)", fragment)
    if verb is None or not last.verb:
        return None
    at = last.text.find(f" {last.verb} ")
    return f"{last.text[: at + 1]}{verb[1]} {last.object}" if at >= 0 else None
