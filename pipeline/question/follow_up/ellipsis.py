"""Complete a fragment with the question before it: "And on Windows?", "What about Apache?", "Why?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.question.follow_up.frame import Frame, head_of
from pipeline.question.follow_up.words import Words, begins_with, find, is_day, is_month, is_plural, same_kind, words_of

#: "children under twelve", "people over 65": one thing
_AGED: Final = (
    r" (?:under|over|above|below|aged|older than|younger than) (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|fourteen|sixteen|eighteen)(?: years)?"
)
#: whom something is for: several, without a determiner
_FOR_WHOM: Final = re.compile(rf"(?<![\w-])for ((?:[a-z]+s|children|people|men|women)(?:{_AGED})?)(?![\w-])")
#: what is added to a question rather than put into the place of something
_ADVERBS: Final = "back|there|now|today|tomorrow|tonight|later|alone|again|online|abroad"
#: what begins a question behind its question word
_BEGINS: Final = re.compile(r"^(?:do|does|did|is|are|was|were|can|could|should|must|may|will|would|has|have|had) ")
_THE: Final = "the|its|their|his|her|der|die|das|le|la|les|el|los|las|il|lo|gli"
_BE: Final = r"is|are|was|were|ist|sind|war|waren|est|sont|es|son|è|sono|é|são"


def ask_otherwise(asking: str, last: Frame) -> str:
    """Return the question before with another question word: "Why?" → "Why is the file kept there?"."""
    rest = last.rest if last.asking else last.text[:1].lower() + last.text[1:]
    only_named = re.fullmatch(rf"(?:{_BE}) (?!.*(?:ed|en|built|made|kept)\b).+", rest, re.IGNORECASE) and last.asking
    begins = begins_with(words_of(last.lang).auxiliaries, rest) or last.lang != "en"
    return f"{last.text}? {asking}" if only_named or not begins else f"{asking} {rest}"


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
    for span, replacement in _places(preposition, body, last, words):
        start, end = span
        return last.text[:start] + replacement + last.text[end:]
    joined = "" if preposition else _joined(body, last.lang)
    if not preposition and not joined and last.rest and begins_with(_THE, body) and not is_day(body.split()[-1]):
        return f"{fragment} ({_BEGINS.sub('', last.rest)})"  # another thing of the same subject
    return f"{last.text} {joined}{fragment}"


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
    verb = re.fullmatch(r"([a-z]+) (?:it|them|that|this|one)", fragment)
    if verb is None or not last.verb:
        return None
    at = last.text.find(f" {last.verb} ")
    return f"{last.text[: at + 1]}{verb[1]} {last.object}" if at >= 0 else None


def _places(preposition: str, body: str, last: Frame, words: Words) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield where the fragment may stand, and how, the likeliest first."""
    yield from _same_noun(body, last, words)
    yield from _same_kind(body, last, words)
    if not body or is_day(body.split()[-1]) or is_month(body.split()[-1]) or find(_ADVERBS, body):
        return  # a time or a way is added
    if preposition:
        yield from _same_preposition(preposition, body, last, words)
        return
    if is_plural(body) and " " not in body and (whom := _FOR_WHOM.search(last.text)):
        yield whom.span(1), body
    if begins_with(words.indefinite, body):
        yield from _subject(body, last)
        yield from _indefinite(body, last, words)
    for phrase in (last.object, last.subject):
        plain = _before_preposition(phrase, words)
        if plain and (at := last.text.find(plain)) >= 0:
            yield (at, at + len(plain)), body


def _same_noun(body: str, last: Frame, words: Words) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the phrase with the same noun: "SNMP drivers" for "USB drivers"."""
    without = re.sub(rf"^(?:{words.determiners})\s+", "", body, flags=re.IGNORECASE)
    head = head_of(without, words)
    described = without.split().index(head) if head in without.split() else 0
    if not head or not described:
        return
    found = re.search(rf"(?:[\w'’.-]+ ){{{described}}}{re.escape(head)}(?![\w-])", last.text, re.IGNORECASE)
    if found:
        yield found.span(), " ".join(without.split()[: described + 1])


def _same_kind(body: str, last: Frame, words: Words) -> Iterator[tuple[tuple[int, int], str]]:
    named = body.split()[-1] if body.split() else ""
    for match in re.finditer(r"[\w.+-]+", last.text):
        if same_kind(named, match.group()):
            before = re.search(rf"(?<!\w)(?:{words.determiners})\s+$", last.text[: match.start()], re.IGNORECASE)
            yield (before.start() if before else match.start(), match.end()), body


def _same_preposition(preposition: str, body: str, last: Frame, words: Words) -> Iterator[tuple[tuple[int, int], str]]:
    ends = rf"(?=\s(?:{words.prepositions})\s|$)"
    found = re.search(
        rf"(?<![\w-]){re.escape(preposition)} (.+?(?:{_AGED}|(?!{_AGED}){ends}))", last.text, re.IGNORECASE
    )
    if found and not begins_with(words.asking, found[1]):
        noun = found[1].split()[-1]
        lacks_noun = last.lang == "de" and body[-1:].islower() and body.split()[-1].islower() and noun[0].isupper()
        yield (found.start(1), found.end()), f"{body} {noun}" if lacks_noun else body


def _subject(body: str, last: Frame) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the subject where it names something new: what follows it is the verb."""
    at = last.text.find(last.subject)
    if begins_with("an?", last.subject) and begins_with("an?", body) and at >= 0:
        yield (at, at + len(last.subject)), body


def _indefinite(body: str, last: Frame, words: Words) -> Iterator[tuple[tuple[int, int], str]]:
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
        yield found[-1].span(), re.sub(r"^one(?= |$)", f"a {noun}", body, flags=re.IGNORECASE)


def _before_preposition(phrase: str, words: Words) -> str:
    return re.split(rf"\s(?:{words.prepositions})\s", f" {phrase} ", flags=re.IGNORECASE)[0].strip()
