"""Complete a question from its thread: what it leaves out, and what its pronouns stand for."""

import re
from collections.abc import Sequence
from typing import Final

from domain.options import MAX_CHARACTERS
from domain.question import Turn
from pipeline.question.entities import find_entities
from pipeline.question.follow_up.complete import ask_otherwise, compare, points_back, resolve, substitute
from pipeline.question.follow_up.frame import Frame, Words, bare, begins_with, find, frame_of, is_plural, words_of
from text.language import detect_language
from text.languages import any_of
from text.terms import content_words
from text.urls import urls_in

#: a question with more characters says itself what it is about; of one before it no more are read
_LONGEST: Final = 600
#: a shorter question does not show its language
_MANY_WORDS: Final = 4
#: a question that needs its thread has no more that carry a topic
_FEW_CONTENT, _FEW_ABOUT = 2, 3
#: between a thing and a pronoun for it: "When the pump is full, how do I empty it?", not "who was chosen to build it?"
_JOINS: Final = "and|or|if|when|while|as|und|oder|wenn|et|ou|si|quand"
#: a fragment has no more words
_FRAGMENT: Final = 7
#: "how deep", "at what temperature"
_ALONE: Final = (
    f"(?:{any_of('how', 'en', 'de')}|{any_of('what', 'en')}|{any_of('which', 'en', 'de', 'fr')})"
    r" (?!(?:{auxiliaries})\b|\w+s$|\w+ed$)[\w-]+"
)


def understand(question: str, turns: Sequence[Turn], lang: str = "") -> str:
    """Return the question as it stands alone; itself where it does already, or nothing was asked before.

    What goes on from a question about pages that it names by their URLs is about these.
    """
    if not turns or len(question) > _LONGEST:
        return question
    before = turns[-1].question[:_LONGEST]
    last_lang = detect_language(before)
    lang = lang or (detect_language(question) if len(question.split()) >= _MANY_WORDS else last_lang)
    words = words_of(lang)
    core, led, about = _without_lead(bare(question), words)
    last = frame_of(before, last_lang)
    completed = _completed(core, led, about, last, turns[-1], words, lang)
    if completed and not urls_in(question):
        pages = [url for url in urls_in(before) if url not in completed]
        completed = " ".join((completed, *(f"({url})" for url in pages)))
    if completed is None or completed == core or len(completed) > MAX_CHARACTERS:
        return question
    mark = "?" if lang not in ("fr",) else " ?"
    opening = "¿" if question.lstrip().startswith("¿") else ""
    return f"{opening}{completed[0].upper()}{completed[1:].rstrip('?？ ')}{mark}"


def needs_thread(question: str, lang: str = "") -> bool:
    """Return whether a question that was asked alone says too little: "And its configuration file?", "Why?"."""
    lang = lang or detect_language(question)
    words = words_of(lang)
    core, led, about = _without_lead(bare(question), words)
    if is_asking_alone(core, words):
        return True
    if (about and len(core.split()) <= _FEW_ABOUT) or (led and is_fragment(core, led=True, words=words)):
        return True
    if find_entities(question, lang) or not points_back(core, lang):
        return False
    return (
        find(words.determiners, before_pointing(core, words)) is None and len(content_words(core, lang)) <= _FEW_CONTENT
    )


def stands_alone(question: str, lang: str = "") -> bool:
    """Return whether a question is a whole one that is understood without any other: not "The boathouse's fee?"."""
    lang = lang or detect_language(question)
    words = words_of(lang)
    core, _, about = _without_lead(bare(question), words)
    return not (about or needs_thread(question, lang) or is_fragment(core, led=True, words=words))


def _completed(core: str, led: bool, about: bool, last: Frame, turn: Turn, words: Words, lang: str) -> str | None:
    """Return the question completed; None where it stands alone."""
    if is_asking_alone(core, words):
        return ask_otherwise(core[:1].upper() + core[1:], last)
    if about or is_fragment(core, led=led, words=words):
        if find(rf"(?<=, )(?:{words.asking})", core):
            return None
        if find(f"{words.pronouns}|{words.possessives}", core):
            return resolve(core, last, turn, lang)
        return substitute(core, last, words)
    if points_back(core, lang) and not has_its_own(core, words, lang):
        return resolve(core, last, turn, lang)
    if compared := compare(core, last, lang):
        return compared
    if led and not find_entities(core, lang) and len(content_words(core, lang)) <= _FEW_CONTENT:
        return core if urls_in(last.text) else f"{core} ({last.topic})"  # "And what is the entrance fee?"
    says_little = re.fullmatch(rf"(?:{words.asking}) \w+", core, re.IGNORECASE) or not content_words(core, lang)
    return core if led else f"{core} ({last.content})" if says_little else None  # "Who won?"


def _without_lead(text: str, words: Words) -> tuple[str, bool, bool]:
    """Return a question without what leads to it, whether it had that, and whether it asks "what about"."""
    led = about = False
    while found := re.match(rf"(?:{words.lead})(?:,\s*|\s+)(?=\S)", text, re.IGNORECASE):
        text, led = text[found.end() :].lstrip("¿ "), True
    if found := re.match(rf"(?:{words.about})\s+(?=\S)", text, re.IGNORECASE):
        text, about = text[found.end() :], True
    return text, led, about


def is_asking_alone(core: str, words: Words) -> bool:
    """Return whether a text is nothing but a question word and what belongs to it: "Why?", "By whom?", "How deep?"."""
    asking = f"{words.asking}|{_ALONE.format(auxiliaries=words.auxiliaries)}"
    alone = rf"(?:(?:{words.prepositions}) )?(?:{asking})"
    return re.fullmatch(alone, core, re.IGNORECASE) is not None


def is_fragment(core: str, *, led: bool, words: Words) -> bool:
    """Return whether a text is no sentence: it has no question word and no verb before its subject."""
    if len(core.split()) > _FRAGMENT or begins_with(words.asking, core) or begins_with(words.auxiliaries, core):
        return False
    return led or begins_with(words.prepositions, core) is not None


def before_pointing(core: str, words: Words) -> str:
    """Return what a question says before its first pronoun; "" where it has none."""
    found = find(f"{words.pronouns}|{words.possessives}", core)
    return core[: found.start()] if found else ""


def has_its_own(core: str, words: Words, lang: str) -> bool:
    """Return whether a question names before its pronoun what that stands for."""
    if re.search(r"[.!?] \S", core):
        return True
    before, subject = before_pointing(core, words), frame_of(core, lang).subject
    pointing = core[len(before) :]
    if begins_with("they|them|their", pointing) and any(map(is_plural, before.split()[1:])):
        return True
    if begins_with(words.possessives, pointing) and subject and subject in before:
        return True
    if re.search(rf"\b(?:{words.determiners}|{words.possessives}) \S.*(?:,|\b(?:{_JOINS})\b)", before, re.IGNORECASE):
        return True
    return any(name in before for name in find_entities(core, lang))
