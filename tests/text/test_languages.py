"""Each language's file is complete, its months and days are CLDR's, and no word of it has two roles."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from babel import Locale

from text.languages import LANGUAGES, language, word_set

#: the languages whose words are known; of the others there are phrases and the words for yes and no
KNOWN = ("en", "de", "fr", "es", "it", "pt", "nl")
#: a month in capitals, a verb in small letters
TWO_ROLES = {"may"}


@pytest.mark.parametrize("lang", KNOWN)
def test_months_and_weekdays_are_those_of_cldr(lang: str) -> None:
    of, names = language(lang), Locale(lang)
    sunday, *others = names.days["format"]["wide"].values()
    assert [name.partition("|")[0] for name in of.months] == list(names.months["format"]["wide"].values())
    assert [name.partition("|")[0] for name in of.weekdays] == [*others, sunday]
    assert len(of.short_months) in (0, 12)


@pytest.mark.parametrize("lang", KNOWN)
def test_every_role_has_words(lang: str) -> None:
    of = language(lang)
    for role in ("who", "what", "which", "when", "where", "why", "how", "how_many", "be", "auxiliaries"):
        assert getattr(of, role), role
    assert (len(of.ones), len(of.tens)) in ((20, 8), (0, 0))


@pytest.mark.parametrize("lang", KNOWN)
def test_no_word_has_two_roles(lang: str) -> None:
    roles = ("months", "weekdays", "seasons", "who", "what", "which", "when", "where", "how", "be", "auxiliaries")
    for one, other in combinations((*roles, "yes", "ones", "tens"), 2):
        assert word_set(one, lang) & word_set(other, lang) <= TWO_ROLES, (one, other)


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_no_list_names_a_word_twice(lang: str) -> None:
    of = language(lang)
    for name in (name for name in vars(of) if name not in ("related", "irregular_verbs")):
        listed = getattr(of, name)
        if isinstance(listed, tuple):
            assert len(set(listed)) == len(listed), name


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_every_pattern_is_one(lang: str) -> None:
    of = language(lang)
    for section in (of.follow_up, of.question_types, of.answer_types, of.forms):
        for pattern in section.values():
            re.compile(pattern)
            assert "||" not in pattern
            assert not re.search(r"<[a-z_]+>", pattern)


def test_language_without_a_file_has_nothing() -> None:
    for lang in ("", "und", "xx", "../languages/en"):
        assert language(lang).months == ()
        assert not language(lang).phrases


def test_name_of_a_list_in_a_pattern_stands_for_its_words() -> None:
    assert "|sont|" in language("fr").follow_up["auxiliaries"]
