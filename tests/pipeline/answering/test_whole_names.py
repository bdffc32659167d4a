"""A short answer that is a part of a person's name becomes the whole name, and takes in nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain import Focus
from pipeline.answering.focus.whole_names import with_whole_name
from pipeline.question.analysis import analyse_question
from tests.tables import each_row

#: the language, the sentence, the words that were found, the name that is shown
WHOLE = [
    ("en", "Ines Moreau opened the bakery in 1998.", "Moreau", "Ines Moreau"),
    ("en", "The bakery was opened by Ines Moreau in 1998.", "Ines", "Ines Moreau"),
    ("en", "The bakery is Ines Moreau's own.", "Ines", "Ines Moreau"),
    ("en", "It was Ines Moreau’s idea.", "Moreau", "Ines Moreau"),
    ("en", "It rained. Ines Claire Moreau opened the bakery.", "Moreau", "Ines Claire Moreau"),
    ("en", "Emily Lund opened the bakery.", "Lund", "Emily Lund"),
    ("en", "Rogier van der Weyden painted it.", "Weyden", "Rogier van der Weyden"),
    ("en", "It was painted by Rogier van der Weyden.", "Rogier", "Rogier van der Weyden"),
    ("en", "It was written by Juana de la Cruz in 1691.", "Cruz", "Juana de la Cruz"),
    ("en", "It was written by J. R. R. Tolkien.", "Tolkien", "J. R. R. Tolkien"),
    ("fr", "La boulangerie fut ouverte par Inès Moreau.", "Moreau", "Inès Moreau"),
    ("es", "Lo escribió Juana de la Cruz en 1691.", "Juana", "Juana de la Cruz"),
]
#: what is no part of the name, or may be none
ALONE = [
    ("en", "When Moreau opened the bakery, it rained.", "Moreau"),
    ("en", "Yesterday Moreau opened the bakery.", "Moreau"),
    ("en", "Quietly Moreau opened the bakery.", "Moreau"),
    ("en", "In 1998 Moreau opened the bakery.", "Moreau"),
    ("en", "In Paris Moreau opened another bakery.", "Moreau"),
    ("en", "Ask Moreau for the key.", "Moreau"),
    ("en", "The Moreau family opened it.", "Moreau"),
    ("en", "Karl, Moreau and Ines opened it.", "Moreau"),
    ("en", "Paris. Moreau opened it.", "Moreau"),
    ("en", "Moreau Opens Another New Bakery", "Moreau"),
    ("en", "INES MOREAU OPENED THE BAKERY", "MOREAU"),
    ("en", "It was opened by the baker.", "the baker"),
    ("en", "It was opened by Ines Moreau and Karl Lund.", "Ines Moreau and Karl Lund"),
    ("de", "Die Bäckerin Moreau eröffnete sie.", "Moreau"),
    ("de", "Eröffnet hat sie die junge Bäckerin Moreau.", "Moreau"),
    ("de", "Als Planerin gilt Ines Moreau.", "Ines Moreau"),
    ("de", "Dort hat Moreau Bäckereien eröffnet.", "Moreau"),
    ("fr", "Le boulanger est Moreau.", "Moreau"),
]
WHO = {
    "en": "Who opened the bakery?",
    "de": "Wer eröffnete sie?",
    "fr": "Qui l'a ouverte ?",
    "es": "¿Quién lo escribió?",
}


def shown(lang: str, sentence: str, words: str, question: str = "") -> str:
    start = sentence.index(words)
    focus = Focus(start=start, end=start + len(words), confidence=0.9)
    found = with_whole_name(analyse_question(question or WHO[lang], lang), sentence, focus)
    assert found.confidence == 0.9
    return sentence[found.start : found.end]


@each_row(("lang", "sentence", "words", "name"), WHOLE)
def test_part_of_a_name_becomes_the_whole_name(lang: str, sentence: str, words: str, name: str) -> None:
    assert shown(lang, sentence, words) == name
    assert shown(lang, sentence, name) == name


@each_row(("lang", "sentence", "words"), ALONE)
def test_words_that_are_no_part_of_the_name_are_not_taken_in(lang: str, sentence: str, words: str) -> None:
    assert shown(lang, sentence, words) == words


def test_what_is_no_person_stays_as_it_is() -> None:
    assert shown("en", "It stands in New York.", "York", "Where does it stand?") == "York"


@given(st.text(max_size=120), st.integers(0, 120), st.integers(1, 20))
def test_words_that_were_found_are_never_lost(sentence: str, start: int, length: int) -> None:
    end = min(len(sentence), start + length)
    focus = Focus(start=min(start, end), end=end, confidence=0.5)
    found = with_whole_name(analyse_question(WHO["en"], "en"), sentence, focus)
    assert 0 <= found.start <= focus.start
    assert focus.end <= found.end <= len(sentence)
