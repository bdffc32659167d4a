"""Test the analysis of a question from its words alone."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.options import StrategyName
from pipeline.question.analysis import (
    MAX_CHARACTERS,
    QuestionError,
    analyse_question,
    complexity_of,
    suggested_k,
)
from pipeline.strategies import TASK_STRATEGIES
from tests.tables import each_row
from text.language import detect_language


def test_documents_example_is_a_complex_procedural_question() -> None:
    analysis = analyse_question("How do I implement authentication in a React application using JWT tokens?")
    assert analysis.question_type == "procedural"
    assert analysis.entities == ("React", "JWT")
    assert analysis.suggested_k == 10
    assert analysis.complexity == pytest.approx((1 + 2 / 5 + 1) / 3)


@pytest.mark.parametrize(
    ("words", "entities", "mark", "expected"),
    [
        (10, 5, True, 1.0),
        (5, 0, True, 0.5),
        (5, 0, False, 1 / 3),
        (40, 20, True, 1.0),  # each part is capped
    ],
)
def test_complexity_is_the_mean_of_three_parts(words: int, entities: int, mark: bool, expected: float) -> None:
    assert complexity_of(words, entities, mark) == pytest.approx(expected, abs=1e-6)


@each_row(
    ("complexity", "k"),
    [(0.71, 10), (0.7, 7), (0.41, 7), (0.4, 5), (0.0, 5), (complexity_of(7, 2, True), 7)],
)
def test_suggested_k_changes_above_its_bounds(complexity: float, k: int) -> None:
    assert suggested_k(complexity) == k


@pytest.mark.parametrize("text", ["", "   \n\t", "?!…", "\u200b\u200b", "\x00\x01"])
def test_question_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(QuestionError, match="write what you want to know"):
        analyse_question(text)


def test_question_that_is_too_long_is_told_the_limit_and_what_to_do() -> None:
    with pytest.raises(QuestionError, match=r"100,000 characters and the limit is 4,000: ask it in fewer words"):
        analyse_question("a" * 100_000)


def test_question_at_the_limit_is_taken() -> None:
    assert len(analyse_question("a" * MAX_CHARACTERS).text) == MAX_CHARACTERS


def test_control_characters_go_and_words_stay_apart() -> None:
    assert analyse_question("Who\x00is\u202e  Ada\nLovelace?").text == "Who is Ada Lovelace?"


@given(st.text(max_size=200))
def test_any_text_is_analysed_or_refused(text: str) -> None:
    try:
        analysis = analyse_question(text)
    except QuestionError:
        return
    assert 0 <= analysis.complexity <= 1
    assert analysis.suggested_k in {5, 7, 10}
    assert analyse_question(analysis.text, analysis.lang).text == analysis.text


@each_row(
    ("text", "lang"),
    [
        ("Who won the 1998 World Cup?", "en"),
        ("Wie hoch ist der Eiffelturm?", "de"),
        ("Eiffelturm Höhe", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("¿Dónde está Madrid?", "es"),
        ("Was macht functools.lru_cache?", "de"),
        ("Где находится Москва?", "ru"),
        ("北京在哪里？", "zh"),
        ("東京はどこですか", "ja"),
        ("1998", "und"),
    ],
)
def test_language_of_a_short_question(text: str, lang: str) -> None:
    assert detect_language(text) == lang


def test_terms_are_the_words_of_topic_each_with_the_word_as_written() -> None:
    analysis = analyse_question("Which bridges did Gustave Eiffel build?", "en")
    assert dict(analysis.terms) == {"bridg": "bridges", "gustav": "Gustave", "eiffel": "Eiffel", "build": "build"}
    assert analysis.name_terms == {"gustav", "eiffel"}


def test_every_task_has_a_strategy() -> None:
    assert set(get_args(StrategyName)) == set(TASK_STRATEGIES)


@each_row(
    ("wish", "question"),
    [
        ("list all error codes", "What are the error codes?"),
        ("Please list the steps to descale it.", "What are the steps to descale it?"),
        ("Could you show me all of the colours?", "What are the colours?"),
        ("Nenne alle Fehlercodes", "Welche Fehlercodes gibt es?"),
        ("Listen Sie bitte alle Räume auf", "Welche Räume gibt es?"),
        ("Listez toutes les erreurs", "Quelles sont les erreurs ?"),
        ("Enumera todos los errores", "¿Cuáles son los errores?"),
        ("Elenca tutti gli errori.", "Quali sono gli errori?"),
        ("Liste todas as salas", "Quais são as salas?"),
        ("Noem alle foutcodes", "Wat zijn de foutcodes?"),
        ("Enumera los errores de todos", "Enumera los errores de todos"),
        ("List comprehensions in Python", "List comprehensions in Python"),
        ("Name the mayor of Vierburg", "Name the mayor of Vierburg"),
        ("Does the list name all members?", "Does the list name all members?"),
    ],
)
def test_wish_for_a_list_is_a_question(wish: str, question: str) -> None:
    assert analyse_question(wish).text == question


def test_word_that_wishes_for_a_list_is_no_topic() -> None:
    assert list(analyse_question("List all error codes").terms.values()) == ["error", "codes"]
