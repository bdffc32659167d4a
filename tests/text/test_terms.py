from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from text.terms import MAX_TERM_CHARS, analyse, fold, search_text, words


@each_row(
    ("one", "other", "lang"),
    [
        ("Straße", "STRASSE", "de"),  # ß is ss
        ("Häuser", "hauser", "de"),  # umlauts fold, the plural stems
        ("café", "CAFE", "fr"),
        ("naïve résumé", "naive resume", "en"),
        ("Ångström Øresund", "angstrom oresund", "sv"),  # ø has no decomposition
        ("ёлка", "елка", "ru"),
        ("مُدَرِّسة", "مدرسة", "ar"),  # vowel signs are optional in Arabic
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "el"),  # the final sigma
        ("ﬁle", "file", "en"),  # a ligature
        ("ｶﾞｷﾞ", "ガギ", "ja"),  # half-width kana
        ("İstanbul", "istanbul", "tr"),
        ("running runs", "run run", "en"),
        ("Einstein’s", "Einstein", "en"),
        ("don't", "don’t", "en"),
        ("1,000,000", "1000000", "en"),
    ],
)
def test_two_spellings_of_a_word_are_one_term(one: str, other: str, lang: str) -> None:
    assert analyse(one, lang) == analyse(other, lang)


@each_row(
    ("text", "lang", "terms"),
    [
        ("os.getcwd()", "en", ["os", "getcwd", "os.getcwd"]),
        ("C++ and C#", "en", ["c", "c++", "and", "c", "c#"]),
        ("on .NET", "en", ["on", "net", ".net"]),
        ("ASP.NET", "en", ["asp", "net", "asp.net"]),
        ("__init__", "en", ["init", "__init__"]),
        ("max_length", "en", ["max", "length", "max_length"]),
        ("std::vector", "en", ["std", "vector", "std::vector"]),
        ("Python 3.11.2", "en", ["python", "3.11.2"]),
        ("The end.", "en", ["the", "end"]),  # a full stop is no part of a name
        ("page#top", "en", ["page", "top"]),  # nor is a fragment
        ("l’homme", "fr", ["l", "homm"]),
        ("北京大学", "zh", ["北京", "京大", "大学"]),
        ("学", "zh", ["学"]),  # a character alone is kept
        ("Python语言", "zh", ["python", "语言"]),
        ("한국어", "ko", ["한국", "국어"]),
        ("ที่นี่", "th", ["ที่นี่"]),  # vowel signs stay with their letter
        ("हिन्दी", "xx", ["हिन्दी"]),  # signs do not break the word; no stemmer, no stem
        ("война", "ru", ["войн"]),  # й is a letter, not a decorated и
        ("", "en", []),
        ("… — !", "en", []),
    ],
)
def test_terms_of_a_text(text: str, lang: str, terms: list[str]) -> None:
    assert analyse(text, lang) == terms


def test_unknown_language_is_stemmed_as_english_and_a_region_is_ignored() -> None:
    assert analyse("running", "und") == analyse("running", "en") == ["run"]
    assert analyse("Häuser", "de-AT") == ["haus"]


def test_search_text_holds_the_terms_of_title_and_text() -> None:
    assert search_text("The C++ Guide", "Running", "en") == "the c c++ guid run"


def test_words_are_folded_and_unstemmed() -> None:
    assert words("Running to the Café at os.path") == ["running", "to", "the", "cafe", "at", "os", "path"]


def test_text_without_spaces_has_words() -> None:
    assert len(words("我在北京大学学习")) == 7


def test_a_blob_makes_a_bounded_term() -> None:
    assert analyse("x" * 100_000, "xx") == ["x" * MAX_TERM_CHARS]


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(), st.sampled_from(["en", "de", "ru", "ar", "zh", "th", "und", "xx", ""]))
def test_search_text_splits_at_spaces_into_the_terms(text: str, lang: str) -> None:
    assert search_text("", text, lang).split() == analyse(text, lang)


@given(st.lists(st.sampled_from(["Straße", "C++", "北京", "running", "3.14", "x_y", "naïve"])))
def test_words_are_analysed_one_by_one(parts: list[str]) -> None:
    assert analyse(" ".join(parts), "en") == [term for part in parts for term in analyse(part, "en")]


@given(st.text(), st.text(), st.sampled_from(["en", "de", "ru", "zh", "xx"]))
def test_what_stands_apart_is_analysed_apart(one: str, other: str, lang: str) -> None:
    assert analyse(f"{one} {other}", lang) == analyse(one, lang) + analyse(other, lang)


def test_null_characters_are_no_terms() -> None:
    assert analyse("a\x00b \x00 é", "en") == ["a", "b", "e"]


def test_threads_do_not_share_a_stemmer() -> None:
    texts = [f"running houses {lang} nationalities organization" for lang in "abcdefgh"]
    expected = [analyse(text, "en") for text in texts]
    failures: list[str] = []

    def work() -> None:
        for _ in range(200):
            if [analyse(text, "en") for text in texts] != expected:
                failures.append("different terms")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
