"""Tell how much of a question a text is: a question word, a fragment, or a whole one with a subject of its own."""

from __future__ import annotations

import re
from typing import Final

from pipeline.question.entities import find_entities
from pipeline.question.follow_up.frame import frame_of
from pipeline.question.follow_up.kinds import is_plural
from pipeline.question.follow_up.pronouns import points_back
from pipeline.question.follow_up.words import Words, begins_with, find
from text.languages import any_of

#: a fragment has no more words
_FRAGMENT: Final = 7
#: "how deep", "at what temperature"
_ALONE: Final = (
    f"(?:{any_of('how', 'en', 'de')}|{any_of('what', 'en')}|{any_of('which', 'en', 'de', 'fr')})"
    r" (?!(?:{auxiliaries})\b|\w+s$|\w+ed$)[\w-]+"
)
#: asks which of the things that were asked about
WHICH: Final = (
    r"(?:(?:who|which(?: ones?)?|wer|welche[rs]?|qui) (?:is|are|was|were|ist|sind|est)(?: the (?=\w+est\b))?"
    r"|what is (?=\w+ed)|was ist (?-i:(?=[a-z])))"
)
#: behind a question word that stands alone
_STRESS: Final = " so| then| not| exactly| precisely| else| genau| denn| sonst| exactement| donc"
#: what joins clauses: a pronoun behind it stands for what is named before it
_JOINS: Final = (
    "and|but|so that|as|because|that|what|which|how|why|than|und|aber|weil|dass|was|damit|et|mais|parce que|que"
)


def is_asking_alone(core: str, words: Words) -> bool:
    """Return whether a text is nothing but a question word and what belongs to it: "Why?", "By whom?", "How deep?"."""
    asking = f"{words.asking}|{_ALONE.format(auxiliaries=words.auxiliaries)}"
    alone = rf"(?:(?:{words.prepositions}) )?(?:{asking})(?:{_STRESS})?"
    return re.fullmatch(alone, core, re.IGNORECASE) is not None


def is_fragment(core: str, *, led: bool, words: Words) -> bool:
    """Return whether a text is no sentence: it has no question word and no verb before its subject."""
    parts = core.split()
    if len(parts) > _FRAGMENT or begins_with(words.asking, core) or begins_with(words.auxiliaries, core):
        return False
    if re.match(rf"(?:{words.prepositions}) (?:{words.asking})\b", core, re.IGNORECASE):
        return False
    return (led or begins_with(words.prepositions, core) is not None) and not any(
        begins_with(words.auxiliaries, part) for part in parts[:3] if len(parts) > 2
    )


def before_pointing(core: str, words: Words) -> str:
    """Return what a question says before its first pronoun; "" where it has none."""
    found = find(f"{words.pronouns}|{words.possessives}", core)
    return core[: found.start()] if found else ""


def has_its_own(core: str, words: Words, lang: str) -> bool:
    """Return whether a question names before its pronoun what that stands for."""
    sentences = re.split(r"(?<=[.!?]) (?=\S)", core)
    if len(sentences) > 1 and not points_back(sentences[0], lang):
        return True
    before = before_pointing(core, words)
    subject = frame_of(core, lang).subject
    if begins_with("they|them|their", core[len(before) :]) and any(map(is_plural, before.split()[1:])):
        return True
    if begins_with(words.possessives, core[len(before) :]) and subject and subject in before:
        return True
    joined = rf"(?:{words.determiners}|{words.possessives}) \S.*(?:,|\b(?:{words.conditions}|{_JOINS})\b)"
    if before and re.search(rf"\b{joined}", before, re.IGNORECASE):
        return True
    return any(name in before for name in find_entities(core, lang))
