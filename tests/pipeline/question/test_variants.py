"""Test the variants of a question made by rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.question.analysis import QuestionError, analyse_question
from pipeline.question.variants import make_variants
from text.analyser import words


def by_kind(question: str, count: int = 3) -> dict[str, str]:
    variants = make_variants(analyse_question(question), count)
    return {variant.kind: variant.text for variant in reversed(variants)}


@pytest.mark.parametrize(
    ("question", "paraphrase", "shift", "keywords"),
    [
        (
            "How do I parse command line arguments?",
            "What is the way to parse command line arguments?",
            "The way to parse command line arguments",
            "parse command line arguments",
        ),
        (
            "What is the difference between TCP and UDP?",
            "How do TCP and UDP differ?",
            "The difference between TCP and UDP is",
            "difference TCP UDP",
        ),
        (
            "Who painted the Mona Lisa?",
            "Which person painted the Mona Lisa?",
            "The person who painted the Mona Lisa",
            "painted Mona Lisa",
        ),
        (
            "Was ist Photosynthese?",
            "Was versteht man unter Photosynthese?",
            "Photosynthese ist",
            "Photosynthese",
        ),
        (
            "Wie kann ich eine Datei lesen?",
            "Auf welche Weise kann man eine Datei lesen?",
            "So kann man eine Datei lesen",
            "Datei lesen",
        ),
    ],
)
def test_one_variant_of_each_kind(question: str, paraphrase: str, shift: str, keywords: str) -> None:
    assert by_kind(question) == {"paraphrase": paraphrase, "perspective_shift": shift, "keyword_focus": keywords}


def test_verb_after_what_is_no_noun() -> None:
    shift = by_kind("What does a brioche cost?")["perspective_shift"]
    assert shift == "Information about brioche cost"
    assert by_kind("What documents does it need?")["perspective_shift"] == "The documents does it need"


def test_documents_example_names_the_main_office() -> None:
    assert by_kind("What is Microsoft's headquarters?")["paraphrase"] == "Can you name Microsoft's main office?"


@pytest.mark.parametrize(
    ("question", "lang"),
    [("Où se trouve la tour Eiffel ?", "fr"), ("¿Dónde está el museo del Prado?", "es"), ("東京はどこですか", "ja")],
)
def test_language_without_rules_gets_keywords_at_most_and_no_english_words(question: str, lang: str) -> None:
    variants = make_variants(analyse_question(question, lang), 5)
    assert {variant.kind for variant in variants} <= {"keyword_focus"}
    assert all(set(words(variant.text)) <= set(words(question)) for variant in variants)


def test_when_in_the_present_is_not_asked_for_a_year() -> None:
    assert by_kind("When does the cache expire?")["paraphrase"] == "Under what conditions does the cache expire?"
    assert by_kind("When did Rome fall?")["paraphrase"] == "In what year did Rome fall?"


def test_names_in_code_are_not_exchanged() -> None:
    assert all("os.remove" in v.text for v in make_variants(analyse_question("How do I find os.remove in a file?"), 5))


@pytest.mark.parametrize(("asked", "given_back"), [(0, 2), (2, 2), (3, 3), (5, 5), (50, 5)])
def test_count_stays_between_two_and_five(asked: int, given_back: int) -> None:
    assert len(make_variants(analyse_question("How do I fix a broken build?"), asked)) == given_back


@given(
    st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=80),
    st.integers(0, 9),
    st.sampled_from(["en", "de", "fr"]),
)
def test_variants_differ_from_the_question_and_from_each_other(text: str, count: int, lang: str) -> None:
    try:
        analysis = analyse_question(text, lang)
    except QuestionError:
        return
    wordings = [analysis.text, *(variant.text for variant in make_variants(analysis, count))]
    assert len({" ".join(words(wording)) for wording in wordings}) == len(wordings)
    assert len(wordings) <= 6
