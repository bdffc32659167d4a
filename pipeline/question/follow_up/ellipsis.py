"""Complete a fragment with the question before it: "And on Windows?", "What about Apache?", "Why?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.question.follow_up.frame import Frame, head_of
from pipeline.question.follow_up.words import Words, begins_with, find, same_kind, words_of

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
    """Return the question before with the fragment in the place of what is of its kind, or else at its end."""
    stands_before = begins_with(words.prepositions, fragment)
    preposition = stands_before.group() if stands_before else ""
    body = fragment[len(preposition) :].strip()
    for span, replacement in _places(preposition, body, last, words):
        start, end = span
        return last.text[:start] + replacement + last.text[end:]
    return f"{last.text} {fragment}"


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
    if preposition:
        yield from _same_preposition(preposition, body, last, words)
        return
    if begins_with(words.indefinite, body):
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
    found = re.search(rf"(?<![\w-]){re.escape(preposition)} (.+?){ends}", last.text, re.IGNORECASE)
    if found and not begins_with(words.asking, found[1]):
        yield found.span(1), body


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
