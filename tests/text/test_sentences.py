"""Sentences are found in several languages, and always cover the text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from text.sentences import OPENING, goes_on, quoted, sentence_spans


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@each_row(
    "sentences",
    [
        # titles, initials, times, countries, decimals, "No."
        ["Dr. Smith met J. R. Tolkien at 5 p.m. in the U.S.", "He left.", "It cost 3.14 dollars, e.g. Not much!"],
        ["See No. 5 there.", '"Really?" he asked.', "No.", "Then vitamin C.", "The end."],
        # German abbreviations and ordinals; a number that is none
        ["Das gilt z. B. für Häuser.", "Am 3. Oktober 1990 wurde es gefeiert.", "Er kam auf Platz 3.", "Das war gut."],
        ["Im 19. Jahrhundert war z.B. Wien groß.", "Es gab Brot, Wein usw.", "Die Gäste blieben."],
        # a quotation closed after a space
        ["M. Dupont est venu.", "Il a dit : « Oui. »", "Puis il partit.", "Voir p. ex. Paris."],
        ["¿Cómo estás?", "¡Bien!", "La Sra. López llegó a las 5 p.m.", "Los niños jugaron."],
        ["В 1990 г. Москва росла.", "И т. д.", "Он ушёл.", "А. С. Пушкин родился в 1799 г. в Москве."],
        # the names of functions begin sentences in lower case
        ["Return the value.", "os.chdir() changes it.", "Wait...", "Done."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["我是学生。", "你好！", "他说：“再见。”", "然后走了。", "第二句"],
        ["「行こう。」と言った。", "次の文です。", "（終わり。）", "そして"],
    ],
)
def test_sentences_without_spaces_between_them_are_found(sentences: list[str]) -> None:
    assert cut("".join(sentences)) == sentences


def test_line_breaks_of_lists_and_code_end_sentences() -> None:
    lines = ["Heading", "- item one", "1. Install it.", "for x in y:", "    print(x)"]
    assert cut("\n".join(lines)) == [line.strip() for line in lines]


def test_line_breaks_of_wrapped_prose_do_not() -> None:
    wrapped = "This is a long line of wrapped prose which simply goes\non in the next line."
    assert cut(f"{wrapped} And ends.") == [wrapped, "And ends."]


@given(st.text(alphabet=st.sampled_from("ab A1.!?。」»\n\t ")) | st.text())
def test_sentences_cover_all_that_is_not_white_space(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)


@pytest.mark.timeout(5)
@pytest.mark.parametrize("piece", [".", ".)", " ", " \n", "。", "(1", "1.", "a. "])
def test_hostile_text_is_cut_in_linear_time(piece: str) -> None:
    assert sentence_spans(piece * 100_000 + "x")


@pytest.mark.parametrize(
    "sentence", ["It was built in 1871.", "Dann wird es gemahlen.", "Elles sont ouvertes.", "so it is"]
)
def test_sentence_that_goes_on_is_known(sentence: str) -> None:
    assert goes_on(sentence)


@pytest.mark.parametrize("sentence", ["Items are sold here.", "The mill was built in 1871.", "Erich malt.", ""])
def test_sentence_that_stands_alone_is_no_other(sentence: str) -> None:
    assert not goes_on(sentence)


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
