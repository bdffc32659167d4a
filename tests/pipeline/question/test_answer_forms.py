"""Test in which form a question is best answered."""

from __future__ import annotations

from pipeline.question.analysis import analyse_question
from tests.tables import each_row


@each_row(
    "question, form",
    [
        ("How do I install it?", "steps"),
        ("Wie starte ich den Server neu?", "steps"),
        ("Comment installer Debian ?", "steps"),
        ("What is the difference between MariaDB and PostgreSQL?", "table"),
        ("List all error codes", "list"),
        ("What are the five kinds of accounts?", "list"),
        ("Which command deletes a folder?", "code"),
        ("Who wrote Faust?", "prose"),
        ("How many rows are in a chunk?", "prose"),
    ],
)
def test_form_of_an_answer_is_what_the_question_asks_for(question: str, form: str) -> None:
    assert analyse_question(question).form == form
