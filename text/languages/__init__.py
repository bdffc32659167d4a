"""Read what is known of each language: its words, patterns and phrases, from one TOML file a language.

``en.toml`` says what each entry is. A new language needs a file of its own here, and no entry that a file lacks is
needed: the rules that read it then do not apply.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

_FOLDER: Final = Path(__file__).parent
#: those that have a file (ISO 639-1)
LANGUAGES: Final = frozenset(file.stem for file in _FOLDER.glob("*.toml"))
#: is in a pattern instead of any word of a list of the same language, or for another pattern
_NAMED: Final = re.compile(r"<([a-z_]+)>")
#: languages whose patterns are read together
_ALIKE: Final = ("en", "de")

Words = tuple[str, ...]
Section = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Language:
    """What is known of one language, as its file writes it; empty where that says nothing."""

    yes: Words = ()
    no: Words = ()
    greetings: Words = ()
    of_pages: Words = ()
    months: Words = ()
    short_months: Words = ()
    weekdays: Words = ()
    short_weekdays: Words = ()
    seasons: Words = ()
    times: Words = ()
    occasions: Words = ()
    ones: Words = ()
    tens: Words = ()
    who: Words = ()
    what: Words = ()
    which: Words = ()
    when: Words = ()
    where: Words = ()
    why: Words = ()
    how: Words = ()
    how_many: Words = ()
    by_what: Words = ()
    measures: Words = ()
    be: Words = ()
    auxiliaries: Words = ()
    stop_words: Words = ()
    asking_words: Words = ()
    word_pairs: Words = ()
    related: Words = ()
    irregular_verbs: Words = ()
    follow_up: Section = field(default_factory=dict)
    question_types: Section = field(default_factory=dict)
    answer_types: Section = field(default_factory=dict)
    forms: Section = field(default_factory=dict)
    same: Section = field(default_factory=dict)
    variants: Section = field(default_factory=dict)
    walls: Section = field(default_factory=dict)
    phrases: Section = field(default_factory=dict)

    @property
    def several(self) -> Words:
        """Return the numbers from two on that have one word."""
        return self.ones[2:] + self.tens


_NOTHING: Final = Language()


def language(lang: str) -> Language:
    """Return what is known of a language (ISO 639-1), nothing of one that has no file."""
    return _read(lang) if lang in LANGUAGES else _NOTHING


def any_of(name: str, *langs: str) -> str:
    """Return the pattern of any word of the list ``name`` of some languages, of all if none is given."""
    return "|".join(word for lang in langs or sorted(LANGUAGES) for word in getattr(language(lang), name))


@cache
def word_set(name: str, *langs: str) -> frozenset[str]:
    """Return the words of the list ``name`` of some languages in small letters, each name of a month by itself."""
    return frozenset(re.split(r"[\s|]+", any_of(name, *langs).casefold())) - {""}


def pattern_of(section: str, name: str, lang: str) -> str:
    """Return a pattern of a section; English and German are read alike, and so are languages without the section."""
    alone = lang not in _ALIKE and getattr(language(lang), section)
    read = [getattr(language(each), section) for each in ((lang,) if alone else _ALIKE)]
    return "|".join(patterns[name] for patterns in read if name in patterns)


def expand(pattern: str, names: Mapping[str, str]) -> str:
    """Return a pattern with those of ``names`` in the place of each <name>."""
    return _NAMED.sub(lambda name: names[name[1]], pattern)


@cache
def _read(lang: str) -> Language:
    read = tomllib.loads((_FOLDER / f"{lang}.toml").read_text("utf-8"))
    lists: dict[str, Any] = {
        name: tuple(value.split() if isinstance(value, str) else value)
        for name, value in read.items()
        if not isinstance(value, dict)
    }
    words = Language(**lists)
    sections: dict[str, Any] = {name: {} for name, section in read.items() if isinstance(section, dict)}
    for name, section in sections.items():
        for key, value in read[name].items():
            pattern = value if isinstance(value, str) else "|".join(value)
            section[key] = _NAMED.sub(lambda listed: "|".join(getattr(words, listed[1])), pattern)
    return replace(words, **sections)
