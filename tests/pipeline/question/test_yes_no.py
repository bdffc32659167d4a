"""The yes or no that a model's answer begins with is told from other words."""

from __future__ import annotations

from pipeline.question.yes_no import leading_yes_no, yes_no_word
from tests.tables import each_row


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
