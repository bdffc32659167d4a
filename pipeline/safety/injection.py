"""Recognise what a page says to whoever answers from it, not to its reader: orders, fake turns, ends of the fence.

Such a sentence is never quoted as an answer. An order in words that none of the wordings knows, and a plain lie, are
not recognised: they can be quoted, and can do no more than stand there with their citation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.safety.injection_patterns import FORMS, WORDINGS
from text.sentences import sentence_spans

_Patterns = tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]


def _compiled(listed: Sequence[tuple[str, str]]) -> _Patterns:
    return tuple((tuple(words.split("|")), re.compile(pattern, re.IGNORECASE)) for words, pattern in listed)


_WORDINGS, _FORMS = _compiled(WORDINGS), _compiled(FORMS)
#: a question about orders may be answered by one
_ABOUT = re.compile(
    r"\b(?:prompts?|injections?|jailbreak\w*|instructions?|chat ?templates?|special tokens?|anweisung\w*|instruktion\w*"
    r"|consignes?|instrucciones|инструкци\w+|промпт\w*)\b|指令|提示词|注入|تعليمات",
    re.IGNORECASE,
)
#: an order that is spoken of: "A known attack is “Ignore all previous instructions”."
_QUOTED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"]*\"|「[^」]*」|`[^`]*`")
#: words that a sentence which only quotes an order has of its own
_OWN_WORDS = 4
_SPACED = re.compile(r"(?<!\w)(?:\w ){3,}\w(?!\w)")
#: Cyrillic and Greek letters that look like Latin ones
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһкмтвнАЕОРСУХІЈЅКМТВНαοεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhkmtbhAEOPCYXIJSKMTBHaoeiknptuxABEZHIKMNOPTYX",
)
_MIXED = re.compile(r"\w*(?:[A-Za-z]\w*[\u0370-\u052f]|[\u0370-\u052f]\w*[A-Za-z])\w*")
_MOST_CHARACTERS = 2_000


def is_injection(sentence: str) -> bool:
    """Return whether a sentence speaks to whoever answers; one that only quotes such words among its own does not."""
    text = _plain(sentence[:_MOST_CHARACTERS])
    return _finds(_FORMS, text) or (_finds(_WORDINGS, text) and _finds(_WORDINGS, _without_quotes(text)))


def is_injected(text: str, start: int, end: int) -> bool:
    """Return whether the sentence ``text[start:end]`` is an order, or shares its line with one: one hand wrote both."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return _holds_order(text[first : last if last >= 0 else len(text)])


def asks_about_prompts(question: str) -> bool:
    """Return whether a question is about prompts or instructions: what answers it may read as one."""
    return _ABOUT.search(question) is not None


@lru_cache(maxsize=1024)  # judge and composer look at the same lines
def _holds_order(lines: str) -> bool:
    return any(is_injection(lines[start:end]) for start, end in sentence_spans(lines))


def _finds(patterns: _Patterns, text: str) -> bool:
    folded = text.casefold()
    return any(pattern.search(text) is not None for words, pattern in patterns if any(word in folded for word in words))


def _plain(text: str) -> str:
    """The text with letters that are not spaced out, and without foreign letters among Latin ones."""
    text = _SPACED.sub(lambda found: found[0].replace(" ", ""), text)
    return text if text.isascii() else _MIXED.sub(lambda word: word[0].translate(_LOOKALIKES), text)


def _without_quotes(text: str) -> str:
    """The sentence without what it quotes, where enough words of its own are left."""
    rest = _QUOTED.sub(" … ", text)
    return rest if len(rest.split()) > _OWN_WORDS else text
