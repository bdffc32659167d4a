"""Words that Italian and French shorten before a vowel tell the two apart."""

from __future__ import annotations

from tests.tables import each_row
from text.language import detect_language


@each_row(
    ("question", "lang"),
    [
        ("Dov'è il museo?", "it"),
        ("Cos’è il museo?", "it"),  # a typographic apostrophe
        ("DOV'È IL MUSEO?", "it"),
        ("Dov'e\u0300 il museo?", "it"),  # the accent as a character of its own
        ("Com'è il museo?", "it"),
        ("Quand'è la festa?", "it"),
        ("C'è un museo a Lecce?", "it"),
        ("L'ingresso del museo quanto costa?", "it"),
        ("Qu'est-ce que le musée ?", "fr"),
        ("Où est l'église ?", "fr"),
        ("Quand est l'ouverture ?", "fr"),
        ("C'était quand, la fête ?", "fr"),
        ('What does "c\'è" mean?', "en"),  # asked about, not asked in
    ],
)
def test_elision_tells_italian_from_french(question: str, lang: str) -> None:
    assert detect_language(question) == lang
