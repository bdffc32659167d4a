from __future__ import annotations

import json
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from text.translation.word_by_word import (
    LANGUAGES,
    SMALL_WORDS,
    _lines,
    english,
    file_of,
    language_to_translate,
    translate,
)


@each_row(
    ("lang", "text", "translated"),
    [
        ("de", "Wie öffne ich das Fenster?", "How open I the Window?"),
        ("de", "Alte Dateien werden gelöscht.", "Old Files become deleted."),
        ("de", "Ist die Festplatte voll?", "Is the Disk full?"),
        ("fr", "Où est le bouton Annuler ?", "Where is the button Cancel ?"),
        ("es", "¿Dónde está la ciudad?", "¿Where is the city?"),
        ("it", "Quando è la guerra?", "When is the war?"),
        ("pt", "Quem é o rei?", "Who is the king?"),
        ("nl", "Waar is de stad?", "Where is the city?"),
        ("en", "Wie öffne ich das Fenster?", "Wie öffne ich das Fenster?"),
        ("pl", "Gdzie jest król?", "Gdzie jest król?"),
        ("de", "", ""),
    ],
)
def test_words_become_english_and_all_between_them_stays(lang: str, text: str, translated: str) -> None:
    assert translate(text, lang).text == translated


@each_row(
    ("word", "meaning"),
    [
        ("gelöschtem", "deleted"),  # another form of a word of the lexicon
        ("fensterdrucker", "window printer"),
        ("xyzzyqua", None),
        ("wort", "word"),
        ("zzzzqq", None),  # behind the last word
        ("aaaaqq", None),  # before the first
    ],
)
def test_a_word_that_is_not_in_the_lexicon_is_looked_for_in_others(word: str, meaning: str | None) -> None:
    assert english(word, "de") == meaning


@given(st.text(max_size=80))
def test_each_word_of_any_text_has_its_place_in_the_translation(text: str) -> None:
    made = translate(text, "de")
    assert made.place((0, len(text))) == (
        (made.translated[0][0], made.translated[-1][1]) if made.translated else (0, 0)
    )
    for original, there in zip(made.original, made.translated, strict=True):
        assert made.place(original) == there
        assert made.back(there) == original
    assert made.back((0, len(made.text))) == (0, len(text))
    assert made.place((len(text), len(text))) == (0, 0)


@each_row(
    ("text", "lang"),
    [
        ("Was kostet der Eintritt für Kinder?", "de"),
        ("Öffnungszeiten Bibliothek", "de"),  # without a small word
        ("Comment supprimer un fichier ?", "fr"),
        ("¿Cómo cambio la contraseña?", "es"),
        ("Quando è la guerra?", "it"),
        ("Qual é o preço da entrada?", "pt"),
        ("Wat is de hoofdstad van Frankrijk?", "nl"),
        ("How do I open the window?", None),
        ("logging config rotate", None),
        ("git rebase", None),
        ("Gdzie jest król?", None),
        ("どこですか", None),
        ("12:30", None),
        ("", None),
        ("a 1 | e 2 | o 3 | " + "Alpha Beta Gamma Delta " * 20, None),  # a table's letters are no small words
    ],
)
def test_the_language_is_told_by_small_words_and_lexicons(text: str, lang: str | None) -> None:
    assert language_to_translate(text) == lang


@each_row("lang", sorted(LANGUAGES))
def test_each_language_has_a_lexicon_and_the_small_words_of_a_question(lang: str) -> None:
    small = json.loads(SMALL_WORDS.read_text("utf-8"))
    assert small.keys() == LANGUAGES
    assert {"how", "what", "who", "where", "when", "not", "the", "a", "and"} <= set(small[lang].values())
    assert all(word == word.lower() for word in small[lang])
    assert file_of(lang).stat().st_size > 100_000
    assert english({"de": "datei", "fr": "fichier", "nl": "bestand", "pt": "arquivo"}.get(lang, "file"), lang) == "file"


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_lexicon_has_the_lines_of_its_file(lang: str) -> None:
    lines = _lines(lang)
    assert [lines[at] for at in range(len(lines))] == lzma.decompress(file_of(lang).read_bytes()).decode().splitlines()
