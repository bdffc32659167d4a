"""Recognise prompt injection in page text: instructions to the answering model, fake turns, forged delimiters.

Such a sentence is never quoted as an answer. An instruction in unknown words, and a plain lie, are not recognised: they
can only be quoted, with their citation.
"""

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from text.languages import expand
from text.sentences import sentence_spans

_Patterns = tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]
_FILE = tomllib.loads(Path(__file__).with_name("injection.toml").read_text("utf-8"))


def _compiled(entries: Iterable[list[str]]) -> _Patterns:
    """Return each entry's words to look for, and its pattern."""
    named = ([expand(part, _FILE["names"]) for part in entry] for entry in entries)
    return tuple((tuple(words.split("|")), re.compile("".join(parts), re.IGNORECASE)) for words, *parts in named)


_WORDINGS = _compiled(entry for entries in _FILE["wordings"].values() for entry in entries)
_FORMS = _compiled(_FILE["forms"])
#: an injection may answer a question about prompts and instructions
_ABOUT = re.compile(
    r"\b(?:prompts?|injections?|jailbreak\w*|instructions?|chat ?templates?|special tokens?|anweisung\w*|instruktion\w*"
    r"|consignes?|instrucciones|инструкци\w+|промпт\w*)\b|指令|提示词|注入|تعليمات",
    re.IGNORECASE,
)
#: a quoted injection: "A known attack is “Ignore all previous instructions”."
_QUOTED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"]*\"|「[^」]*」|`[^`]*`")
#: the least words of its own in a sentence that only quotes an injection
_OWN_WORDS = 4
_SPACED = re.compile(r"(?<!\w)(?:\w ){3,}\w(?!\w)")
#: Cyrillic and Greek letters that look like Latin ones
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһкмтвнАЕОРСУХІЈЅКМТВНαοεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhkmtbhAEOPCYXIJSKMTBHaoeiknptuxABEZHIKMNOPTYX",
)
_LATIN, _LOOKALIKE, _WORD = re.compile(r"[A-Za-z]"), re.compile(r"[\u0370-\u052f]"), re.compile(r"\w+")
_MOST_CHARACTERS = 2_000


def is_injection(sentence: str) -> bool:
    """Return whether a sentence addresses the answering model; one that only quotes such words does not."""
    text = _plain(sentence[:_MOST_CHARACTERS])
    return _finds(_FORMS, text) or (_finds(_WORDINGS, text) and _finds(_WORDINGS, _without_quotes(text)))


def is_injected(text: str, start: int, end: int) -> bool:
    """Return whether the sentence ``text[start:end]`` is an injection or shares its line with one (the same author)."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return _holds_order(text[first : last if last >= 0 else len(text)])


def asks_about_prompts(question: str) -> bool:
    """Return whether a question is about prompts or instructions: its answer may look like an injection."""
    return _ABOUT.search(question) is not None


@lru_cache(maxsize=1024)  # judge and composer look at the same lines
def _holds_order(lines: str) -> bool:
    return any(is_injection(lines[start:end]) for start, end in sentence_spans(lines))


def _finds(patterns: _Patterns, text: str) -> bool:
    folded = text.casefold()
    return any(pattern.search(text) is not None for words, pattern in patterns if any(word in folded for word in words))


def _plain(text: str) -> str:
    """Return the text with spaced-out letters joined, and lookalike letters replaced by Latin ones."""
    text = _SPACED.sub(lambda found: found[0].replace(" ", ""), text)
    return text if text.isascii() else _WORD.sub(_with_latin_letters, text)


def _with_latin_letters(word: re.Match[str]) -> str:
    """Return a word of mixed letters with Latin ones for those that look like them."""
    is_mixed = _LATIN.search(word[0]) and _LOOKALIKE.search(word[0])
    return word[0].translate(_LOOKALIKES) if is_mixed else word[0]


def _without_quotes(text: str) -> str:
    """Return the sentence without its quotations, if enough of its own words are left."""
    rest = _QUOTED.sub(" … ", text)
    return rest if len(rest.split()) > _OWN_WORDS else text
