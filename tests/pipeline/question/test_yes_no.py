"""Test that a yes/no question is told by its form, and answered by the word that a model's answer begins with."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.question.analysis import QuestionError, analyse_question
from pipeline.question.yes_no import is_yes_no, leading_yes_no, yes_no_word
from tests.tables import each_row


@each_row(
    ("question", "lang"),
    [
        ("Was the lighthouse of Vierburg built in 1874?", "en"),
        ("Isn’t it open?", "en"),
        ("Darf man den Turm besteigen?", "de"),
        ("Est-ce que le phare est ouvert ?", "fr"),
        ("Est-ce qu'il y a un phare à Vierburg ?", "fr"),
        ("La tour de Vierburg est-elle haute ?", "fr"),
        ("Puis-je monter ?", "fr"),
        ("¿Está abierto el museo de Vierburg?", "es"),
        ("Il faro di Vierburg è aperto?", "it"),
        ("A torre de Vierburg é alta?", "pt"),
        ("Kan ik het museum bezoeken?", "nl"),
    ],
)
def test_question_with_its_verb_and_no_question_word_is_a_yes_no_question(question: str, lang: str) -> None:
    assert is_yes_no(analyse_question(question, lang))


@each_row(
    ("question", "lang"),
    [
        ("Who built the lighthouse of Vierburg?", "en"),
        ("Is the lighthouse of Vierburg open", "en"),
        ("Was kostet die Karte in Vierburg?", "de"),
        ("Qu'est-ce qu'un phare ?", "fr"),
        ("Où le phare est-il construit ?", "fr"),
        ("¿Dónde está el museo de Vierburg?", "es"),
        ("Quando è aperto il faro?", "it"),
        ("Onde é a torre?", "pt"),
        ("Waar is het museum?", "nl"),
        ("灯台は開いていますか？", "ja"),
    ],
)
def test_question_for_a_thing_is_none(question: str, lang: str) -> None:
    assert not is_yes_no(analyse_question(question, lang))


def test_word_is_of_the_questions_language() -> None:
    assert [yes_no_word(each, "de") for each in ("yes", "no", "")] == ["Ja", "Nein", ""]  # type: ignore[arg-type]
    assert [yes_no_word("yes", lang) for lang in ("fr", "sv")] == ["Oui", "Yes"]


@each_row(
    ("text", "expected"),
    [
        ("Yes, it was.", "yes"),
        ("Nein: es war so.", "no"),
        ("No.", "no"),
        ("No. 10 Downing Street is old.", ""),
        ("No.10 is old.", ""),
        ("No one knows.", ""),
        ("Yesterday.", ""),
        ("It was.", ""),
    ],
)
def test_what_a_model_begins_with_counts_where_it_stands_alone(text: str, expected: str) -> None:
    assert leading_yes_no(text) == expected


@settings(deadline=None)  # the first call reads the stop words
@given(st.text(max_size=60))
def test_any_question_is_read(question: str) -> None:
    try:
        analysis = analyse_question(question)
    except QuestionError:
        return
    assert is_yes_no(analysis) in (True, False)
