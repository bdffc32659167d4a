"""Test the spelling of names, the names in titles, and the names in texts."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tables import each_row
from text.names import MAX_CHARS, MAX_NAMES, MAX_PROPER_NOUNS, MAX_WORDS, name_key, names_in, names_of, proper_nouns
from text.terms import stop_words

EN = stop_words("en")


def test_languages_without_a_list_share_the_english_one() -> None:
    assert stop_words("qx") is stop_words("qy") is EN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Beatles", "BEATLES"),  # case and article
        ("Agüero", "Aguero"),  # accents
        ("Leland, North Carolina", "Leland North Carolina"),  # punctuation
        ("Eddie &quot;The Eagle&quot; Edwards", "Eddie “The Eagle” Edwards"),  # what the page left escaped
        ("Straße", "STRASSE"),  # folding
    ],
)
def test_spellings_of_one_name_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other) != ""


def test_an_article_alone_stays_a_name() -> None:
    assert name_key("The The") == "the"


def test_a_sentence_is_no_name() -> None:
    assert name_key("a page that says a lot about very many things at once") == ""


@each_row(
    ("title", "names"),
    [
        ("Scott Howell (political consultant)", ("scott howell political consultant", "scott howell")),
        ("functools — Higher-order functions — Python documentation", ("functools",)),  # the first part is the page
        ("Warsaw - Wikipedia", ("warsaw wikipedia", "warsaw")),
        ("北京", ("北京",)),
        ("1984", ()),  # a number names every year's text
        ("", ()),
    ],
)
def test_a_title_names_its_page_with_and_without_what_is_added_to_it(title: str, names: tuple[str, ...]) -> None:
    assert set(names_of(title)) >= set(names)
    assert bool(names_of(title)) == bool(names)


def test_a_text_names_what_it_writes_with_capitals_and_the_name_within_a_longer_one() -> None:
    found = proper_nouns("In Leland, US President Barack Obama met Ludwig van Beethoven.", empty=EN)
    assert {"leland", "president barack obama", "barack obama", "ludwig van beethoven"} <= set(found)
    assert "in leland" not in found
    assert "van beethoven" not in found


def test_part_of_a_longer_name_names_nothing_alone() -> None:
    assert "united" not in names_in("the United States", empty=EN)
    assert "united" in names_in("They toured with United in May", empty=EN)


def test_a_phrase_in_lower_case_is_looked_up_and_one_word_is_not() -> None:
    found = names_in("held on an aircraft carrier of the time", empty=EN)
    assert "aircraft carrier" in found
    assert "aircraft" not in found
    assert "an aircraft" not in found


def test_a_script_without_capitals_is_looked_up_and_nothing_of_it_kept() -> None:
    assert name_key("北京") in names_in("北京是首都")
    assert proper_nouns("北京是首都") == ()


@given(st.text())
def test_any_text_gives_bounded_names_and_all_it_keeps_compare(text: str) -> None:
    kept, looked_for = proper_nouns(text, empty=EN), names_in(text, empty=EN)
    assert len(kept) <= MAX_PROPER_NOUNS
    assert len(looked_for) <= MAX_NAMES
    for name in (*kept, *looked_for):
        assert 1 < len(name) <= MAX_CHARS
        assert len(name.split()) <= MAX_WORDS


@given(st.text())
@example("0\u0e33")  # a letter that folds to two
def test_a_names_spelling_is_its_own_spelling_but_for_articles(text: str) -> None:
    once = name_key(text)
    assert once.endswith(name_key(once))
