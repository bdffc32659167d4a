"""Each language has its own quotation marks."""

from __future__ import annotations

from tests.tables import each_row
from text.sentences import OPENING, quoted


@each_row(
    ("lang", "shown"),
    [
        ("en", "“Lamps”"),
        ("de", "„Lamps“"),
        ("fr", "«\u00a0Lamps\u00a0»"),
        ("es", "«Lamps»"),
        ("pl", "„Lamps”"),
        ("ru", "«Lamps»"),
        ("ja", "「Lamps」"),
        ("ko", "“Lamps”"),  # no marks here: English ones
        ("", "“Lamps”"),
    ],
)
def test_words_stand_between_the_marks_of_the_language(lang: str, shown: str) -> None:
    assert quoted("Lamps", lang) == shown
    assert shown.startswith(OPENING)
