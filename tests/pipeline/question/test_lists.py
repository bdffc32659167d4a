"""A wish for a list is read as the question for what is listed."""

from __future__ import annotations

from pipeline.question.analysis import analyse_question
from tests.tables import each_row


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
